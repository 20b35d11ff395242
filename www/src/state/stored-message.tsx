import type { Part, Role, StateMessage } from "mnemograph";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../app/icons.tsx";
import { plainResult } from "../chat/turn.ts";
import { preview } from "../lib/preview.ts";

const ROLES: Record<Role, string> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  system: "System",
};

export interface StoredMessageProps {
  message: StateMessage;
  /** Place in the history, where the store gives none. */
  position: number;
  /** What can be done with it. */
  children?: ComponentChildren;
}

/** A message as it lies in the store, with what the model would be sent of it. */
export function StoredMessage({ message, position, children }: StoredMessageProps): JSX.Element {
  return (
    <li
      class="stored-message"
      data-testid="stored-message"
      data-role={message.role}
      data-status={message.status}
      data-in-view={message.in_view}
    >
      <p class="stored-head">
        <span class="stored-seq">{message.seq ?? position}</span>
        <span class={`stored-role role-${message.role}`}>{ROLES[message.role]}</span>
        {message.status !== "complete" && (
          <span class="stored-status">
            {message.status}
            {message.error_code !== undefined && ` · ${message.error_code}`}
          </span>
        )}
        <span class="stored-view">
          <Icon name={message.in_view ? "eye" : "eyeOff"} size={14} />
          {message.in_view ? "in view" : "not in view"}
        </span>
      </p>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
      {message.parts.length === 0 && <p class="stored-none">empty</p>}
      {children}
    </li>
  );
}

function PartView({ part }: { part: Part }): JSX.Element {
  switch (part.type) {
    case "text":
    case "refusal":
      return (
        <p class="stored-text" dir="auto">
          {shorten(part.text)}
        </p>
      );
    case "tool_call":
      return (
        <div class="stored-part">
          <p class="stored-label">
            <Icon name="tool" size={14} /> calls <code>{part.name}</code>
          </p>
          <pre>{part.args === undefined ? part.args_raw : preview(part.args)}</pre>
        </div>
      );
    case "tool_result":
      return (
        <div class="stored-part">
          <p class="stored-label">
            <Icon name="tool" size={14} /> <code>{part.name}</code>{" "}
            {part.is_error ? "failed" : "answered"}
          </p>
          <pre>{preview(plainResult(part.content))}</pre>
        </div>
      );
    default:
      return (
        <div class="stored-part">
          <p class="stored-label">
            <code>{part.type}</code>
          </p>
          <pre>{preview(part)}</pre>
        </div>
      );
  }
}

const MAX_TEXT = 4_000;

function shorten(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… ${text.length - MAX_TEXT} more characters`;
}
