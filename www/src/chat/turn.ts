import type { Content, Message, RunEvent, RunResult, TranscriptEntry } from "mnemograph";
import { type Failure, toFailure } from "../lib/failure.ts";

/** A piece of an answer, in the order in which it came. */
export type TurnItem = TextItem | ToolItem;

export interface TextItem {
  kind: "text";
  text: string;
  /** The node that streamed it; absent for text that came whole. */
  node?: string;
}

export interface ToolItem {
  kind: "tool";
  callId: string;
  name: string;
  args: unknown;
  state: "running" | "done" | "failed" | "interrupted";
  result?: unknown;
  ms?: number;
}

/** One message of the person and everything that answered it. */
export interface Turn {
  /** Id of the run. */
  id: string;
  user: string;
  startedAt: number;
  items: readonly TurnItem[];
  /** `waiting`: a person has to answer before it goes on. */
  status: "running" | "waiting" | "complete" | "aborted" | "failed";
  failure?: Failure;
  /** True if it was read from the transcript, false if this tab saw it happen. */
  recorded: boolean;
  /** Ids of the recorded messages, by which what a memory holds of the turn is found. */
  messages: readonly string[];
}

export function startTurn(id: string, user: string, startedAt: number): Turn {
  return { id, user, startedAt, items: [], status: "running", recorded: false, messages: [] };
}

/** The turn after one more event of its run. */
export function applyEvent(turn: Turn, event: RunEvent): Turn {
  switch (event.type) {
    case "token":
      return event.data.channel === "reply"
        ? { ...turn, items: appendText(turn.items, event.data.text, event.node) }
        : turn;
    case "tool_call": {
      const { call_id, name, args } = event.data;
      const card: ToolItem = { kind: "tool", callId: call_id, name, args, state: "running" };
      return { ...turn, items: [...turn.items, card] };
    }
    case "tool_result": {
      const { call_id, is_error, content, ms } = event.data;
      const state = is_error ? "failed" : "done";
      return {
        ...turn,
        items: turn.items.map((item) =>
          item.kind === "tool" && item.callId === call_id && item.state === "running"
            ? { ...item, state, result: plainResult(content), ms }
            : item,
        ),
      };
    }
    case "node_retry":
      return { ...turn, items: withoutOpenText(turn.items, event.node) };
    case "reply_done":
      return { ...turn, items: withReply(turn.items, event.data.text) };
    case "interrupt":
      return { ...turn, status: "waiting" };
    case "resumed":
      return { ...turn, status: "running" };
    case "run_finished":
      return { ...turn, status: "complete" };
    case "run_cancelled":
      return { ...turn, items: interrupt(turn.items), status: "aborted" };
    case "run_failed":
    case "run_limit":
      return fail(turn, event.data.error);
    default:
      return turn;
  }
}

/** The turn once its run has ended, also where no event said so. */
export function settleTurn(turn: Turn, result: RunResult): Turn {
  if (turn.status !== "running") return turn;
  if (result.status === "waiting") return { ...turn, status: "waiting" };
  if (result.error !== undefined && result.status !== "cancelled") return fail(turn, result.error);
  return result.status === "cancelled"
    ? { ...turn, items: interrupt(turn.items), status: "aborted" }
    : { ...turn, items: withReply(turn.items, result.text), status: "complete" };
}

/** The turn after an error; what was answered so far stays. */
export function fail(turn: Turn, error: unknown): Turn {
  return {
    ...turn,
    items: interrupt(turn.items),
    status: "failed",
    failure: toFailure(error),
  };
}

/** A turn as the channel recorded it: what was said, without the tool calls in between. */
export function fromTranscript(entry: TranscriptEntry): Turn {
  const texts = entry.replies.map(messageText).filter((text) => text !== "");
  const shown = entry.user === undefined ? entry.replies : [entry.user, ...entry.replies];
  return {
    id: entry.run_id,
    user: entry.user === undefined ? "" : messageText(entry.user),
    startedAt: entry.started_at,
    items: texts.map((text) => ({ kind: "text", text })),
    status: entry.status,
    recorded: true,
    messages: shown.map((message) => message.id),
    ...(entry.status === "failed" ? { failure: failureIn(shown) } : {}),
  };
}

/** What is left of an error once its run is gone. */
export function failureIn(messages: readonly Message[]): Failure {
  const code = messages.find((message) => message.error_code !== undefined)?.error_code;
  return {
    message: "This message could not be answered.",
    ...(code === undefined ? {} : { code }),
  };
}

export function messageText(message: Message): string {
  return message.parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A tool's content without its wrapping where it is one value. */
export function plainResult(content: readonly Content[]): unknown {
  const values = content.map((item): unknown =>
    item.type === "text" ? item.text : item.type === "json" ? item.json : item,
  );
  return values.length === 1 ? values[0] : values;
}

function appendText(items: readonly TurnItem[], text: string, node?: string): TurnItem[] {
  const last = items.at(-1);
  if (last?.kind === "text" && last.node === node) {
    return [...items.slice(0, -1), { ...last, text: last.text + text }];
  }
  return [...items, { kind: "text", text, ...(node === undefined ? {} : { node }) }];
}

/** A reply that was streamed stands there already; one that came whole does not. */
function withReply(items: readonly TurnItem[], text: string): readonly TurnItem[] {
  const last = items.filter((item) => item.kind === "text").at(-1);
  if (text.trim() === "" || last?.text.trim() === text.trim()) return items;
  return [...items, { kind: "text", text }];
}

/** A model call that is made again streams its text again. */
function withoutOpenText(items: readonly TurnItem[], node?: string): readonly TurnItem[] {
  const last = items.at(-1);
  return last?.kind === "text" && last.node === node ? items.slice(0, -1) : items;
}

function interrupt(items: readonly TurnItem[]): TurnItem[] {
  return items.map((item) =>
    item.kind === "tool" && item.state === "running" ? { ...item, state: "interrupted" } : item,
  );
}
