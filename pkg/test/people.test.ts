// Runs that wait for people: tools that have to be approved, questions, and what a thread does meanwhile.
import { expect, test } from "vitest";
import type { Interrupt, RunResult, Tool } from "../src/index.js";
import type { ScriptedTurn } from "../src/testing/index.js";
import { clock, open, useClock } from "./support/real-runtime.js";

function counted(approval: NonNullable<Tool["approval"]>): { tool: Tool; calls: unknown[] } {
  const calls: unknown[] = [];
  const execute: Tool["execute"] = (args) => {
    calls.push(args);
    return { time: "12:00" };
  };
  return { tool: { ...clock, approval, execute }, calls };
}

const useZone = (zone: string): ScriptedTurn => [
  { type: "tool_call", index: 0, call_id: "c2", name: "clock", args: JSON.stringify({ zone }) },
  { type: "finish", reason: "tool_calls" },
];

function question({ interrupts }: RunResult): Interrupt {
  const [first] = interrupts ?? [];
  if (first === undefined) throw new Error("nothing is asked");
  return first;
}

test("a tool with approval ask is called once a person agrees, and the call is shown before", async () => {
  const { tool, calls } = counted("ask");
  const { runtime, graph } = await open([useClock, "It is noon."], { tools: { clock: tool } });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const asked = question(waiting);
  expect(waiting.status).toBe("waiting");
  expect(asked).toMatchObject({ kind: "tool", call: { name: "clock", args: { zone: "CET" } } });
  expect(calls).toEqual([]);
  const run = await runtime.resume(waiting.run_id, { interrupt: asked.id, action: "approve" });
  expect(run.thread).toBe("t");
  expect(await run.result).toMatchObject({ status: "succeeded", text: "It is noon." });
  expect(calls).toEqual([{ zone: "CET" }]);
});

test("a tool that a person refuses, or whose approval is deny, is never called", async () => {
  const asking = counted("ask");
  const { runtime, graph } = await open([useClock, "No clock."], { tools: { clock: asking.tool } });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const { id, actions } = question(waiting);
  const action = actions.find((each) => each !== "approve") ?? "";
  const run = await runtime.resume(waiting.run_id, { interrupt: id, action });
  expect((await run.result).text).toBe("No clock.");
  const denied = counted("deny");
  const other = await open([useClock, "Never."], { tools: { clock: denied.tool } });
  expect(await other.graph.invoke({ text: "Time?", thread: "t" })).toMatchObject({
    status: "succeeded",
    text: "Never.",
  });
  expect([asking.calls, denied.calls]).toEqual([[], []]);
});

test("a function decides by the arguments: a call that it asks about waits for a person", async () => {
  const decided: unknown[] = [];
  const { tool, calls } = counted((args, { thread_id }) => {
    decided.push([args, thread_id]);
    return args.zone === "CET" ? "ask" : "auto";
  });
  const { runtime, graph } = await open([useClock, "Noon.", useZone("UTC"), "One."], {
    tools: { clock: tool },
  });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const asked = question(waiting);
  expect(asked).toMatchObject({ kind: "tool", call: { name: "clock", args: { zone: "CET" } } });
  expect(calls).toEqual([]);
  const run = await runtime.resume(waiting.run_id, { interrupt: asked.id, action: "approve" });
  expect(await run.result).toMatchObject({ status: "succeeded", text: "Noon." });
  expect(calls).toEqual([{ zone: "CET" }]);
  expect(await graph.invoke({ text: "And here?", thread: "t" })).toMatchObject({ text: "One." });
  expect(calls).toEqual([{ zone: "CET" }, { zone: "UTC" }]);
  expect(decided[0]).toEqual([{ zone: "CET" }, "t"]);
});

test("a function that says deny, throws or says something else lets no call be made", async () => {
  const approvals = [
    () => "deny",
    async () => {
      throw new Error("cannot tell");
    },
    () => true,
    () => undefined,
  ] as unknown as NonNullable<Tool["approval"]>[];
  for (const approval of approvals) {
    const { tool, calls } = counted(approval);
    const { graph, model } = await open([useClock, "No."], { tools: { clock: tool } });
    expect(await graph.invoke({ text: "Time?" })).toMatchObject({
      status: "succeeded",
      text: "No.",
    });
    const told = model.requests.at(-1)?.messages.at(-1)?.parts[0];
    expect(told).toMatchObject({ type: "tool_result", is_error: true });
    expect(calls).toEqual([]);
  }
});

test("what a function denies is denied although a person agreed", async () => {
  let says: "ask" | "deny" = "ask";
  const { tool, calls } = counted(() => says);
  const { runtime, graph } = await open([useClock, "No."], { tools: { clock: tool } });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  says = "deny";
  const answer = { interrupt: question(waiting).id, action: "approve" };
  const run = await runtime.resume(waiting.run_id, answer);
  expect(await run.result).toMatchObject({ status: "succeeded", text: "No." });
  expect(calls).toEqual([]);
});

test("an approval that is none of the three is told when the runtime is made", async () => {
  const tool = { ...clock, approval: "perhaps" } as unknown as Tool;
  await expect(open([], { tools: { clock: tool } })).rejects.toMatchObject({
    code: "E_SETTING",
    message: expect.stringContaining("approval"),
  });
});

test("a resumed run whose signal is aborted already does not begin, and waits on", async () => {
  const { tool, calls } = counted("ask");
  const { runtime, graph } = await open([useClock, "x"], { tools: { clock: tool } });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const answer = { interrupt: question(waiting).id, action: "approve" };
  const run = await runtime.resume(waiting.run_id, answer, { signal: AbortSignal.abort() });
  expect((await run.result).status).toBe("cancelled");
  expect(calls).toEqual([]);
  // Stopped before it began: the question is still open, and may be answered again.
  const again = await runtime.resume(waiting.run_id, answer);
  expect((await again.result).status).toBe("succeeded");
});

test("an edit is refused while a run waits, whose answer is then stored as a whole", async () => {
  const { tool } = counted("ask");
  const script = ["Hello.", useClock, "Noon."];
  const { runtime, graph } = await open(script, { tools: { clock: tool } });
  await graph.invoke({ text: "Hi", thread: "t" });
  const place = { graph, node: "memory", thread: "t" };
  const round = (await runtime.state.inspect(place)).messages[0]?.round ?? "";
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const edit = runtime.messages.deleteRound({ ...place, round });
  await expect(edit).rejects.toMatchObject({ code: "E_BUSY" });
  const answer = { interrupt: question(waiting).id, action: "approve" };
  expect(await (await runtime.resume(waiting.run_id, answer)).result).toMatchObject({
    status: "succeeded",
    warnings: [],
  });
  expect((await runtime.messages.deleteRound({ ...place, round })).left).toBe(4);
  const { messages } = await runtime.state.inspect(place);
  expect(messages.map(({ status }) => status)).toEqual(Array(4).fill("complete"));
});

test("a run that waits is given up, and the thread is free again", async () => {
  const { tool } = counted("ask");
  const { runtime, graph } = await open([useClock, "Hello."], { tools: { clock: tool } });
  const waiting = await graph.invoke({ text: "Time?", thread: "t" });
  const other = graph.run({ text: "Hi", thread: "t" }).result;
  await expect(other).rejects.toMatchObject({
    code: "E_BUSY",
    details: { run_id: waiting.run_id, interrupts: waiting.interrupts },
  });
  expect(await runtime.waiting({ thread: "elsewhere" })).toEqual([]);
  expect(await runtime.dropWaiting(waiting.run_id)).toBe(true);
  expect(await runtime.dropWaiting(waiting.run_id)).toBe(false);
  expect((await graph.invoke({ text: "Hi", thread: "t" })).text).toBe("Hello.");
});

test("a question is answered by text alone, also with a graph that has changed where that is wanted", async () => {
  const { runtime } = await open([]);
  const document = (text: string): object => ({
    format: "mnemograph",
    format_version: 1,
    id: "asks",
    nodes: [
      { id: "chat", type: "chat_trigger" },
      { id: "who", type: "ask_user", settings: { prompt: "Your name?" } },
      { id: "say", type: "reply", settings: { text } },
    ],
    edges: [
      { type: "run", from: "chat.out", to: "who.in" },
      { type: "run", from: "who.out", to: "say.in" },
    ],
  });
  const graph = await runtime.load(document("Hello {{ nodes.who.text }}"));
  const waiting = await graph.invoke({ text: "Hi", thread: "t" });
  expect(question(waiting)).toMatchObject({ kind: "question", prompt: "Your name?" });
  const answer = { interrupt: question(waiting).id, data: "Ada" };
  await runtime.load(document("Bye {{ nodes.who.text }}"));
  const refused = await runtime.resume(waiting.run_id, answer);
  await expect(refused.result).rejects.toMatchObject({ code: "E_GRAPH_CHANGED" });
  const run = await runtime.resume(waiting.run_id, { ...answer, allowChangedGraph: true });
  // What was asked belongs to what the run said.
  expect((await run.result).text).toBe("Your name?\nBye Ada");
});

test("ids that cannot be one are refused", async () => {
  const { runtime } = await open([]);
  const none = 5 as unknown as string;
  const bad = { code: "E_BAD_ID" };
  await expect(runtime.waiting({ thread: "" })).rejects.toMatchObject(bad);
  await expect(runtime.dropWaiting(none)).rejects.toMatchObject(bad);
  await expect(runtime.resume(none, { interrupt: "i" })).rejects.toMatchObject(bad);
});
