import type { EventBatch, EventPayloads, RunEvent, RunResult } from "../../src/wire.js";

/** An event of a run with everything filled in that a test does not care for. */
export function event<T extends keyof EventPayloads>(
  type: T,
  data: EventPayloads[T],
  seq: number,
  node = "agent",
): RunEvent {
  return {
    v: 1,
    seq,
    t: 0,
    run_id: "r",
    thread_id: "t",
    graph_id: "g",
    path: [],
    node,
    type,
    data,
  } as unknown as RunEvent;
}

export function token(text: string, seq: number, node = "agent"): RunEvent {
  return event("token", { channel: "reply", text }, seq, node);
}

/** Events as the module hands them over. */
export function pack(events: RunEvent[]): EventBatch {
  const [first] = events;
  if (first === undefined) return { origin: null, events: [] };
  const { run_id, thread_id, graph_id } = first;
  return {
    origin: { run_id, thread_id, graph_id },
    events: events.map(({ seq, t, path, node, type, data }) => [
      seq,
      t,
      path,
      node ?? null,
      type,
      data,
    ]),
  };
}

export function result(run_id: string, more: Partial<RunResult> = {}): RunResult {
  return {
    status: "succeeded",
    text: "",
    outputs: {},
    messages: [],
    usage: { input: 0, output: 0 },
    warnings: [],
    run_id,
    thread: "t",
    ...more,
  };
}

export async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of events) all.push(each);
  return all;
}

/** Lets everything run that waits for nothing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
