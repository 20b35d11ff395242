import type { GraphDocument } from "../lib/examples.ts";
import type { TraceRun } from "../trace/trace.ts";
import { nodeOf } from "./layout.ts";

export type Activity = "running" | "succeeded" | "failed" | "skipped" | "stopped";

/** What the latest run has done at each node, for the drawing. */
export function activityOf(
  document: GraphDocument,
  run: TraceRun | undefined,
): ReadonlyMap<string, Activity> {
  const activity = new Map<string, Activity>();
  if (run === undefined) return activity;
  for (const { event } of run.rows) {
    const node = event.node;
    switch (event.type) {
      case "run_started":
        activity.set(event.data.trigger, "succeeded");
        break;
      case "node_started":
        if (node !== undefined) activity.set(node, "running");
        break;
      case "node_finished":
        if (node !== undefined) activity.set(node, nodeEnding(event.data.status));
        break;
      case "node_failed":
        if (node !== undefined) activity.set(node, "failed");
        break;
      case "node_skipped":
        if (node !== undefined) activity.set(node, "skipped");
        break;
      case "memory_read":
      case "memory_written":
        mark(event.data.memory, "succeeded");
        break;
      case "token":
      case "reasoning_token":
        mark(linkedTo(document, node, "link_llm"), "succeeded");
        break;
      case "tool_call":
        mark(linkedTo(document, node, "link_llm"), "succeeded");
        mark(toolNode(document, event.data.name), "running");
        break;
      case "tool_result":
        mark(toolNode(document, event.data.name), event.data.is_error ? "failed" : "succeeded");
        break;
      default:
        break;
    }
  }
  if (run.ending !== undefined) {
    for (const [id, state] of activity) if (state === "running") activity.set(id, "stopped");
  }
  return activity;

  function mark(id: string | undefined, state: Activity): void {
    if (id !== undefined) activity.set(id, state);
  }
}

function nodeEnding(status: string): Activity {
  if (status === "succeeded" || status === "handled") return "succeeded";
  if (status === "cancelled") return "stopped";
  return status === "skipped" ? "skipped" : "failed";
}

/** The first resource of a kind that a step is linked to. */
function linkedTo(
  document: GraphDocument,
  step: string | undefined,
  type: string,
): string | undefined {
  const edge = document.edges.find((item) => item.type === type && nodeOf(item.to) === step);
  return edge === undefined ? undefined : nodeOf(edge.from);
}

function toolNode(document: GraphDocument, name: string): string | undefined {
  return document.nodes.find((node) => node.type === "tool" && node.settings?.name === name)?.id;
}
