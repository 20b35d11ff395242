// The package with the real module. Build it with `npm run wasm`.
import { expect, test } from "vitest";
import { demoModel } from "../src/models/demo.js";
import type { ScriptedTurn } from "../src/testing/index.js";
import * as core from "../src/wasm/core.js";
import { chatGraph } from "./support/chat-graph.js";
import { collect } from "./support/events.js";
import { mapStorage } from "./support/map-storage.js";
import { clock, open, useClock } from "./support/real-runtime.js";

const crash = (core as unknown as { __crash(how: string): void }).__crash;

test("the next turn's model gets the whole round before, tool calls included, in order", async () => {
  const { model, graph } = await open([useClock, "It is noon, Ada.", "You are Ada."]);
  const first = await graph.invoke({ text: "I am Ada. What time is it?", thread: "t" });
  expect(first).toMatchObject({ status: "succeeded", text: "It is noon, Ada.", thread: "t" });
  await graph.invoke({ text: "Who am I?", thread: "t" });
  const shape = model.requests[2]?.messages.map(
    ({ role, parts }) => `${role}: ${parts.map(({ type }) => type).join()}`,
  );
  expect(shape).toEqual([
    "system: text",
    "user: text",
    "assistant: tool_call",
    "tool: tool_result",
    "assistant: text",
    "user: text",
  ]);
  expect(model.requests[2]?.messages[2]?.parts[0]).toMatchObject({ args: { zone: "CET" } });
  expect(model.requests[0]?.tools).toEqual([
    { name: "clock", description: "Tells the time", parameters: clock.parameters },
  ]);
});

test("threads, namespaces and graphs of other ids see nothing of it", async () => {
  const storage = mapStorage();
  const { model, graph, runtime } = await open(["a", "b", "c"], { storage });
  await graph.invoke({ text: "secret", thread: "a" });
  await graph.invoke({ text: "hello", thread: "ab" });
  await (await runtime.load(chatGraph("__proto__"))).invoke({ text: "hello", thread: "a" });
  const other = await open(["d"], { storage, namespace: "other" });
  await other.graph.invoke({ text: "hello", thread: "a" });
  for (const { messages } of [...model.requests.slice(1), ...other.model.requests]) {
    expect(JSON.stringify(messages)).not.toContain("secret");
  }
});

test("events come in order, with exactly one terminal event", async () => {
  const { graph } = await open([
    useClock,
    ["It ", "is ", "noon."].map((text) => ({ type: "text", text })),
  ]);
  const events = await collect(graph.run({ text: "Time?", thread: "t" }));
  const seqs = events.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("run_"))).toEqual(["run_started", "run_finished"]);
  expect(types).toEqual(
    expect.arrayContaining([
      "memory_read",
      "tool_call",
      "tool_result",
      "token",
      "memory_written",
      "reply_done",
    ]),
  );
  const aboutMemory = events.filter(({ type }) => type.startsWith("memory_"));
  expect(JSON.stringify(aboutMemory)).not.toContain("noon");
  for (const { node, data } of aboutMemory) {
    expect({ node, data }).toMatchObject({ node: "agent", data: { memory: "memory" } });
  }
});

test("a problem of a document is told with its node and a hint", async () => {
  const { runtime } = await open([]);
  const document = chatGraph() as { edges: object[] };
  document.edges.splice(2, 1);
  const { ok, problems } = await runtime.check(document);
  expect(ok).toBe(false);
  expect(problems).toContainEqual(
    expect.objectContaining({ code: "E_REQUIRED_PORT", node: "agent", port: "llm" }),
  );
  await expect(runtime.load("{")).rejects.toMatchObject({ name: "GraphError", code: "E_JSON" });
  await expect(runtime.load(chatGraph())).resolves.toMatchObject({ id: "chat", problems: [] });
});

test.each<[string, ScriptedTurn, string]>([
  ["throws", new Error("boom"), "E_LLM"],
  ["answers nothing", (() => undefined) as unknown as ScriptedTurn, "E_LLM_RESPONSE"],
  ["answers a number", (() => 5) as unknown as ScriptedTurn, "E_LLM_RESPONSE"],
  [
    "throws in its stream",
    async function* () {
      yield "half";
      throw new Error("boom");
    },
    "E_LLM",
  ],
])("a model that %s fails the run, and the next run works", async (_name, turn, code) => {
  const { graph } = await open([turn, "fine"]);
  const failed = await graph.run({ text: "x", thread: "t" }).result;
  expect(failed).toMatchObject({ status: "failed", error: { code, node: "agent" } });
  expect((await graph.invoke({ text: "again", thread: "t" })).text).toBe("fine");
});

test("wrong arguments and a failing tool are told to the model, not to the page", async () => {
  const wrong: ScriptedTurn = { tool_calls: [{ call_id: "c1", name: "clock", args: { zone: 5 } }] };
  const { model, graph } = await open([wrong, "Sorry."]);
  expect((await graph.invoke({ text: "x", thread: "t" })).text).toBe("Sorry.");
  expect(model.requests[1]?.messages.at(-1)?.parts[0]).toMatchObject({
    type: "tool_result",
    is_error: true,
  });
});

test("cancelling in mid-stream keeps the answer so far, and the thread goes on", async () => {
  const controller = new AbortController();
  const { graph, runtime, model } = await open([
    async function* () {
      yield "Half an";
      await new Promise(() => {});
    },
    "fine",
  ]);
  const run = graph.run({ text: "x", thread: "t", signal: controller.signal });
  for await (const { type } of run) if (type === "token") controller.abort();
  expect((await run.result).status).toBe("cancelled");
  const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
  expect(messages.map(({ role, status }) => [role, status])).toEqual([
    ["user", "aborted"],
    ["assistant", "aborted"],
  ]);
  await graph.invoke({ text: "again", thread: "t" });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Half an");
});

test("clearing state empties the next prompt; the transcript stays", async () => {
  const { graph, runtime, model } = await open(["one", "two"]);
  await graph.invoke({ text: "secret", thread: "t" });
  expect(await runtime.state.nodes(graph)).toEqual([
    expect.objectContaining({
      node: "memory",
      type: "buffer_memory",
      kind: "messages",
      scope: "thread",
    }),
  ]);
  expect((await runtime.state.clear({ graph, node: "memory", thread: "t" })).messages).toBe(2);
  await graph.invoke({ text: "hello", thread: "t" });
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("secret");
  expect(await runtime.threads.transcript("t")).toHaveLength(2);
});

test("what is truncated is given back, and missing in the next prompt", async () => {
  const { graph, runtime, model } = await open(["one", "two", "three", "four"]);
  for (const text of ["first", "secret", "third"]) await graph.invoke({ text, thread: "t" });
  const place = { graph, node: "memory", thread: "t" };
  const seen = await runtime.state.inspect(place);
  const messages = seen.messages.map(({ in_view, ...message }) => message);
  const [first = "", second = ""] = new Set(messages.map(({ round }) => round));
  const changes: unknown[] = [];
  runtime.subscribe({ thread: "t" }, ({ what }) => changes.push(what));
  const deleted = await runtime.messages.deleteRound({ ...place, round: second });
  expect(deleted.removed).toEqual(messages.slice(2, 4));
  const truncated = await runtime.messages.truncateAfter({ ...place, round: first });
  expect(truncated).toMatchObject({ removed: messages.slice(4), left: 2 });
  expect(changes).toEqual(["memory", "memory"]);
  await expect(runtime.messages.truncateAfter({ ...place, round: second })).rejects.toMatchObject({
    code: "E_BAD_ID",
  });
  await graph.invoke({ text: "hello", thread: "t" });
  const prompt = JSON.stringify(model.requests[3]?.messages);
  expect(prompt).toContain("first");
  expect(prompt).not.toMatch(/secret|third/);
});

test("an edit waits for the run that goes on, and closing ends the waiting", async () => {
  const controller = new AbortController();
  const { graph, runtime } = await open([
    "one",
    async function* () {
      yield "Half";
      await new Promise(() => {});
    },
  ]);
  await graph.invoke({ text: "first", thread: "t" });
  const place = { graph, node: "memory", thread: "t" };
  const round = (await runtime.state.inspect(place)).messages[0]?.round ?? "";
  const run = graph.run({ text: "second", thread: "t", signal: controller.signal });
  let edited: ReturnType<typeof runtime.messages.truncateAfter> | undefined;
  for await (const { type } of run) {
    if (type !== "token") continue;
    edited = runtime.messages.truncateAfter({ ...place, round });
    controller.abort();
  }
  // The round that was cut off had been stored by then.
  expect((await edited)?.removed.map(({ status }) => status)).toEqual(["aborted", "aborted"]);
  expect((await run.result).warnings).toEqual([]);
  await runtime.close();
  await expect(runtime.messages.truncateAfter({ ...place, round })).rejects.toMatchObject({
    code: "E_CLOSED",
  });
});

test("conversations are listed, renamed, deleted, and belong to one actor", async () => {
  const { graph, runtime } = await open(["one"]);
  const { id } = await runtime.threads.create({ title: "Mine", actor: "ada" });
  expect((await runtime.threads.rename(id, "Yours")).title).toBe("Yours");
  const stranger = await graph.run({ text: "x", thread: id, actor: "bob" }).result;
  expect(stranger.error?.code).toBe("E_THREAD_ACTOR");
  expect((await runtime.threads.list({ actor: "ada" })).map((thread) => thread.id)).toEqual([id]);
  expect(await runtime.threads.delete(id)).toBe(true);
  expect(await runtime.threads.get(id)).toBeUndefined();
});

test("a tool may run the graph, clear its state and close the runtime", async () => {
  const seen: unknown[] = [];
  let inner: () => Promise<unknown> = async () => {};
  const tools = { clock: { ...clock, execute: () => inner() } };
  const { graph, runtime } = await open([useClock, "inner", "never"], { tools });
  inner = async () => {
    seen.push((await graph.invoke({ text: "inside", thread: "other" })).text);
    seen.push((await runtime.state.clear({ graph, node: "memory", thread: "other" })).messages);
    await runtime.close();
    seen.push("closed");
  };
  const run = graph.run({ text: "x", thread: "t" });
  expect((await run.result).status).toBe("cancelled");
  await expect.poll(() => seen).toEqual(["inner", 2, "closed"]);
});

test.each(["panic", "overflow"])(
  "after a crash (%s) the next call works on the same storage",
  async (how) => {
    const storage = mapStorage();
    const { graph, runtime, model } = await open(
      ["stored", () => new Promise<string>(() => {}), "You said secret."],
      { storage },
    );
    await graph.invoke({ text: "secret", thread: "t" });
    const run = graph.run({ text: "x", thread: "t" });
    // The call itself begins only after its journal row is stored, thus later than any event before it.
    await expect.poll(() => model.requests.length).toBe(2);
    const crashed = new Promise((resolve) => runtime.on("crashed", resolve));
    expect(() => crash(how)).toThrow();
    // A trap in a task reaches the page as an uncaught error; here the test stands in for it.
    (process as NodeJS.EventEmitter).emit(
      "uncaughtExceptionMonitor",
      new WebAssembly.RuntimeError("unreachable"),
    );
    await crashed;
    expect(await run.result).toMatchObject({
      status: "failed",
      error: { code: "E_RUNTIME_CRASHED" },
    });
    const after = await graph.invoke({ text: "What did I say?", thread: "t" });
    expect(after.text).toBe("You said secret.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("secret");
  },
);

test("the demo model remembers from the history and uses the tool it is given", async () => {
  const { graph } = await open([], { models: { default: demoModel({ delayMs: 0 }) } });
  await graph.invoke({ text: "My name is Ada.", thread: "t" });
  expect((await graph.invoke({ text: "What is my name?", thread: "t" })).text).toContain("Ada");
  expect((await graph.invoke({ text: "What is my name?", thread: "u" })).text).toContain(
    "not told me",
  );
  const timed = await graph.invoke({ text: "What time is it?", thread: "t" });
  expect(timed.text).toContain("12:00");
  expect(timed.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

test("text crosses whole: emoji stay, lone surrogates become U+FFFD", async () => {
  const { graph, model } = await open(["😀 ok"]);
  const { text } = await graph.invoke({ text: "a😀\ud800b", thread: "😀%__proto__" });
  expect(text).toBe("😀 ok");
  expect(JSON.stringify(model.requests[0]?.messages.at(-1)?.parts)).toContain("a😀\ufffdb");
});
