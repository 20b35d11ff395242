import type { EventBatch, RunEvent } from "./wire.js";

/** The events of a batch, each whole. */
export function unpack({ origin, events }: EventBatch): RunEvent[] {
  if (origin === null) return [];
  return events.map(([seq, t, path, node, type, data]) => {
    const envelope = { v: 1, seq, t, ...origin, path };
    // The module writes each type with its own data.
    return (
      node === null ? { ...envelope, type, data } : { ...envelope, node, type, data }
    ) as RunEvent;
  });
}
