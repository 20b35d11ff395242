// Values that a page puts into the nodes of a thread.
import { expect, test } from "vitest";
import { open } from "./support/real-runtime.js";

const document = {
  format: "mnemograph",
  format_version: 1,
  id: "kept",
  nodes: [
    { id: "start", type: "chat_trigger" },
    { id: "agent", type: "ai_agent" },
    { id: "llm", type: "llm_model" },
    { id: "memory", type: "buffer_memory" },
    {
      id: "notes",
      type: "agent_memory",
      settings: { initial: { a: 1 }, max_keys: 2, max_value_chars: 20 },
    },
    { id: "passing", type: "agent_memory", settings: { scope: "session" } },
    {
      id: "age",
      type: "var",
      settings: { name: "age", type: "integer", scope: "thread", default: 7 },
    },
    { id: "answer", type: "reply", settings: { text: "{{ nodes.age.output }}" } },
  ],
  edges: [
    { type: "run", from: "start.out", to: "agent.in" },
    { type: "run", from: "agent.out", to: "answer.in" },
    { type: "link_llm", from: "llm.llm", to: "agent.llm" },
    { type: "link_memory", from: "memory.memory", to: "agent.memory" },
    { type: "link_extension", from: "notes.extension", to: "agent.extension" },
    { type: "link_extension", from: "passing.extension", to: "agent.extension" },
  ],
};

async function opened() {
  const { runtime, model } = await open(["ok", "ok"]);
  const graph = await runtime.load(document);
  const at = (node: string) => ({ graph, node, thread: "t" });
  return { runtime, model, graph, at };
}

test("a variable that is set is stored in its type and read by the next run", async () => {
  const { runtime, graph, at } = await opened();
  const told: string[] = [];
  runtime.subscribe({ thread: "t" }, ({ what }) => told.push(what));
  expect(await runtime.state.inspect(at("age"))).toMatchObject({
    kind: "variable",
    value: 7,
    value_type: "integer",
    count: 0,
  });
  await runtime.state.set(at("age"), " 41 ");
  expect(await runtime.state.inspect(at("age"))).toMatchObject({ value: 41, count: 1 });
  expect(told).toEqual(["memory"]);
  expect((await graph.invoke({ text: "How old?", thread: "t" })).text).toBe("41");
});

test("a dictionary that is set is what the agent is shown", async () => {
  const { runtime, model, graph, at } = await opened();
  await runtime.state.set(at("notes"), { colour: "green", __proto__x: [1] });
  expect(await runtime.state.inspect(at("notes"))).toMatchObject({
    kind: "dictionary",
    dictionary: { colour: "green", __proto__x: [1] },
  });
  await graph.invoke({ text: "Hi", thread: "t" });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('\\"colour\\": \\"green\\"');
});

test.each<[string, string, unknown, string]>([
  ["text for a number", "age", "old", "E_COERCE"],
  ["a list for a dictionary", "notes", [1], "E_COERCE"],
  ["a function", "notes", () => 1, "E_COERCE"],
  ["a circle", "notes", circle(), "E_COERCE"],
  ["too many keys", "notes", { a: 1, b: 2, c: 3 }, "E_MEMORY_WRITE"],
  ["too long a value", "notes", { a: "x".repeat(30) }, "E_MEMORY_WRITE"],
  ["an empty key", "notes", { "": 1 }, "E_MEMORY_WRITE"],
  ["a memory of messages", "memory", {}, "E_NOT_FOUND"],
  ["a dictionary of one run", "passing", {}, "E_NOT_FOUND"],
  ["no such node", "nobody", 1, "E_NOT_FOUND"],
])("%s is refused and changes nothing", async (_name, node, value, code) => {
  const { runtime, at } = await opened();
  await runtime.state.set(at("age"), 5);
  await runtime.state.set(at("notes"), { b: 2 });
  await expect(runtime.state.set(at(node), value)).rejects.toMatchObject({ code });
  expect(await runtime.state.inspect(at("age"))).toMatchObject({ value: 5 });
  expect(await runtime.state.inspect(at("notes"))).toMatchObject({ dictionary: { b: 2 } });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
