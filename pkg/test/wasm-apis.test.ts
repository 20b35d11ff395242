// What a runtime offers beside runs, with the real module. Build it with `npm run wasm`.
import { expect, test } from "vitest";
import type { Change, Message, StorageAdapter } from "../src/index.js";
import { chatGraph } from "./support/chat-graph.js";
import { mapStorage } from "./support/map-storage.js";
import { open } from "./support/real-runtime.js";

const message = (id: string, role: Message["role"], parts: Message["parts"]): Message => ({
  v: 1,
  id,
  role,
  status: "complete",
  created_at: 0,
  parts,
});
const said = (id: string, role: Message["role"]): Message =>
  message(id, role, [{ type: "text", text: id }]);
const ids = (messages: Message[]): string[] => messages.map(({ id }) => id);

test("a view is what a model would be sent, by the policy that is asked for", async () => {
  const { runtime } = await open([]);
  const stored = ["u1", "a1", "u2", "a2"].map((id) =>
    said(id, id.startsWith("u") ? "user" : "assistant"),
  );
  expect(ids((await runtime.memory.view(stored)).messages)).toEqual(["u1", "a1", "u2", "a2"]);
  const view = await runtime.memory.view(stored, { type: "window", size: 2 });
  expect([ids(view.messages), view.in_view, view.warnings]).toEqual([
    ["u2", "a2"],
    ["a2", "u2"],
    [],
  ]);
});

test("reasoning is kept for the model that it came from alone", async () => {
  const { runtime } = await open([]);
  const model = { provider: "p", id: "m" };
  const thought = message("a1", "assistant", [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "yes" },
  ]);
  const stored: Message[] = [said("u1", "user"), { ...thought, model }];
  const kinds = async (target: typeof model): Promise<string[] | undefined> => {
    const { messages } = await runtime.memory.view(stored, { type: "buffer" }, { target });
    return messages[1]?.parts.map(({ type }) => type);
  };
  expect(await kinds(model)).toEqual(["reasoning", "text"]);
  expect(await kinds({ provider: "p", id: "other" })).toEqual(["text"]);
});

test("repair gives every call its result, and what it gives stays as it is", async () => {
  const { runtime } = await open([]);
  const call = message("a1", "assistant", [
    { type: "tool_call", call_id: "c", name: "clock", args: {} },
  ]);
  const { messages } = await runtime.memory.repair([said("u1", "user"), call, said("u2", "user")]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(messages[2]?.parts[0]).toMatchObject({ type: "tool_result", call_id: "c" });
  expect((await runtime.memory.repair(messages)).messages).toEqual(messages);
});

test.each<[string, unknown]>([
  ["text", "hello"],
  ["a message without parts", [{ id: "x" }]],
  ["a BigInt", [1n]],
  ["nothing", undefined],
])("%s is no list of messages", async (_name, messages) => {
  const { runtime } = await open([]);
  const refused = { name: "MnemographError", code: "E_COERCE" };
  await expect(runtime.memory.view(messages as Message[])).rejects.toMatchObject(refused);
  await expect(runtime.memory.repair(messages as Message[])).rejects.toMatchObject(refused);
});

test("the health of a storage says what it is and keeps the id of its life", async () => {
  const volatile_ = await (await open([])).runtime.storage.health();
  expect(volatile_).toMatchObject({
    backend: "memory",
    persistence: "volatile",
    quota_errors: 0,
    recovery_journal: false,
  });
  const storage = mapStorage();
  const first = await (await open([], { storage })).runtime.storage.health();
  const second = await (await open([], { storage })).runtime.storage.health();
  expect(first).toMatchObject({ backend: "custom", persistence: "unknown" });
  expect(second.generation).toBe(first.generation);
  const other = await (await open([], { storage: mapStorage() })).runtime.storage.health();
  expect(new Set([volatile_, first, other].map(({ generation }) => generation)).size).toBe(3);
});

test("writes that find no room are counted", async () => {
  const storage = mapStorage();
  const full = Object.assign(new Error("full"), {
    name: "QuotaExceededError",
    code: "E_STORE_QUOTA",
  });
  let isFull = false;
  const adapter: StorageAdapter = {
    scan: storage.scan,
    commit: (batch) => (isFull ? Promise.reject(full) : storage.commit(batch)),
  };
  const { runtime, graph } = await open(["hello"], { storage: adapter });
  isFull = true;
  await graph.run({ text: "x", thread: "t" }).result;
  isFull = false;
  expect((await runtime.storage.health()).quota_errors).toBeGreaterThan(0);
});

test("an unloaded graph refuses what begins later; what runs goes on; its state stays", async () => {
  let answer: (text: string) => void = () => {};
  const { runtime, graph, model } = await open([
    () => new Promise<string>((resolve) => (answer = resolve)),
    "again",
  ]);
  const run = graph.run({ text: "x", thread: "t" });
  await expect.poll(() => model.requests.length).toBe(1);
  await runtime.unload(graph);
  await runtime.unload(graph);
  answer("done");
  expect(await run.result).toMatchObject({ status: "succeeded", text: "done" });
  const refused = { code: "E_CLOSED", message: expect.stringContaining("unloaded") };
  await expect(graph.invoke({ text: "x", thread: "t" })).rejects.toMatchObject(refused);
  await expect(runtime.state.nodes(graph)).rejects.toMatchObject(refused);
  const loaded = await runtime.load(chatGraph());
  const { count } = await runtime.state.inspect({ graph: loaded, node: "memory", thread: "t" });
  expect(count).toBe(2);
});

test("a change is told here and to other runtimes on the same state, once each", async () => {
  const storage = mapStorage();
  const here = await open(["hello", "bye"], { storage, database: "shared" });
  const there = await open([], { storage, database: "shared" });
  const foreign = await open([], { storage, database: "shared", namespace: "other" });
  const heard: Record<"here" | "there" | "one" | "foreign", Change[]> = {
    here: [],
    there: [],
    one: [],
    foreign: [],
  };
  here.runtime.subscribe({}, (change) => heard.here.push(change));
  there.runtime.subscribe({}, (change) => heard.there.push(change));
  there.runtime.subscribe({ thread: "u" }, (change) => heard.one.push(change));
  foreign.runtime.subscribe({}, (change) => heard.foreign.push(change));

  await here.graph.invoke({ text: "secret", thread: "t" });
  await here.graph.invoke({ text: "without a thread" });
  await here.runtime.state.clear({ graph: here.graph, node: "memory", thread: "t" });
  await here.runtime.threads.create({ id: "u" });
  await here.runtime.threads.rename("u", "Mine");
  await here.runtime.threads.delete("u");
  await here.runtime.threads.delete("u");
  await expect.poll(() => heard.there.length).toBe(7);

  const told = (changes: Change[]) => changes.map(({ thread_id, what }) => [thread_id, what]);
  expect(told(heard.there)).toEqual([
    ["t", "transcript"],
    ["t", "memory"],
    ["t", "transcript"],
    ["t", "memory"],
    ["u", "thread"],
    ["u", "thread"],
    ["u", "all"],
  ]);
  expect(told(heard.here)).toEqual(told(heard.there));
  expect(told(heard.one)).toEqual(told(heard.there).slice(4));
  expect(heard.foreign).toEqual([]);
  expect([...new Set(heard.here.map(({ elsewhere }) => elsewhere))]).toEqual([false]);
  expect([...new Set(heard.there.map(({ elsewhere }) => elsewhere))]).toEqual([true]);
  const revisions = heard.there.map(({ revision }) => revision);
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("a subscription ends when it is asked to, and with its runtime", async () => {
  const { runtime } = await open([]);
  const heard: string[] = [];
  const stop = runtime.subscribe({}, () => heard.push("first"));
  runtime.subscribe({}, () => heard.push("second"));
  await runtime.threads.create({});
  stop();
  await runtime.threads.create({});
  await runtime.close();
  await expect(runtime.threads.create({})).rejects.toMatchObject({ code: "E_CLOSED" });
  await expect(runtime.memory.repair([])).rejects.toMatchObject({ code: "E_CLOSED" });
  expect(heard).toEqual(["first", "second", "second"]);
});
