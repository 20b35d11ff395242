// What is forgotten is found through nothing.
import { expect, test } from "vitest";
import type { Graph, Runtime } from "../src/index.js";
import { mapStorage } from "./support/map-storage.js";
import { open } from "./support/real-runtime.js";

const CANARY = "canary-5f2c";

/** A storage with three conversations of two persons, each of which says the canary. */
async function filled() {
  const storage = mapStorage();
  const { runtime, graph } = await open(["a", "b", "c", "d"], { storage });
  const graphs = await runtime.load(notebook());
  for (const [thread, actor] of [
    ["one", "ada"],
    ["two", "ada"],
    ["three", "bob"],
  ] as const) {
    await graph.invoke({ text: `${CANARY} ${thread}`, thread, actor });
  }
  await graphs.invoke({ text: `${CANARY} again`, thread: "one", actor: "ada" });
  return { storage, runtime, graph };
}

/** A thread variable that keeps what is said. */
function notebook(): object {
  return {
    format: "mnemograph",
    format_version: 1,
    id: "notebook",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "said", type: "var", settings: { name: "said", scope: "thread" } },
      { id: "keep", type: "var_set", settings: { input: "{{ trigger.text }}" } },
      { id: "answer", type: "reply", settings: { text: "kept" } },
    ],
    edges: [
      { type: "run", from: "start.out", to: "keep.in" },
      { type: "run", from: "keep.out", to: "answer.in" },
      { type: "link_var", from: "said.ref", to: "keep.var" },
    ],
  };
}

async function threadsOf(runtime: Runtime): Promise<string[]> {
  return (await runtime.threads.list()).map(({ id }) => id).sort();
}

const held = async (runtime: Runtime, graph: Graph, thread: string): Promise<number> =>
  (await runtime.state.inspect({ graph, node: "memory", thread })).count;

test("a conversation is forgotten with all that was kept of it, and the others stay", async () => {
  const { storage, runtime, graph } = await filled();
  expect(await runtime.forget({ thread: "one" })).toEqual({ threads: 1, messages: 2 });
  expect(await threadsOf(runtime)).toEqual(["three", "two"]);
  expect([await held(runtime, graph, "one"), await held(runtime, graph, "two")]).toEqual([0, 2]);
  const left = JSON.stringify(storage.dump());
  expect(left).not.toContain(`${CANARY} one`);
  expect(left).not.toContain(`${CANARY} again`);
  expect(left).toContain(`${CANARY} two`);
  expect(await runtime.forget({ thread: "one" })).toEqual({ threads: 0, messages: 0 });
});

test("all of a person is forgotten, and nothing of another", async () => {
  const { storage, runtime } = await filled();
  expect(await runtime.forget({ actor: "ada" })).toEqual({ threads: 2, messages: 4 });
  expect(await threadsOf(runtime)).toEqual(["three"]);
  const left = JSON.stringify(storage.dump());
  expect(left.split(CANARY).length - 1).toBeGreaterThan(0);
  expect(left).not.toContain(`${CANARY} one`);
});

test("all of a namespace is forgotten, and nothing of another one on the same storage", async () => {
  const { storage, runtime } = await filled();
  const other = await open(["x"], { storage, namespace: "other" });
  await other.graph.invoke({ text: "theirs", thread: "one" });
  expect(await runtime.forget({ namespace: true })).toEqual({ threads: 3, messages: 6 });
  expect(JSON.stringify(storage.dump())).not.toContain(CANARY);
  expect(await threadsOf(other.runtime)).toEqual(["one"]);
  expect(await held(other.runtime, other.graph, "one")).toBe(2);
});

test("a run that goes on while it is forgotten stores nothing, and its answer is given", async () => {
  const storage = mapStorage();
  let answer = (_text: string): void => {};
  const slow = () => new Promise<string>((resolve) => (answer = resolve));
  const { runtime, graph } = await open([], { storage, models: { default: slow } });
  const run = graph.run({ text: CANARY, thread: "t" });
  for await (const event of run) {
    if (event.type !== "node_started" || event.node !== "agent") continue;
    await expect.poll(() => answer.length).toBe(1);
    await runtime.forget({ thread: "t" });
    answer("late");
  }
  expect((await run.result).text).toBe("late");
  expect(JSON.stringify(storage.dump())).not.toContain(CANARY);
});

test.each([[{}], [undefined], [{ namespace: false }]])(
  "%j does not say what is to be forgotten",
  async (what) => {
    const { runtime } = await open([]);
    await expect(runtime.forget(what as never)).rejects.toMatchObject({ code: "E_SCHEMA" });
  },
);
