import type { RunEvent } from "mnemograph";
import { expect, it } from "vitest";
import { activityOf } from "../src/graph/node-activity.ts";
import type { GraphDocument } from "../src/lib/examples.ts";
import { createTrace, type TraceRun } from "../src/trace/trace.ts";

let seq = 0;
function event(run_id: string, type: string, data: object = {}, node = "agent"): RunEvent {
  seq += 1;
  return {
    v: 1,
    seq,
    t: seq,
    run_id,
    thread_id: "t",
    graph_id: "g",
    path: [],
    node,
    type,
    data,
  } as unknown as RunEvent;
}

async function traceOf(events: RunEvent[]): Promise<readonly TraceRun[]> {
  const trace = createTrace();
  for (const item of events) trace.add(item);
  await Promise.resolve();
  return trace.runs.value;
}

const token = (run: string, text: string): RunEvent =>
  event(run, "token", { channel: "reply", text });

it("deltas of one node are one row, and all of them are kept for export", async () => {
  const [run] = await traceOf([
    event("r", "run_started"),
    token("r", "a"),
    token("r", "b"),
    event("r", "node_finished"),
    token("r", "c"),
    event("r", "run_finished"),
  ]);
  expect(run?.rows.map((row) => row.text ?? row.event.type)).toEqual([
    "run_started",
    "ab",
    "node_finished",
    "c",
    "run_finished",
  ]);
  expect(run?.events).toHaveLength(6);
  expect(run?.ending).toBe("finished");
});

it("a run with too many events keeps its beginning and its end", async () => {
  const many = Array.from({ length: 5_000 }, () => event("r", "edge_taken"));
  const [run] = await traceOf([...many, event("r", "run_failed")]);
  expect(run?.dropped).toBe(1_000);
  expect(run?.events.at(-1)?.type).toBe("run_failed");
});

it("only the latest runs are kept", async () => {
  const runs = await traceOf(
    Array.from({ length: 50 }, (_, index) => event(`r${index}`, "run_started")),
  );
  expect(runs).toHaveLength(20);
  expect(runs.at(-1)?.id).toBe("r49");
});

it("a memory event shows at the memory that it names, whoever used it", async () => {
  const [run] = await traceOf([
    event("r", "node_started"),
    event("r", "memory_read", { memory: "second", count: 2, in_view: 2 }),
  ]);
  const document = { id: "g", name: "G", nodes: [], edges: [] } as unknown as GraphDocument;
  expect([...activityOf(document, run)]).toEqual([
    ["agent", "running"],
    ["second", "succeeded"],
  ]);
});
