import type { RunEvent } from "./wire.js";

/** Events of one run as they cross: what they have in common once, and a row for each. */
export interface EventBatch {
  /** Null for a batch without events. */
  origin: Pick<RunEvent, "run_id" | "thread_id" | "graph_id"> | null;
  events: [
    seq: number,
    t: number,
    path: string[],
    node: string | null,
    type: RunEvent["type"],
    data: RunEvent["data"],
  ][];
}

/** The events of a batch, each whole. */
export function unpack({ origin, events }: EventBatch): RunEvent[] {
  if (origin === null) return [];
  const { run_id, thread_id, graph_id } = origin;
  return events.map(([seq, t, path, node, type, data]) => {
    const envelope = { v: 1, seq, t, run_id, thread_id, graph_id, path };
    // The module writes each type with its own data.
    return (
      node === null ? { ...envelope, type, data } : { ...envelope, node, type, data }
    ) as RunEvent;
  });
}
