import type { GraphDocument } from "../lib/examples.ts";
import type { TraceRun } from "../trace/trace.ts";

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
      case "tool_call":
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

function toolNode(document: GraphDocument, name: string): string | undefined {
  return document.nodes.find((node) => node.type === "tool" && node.settings?.name === name)?.id;
}
