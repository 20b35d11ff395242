import type { JSX } from "preact";
import { Icon } from "../app/icons.tsx";
import { formatMs } from "../lib/format.ts";
import { preview, toJsonLine } from "../lib/preview.ts";
import type { ToolItem } from "./turn.ts";

const STATES: Record<ToolItem["state"], string> = {
  running: "running…",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
};

/** A tool call: name, arguments and outcome in one line, everything when opened. */
export function ToolCard({ item }: { item: ToolItem }): JSX.Element {
  return (
    <details class="tool-card" data-state={item.state} data-testid="tool-card">
      <summary>
        <Icon name="tool" />
        <span class="tool-name">{item.name}</span>
        <span class="tool-args">{shortArgs(item.args)}</span>
        <span class="tool-state">
          {STATES[item.state]}
          {item.ms !== undefined && ` · ${formatMs(item.ms)}`}
        </span>
        <Icon name="chevron" size={14} />
      </summary>
      <dl class="tool-detail">
        <dt>Arguments</dt>
        <dd data-testid="tool-args">
          <pre>{preview(item.args)}</pre>
        </dd>
        {item.result !== undefined && (
          <>
            <dt>{item.state === "failed" ? "Error" : "Result"}</dt>
            <dd data-testid="tool-result">
              <pre>
                {typeof item.result === "string" ? shorten(item.result) : preview(item.result)}
              </pre>
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}

const MAX_TEXT = 20_000;

function shorten(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… ${text.length - MAX_TEXT} more characters`;
}

function shortArgs(args: unknown): string {
  if (typeof args === "object" && args !== null) {
    const values: unknown[] = Object.values(args);
    if (values.length === 0) return "";
    if (values.length === 1) return oneLine(values[0]);
  }
  return oneLine(args);
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : toJsonLine(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
