import type { RunEvent } from "mnemograph";
import { formatBytes, formatMs, plural } from "../lib/format.ts";

/** The filters of the trace, in the order in which they are shown. */
export const KINDS = ["run", "node", "model", "tool", "memory", "reply", "problem"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_LABELS: Record<Kind, string> = {
  run: "Run",
  node: "Nodes",
  model: "Model",
  tool: "Tools",
  memory: "Memory",
  reply: "Replies",
  problem: "Problems",
};

const KIND_OF: Record<RunEvent["type"], Kind> = {
  run_started: "run",
  run_finished: "run",
  run_cancelled: "run",
  run_failed: "problem",
  run_limit: "problem",
  node_started: "node",
  node_finished: "node",
  node_skipped: "node",
  node_failed: "problem",
  node_retry: "problem",
  edge_taken: "node",
  edge_skipped: "node",
  token: "model",
  reasoning_token: "model",
  tool_call: "tool",
  tool_result: "tool",
  loop_pass: "node",
  variable_set: "memory",
  agent_memory_changed: "memory",
  custom: "reply",
  interrupt: "run",
  resumed: "run",
  memory_read: "memory",
  memory_written: "memory",
  reply_started: "reply",
  reply_done: "reply",
  warning: "problem",
};

/** Events of a newer runtime that this list does not know count as events of the run. */
export function kindOf(event: RunEvent): Kind {
  return KIND_OF[event.type] ?? "run";
}

/** The few words that tell an event from another of its type. */
export function summaryOf(event: RunEvent): string {
  switch (event.type) {
    case "run_started":
      return `by ${event.data.trigger}`;
    case "run_finished":
      return `${event.data.status} · ${event.data.usage.input} in, ${event.data.usage.output} out`;
    case "run_cancelled":
      return event.data.reason;
    case "loop_pass":
      return `pass ${event.data.index + 1}`;
    case "variable_set":
      return `${event.data.name} · ${event.data.scope}`;
    case "custom":
      return event.data.name;
    case "interrupt":
      return event.data.interrupt.prompt;
    case "resumed":
      return event.data.action;
    case "run_failed":
    case "run_limit":
    case "node_failed":
      return `${event.data.error.code} · ${event.data.error.message}`;
    case "node_finished":
      return `${event.data.status} · ${formatMs(event.data.ms)}`;
    case "node_retry":
      return `attempt ${event.data.attempt} after ${event.data.code}`;
    case "edge_taken":
    case "edge_skipped":
      return `${event.data.from} → ${event.data.to}`;
    case "tool_call":
      return event.data.name;
    case "tool_result":
      return `${event.data.name} · ${event.data.is_error ? "error" : "ok"} · ${formatMs(event.data.ms)}`;
    case "memory_read":
      return `${event.data.memory} · ${plural(event.data.count, "message")}, ${event.data.in_view} in view`;
    case "agent_memory_changed":
      return `${event.data.memory} · ${event.data.op}, ${plural(event.data.keys, "key")}`;
    case "memory_written":
      return `${event.data.memory} · ${plural(event.data.count, "message")} · ${formatBytes(event.data.bytes)}`;
    case "reply_done":
      return `${event.data.text.length} characters`;
    case "warning":
      return `${event.data.code} · ${event.data.message}`;
    default:
      return "";
  }
}
