// Node types of the page: what may be registered, what a document may say, what they are given and may give.
import { expect, test } from "vitest";
import type { NodeType, RunEvent, StandardSchema } from "../src/index.js";
import { open } from "./support/real-runtime.js";

const weather: NodeType<{ unit: "C" | "F"; days: number }> = {
  ports: {
    inputs: { city: { type: "string", required: true } },
    outputs: { heat: "integer", city: "string" },
    exits: ["warm", "cold"],
  },
  settings: {
    type: "object",
    properties: { unit: { enum: ["C", "F"] }, days: { type: "integer", minimum: 1 } },
    required: ["unit"],
    additionalProperties: false,
  },
  execute({ settings, inputs }, { node, thread_id }) {
    const heat = settings.unit === "C" ? 31 : 88;
    return {
      outputs: { heat: heat + settings.days, city: `${inputs.city} ${node} ${thread_id}` },
      exit: heat > 15 ? "warm" : "cold",
    };
  },
};

function document(settings: object = { unit: "C", days: "{{ 1 + 1 }}" }, type = "weather"): object {
  return {
    format: "mnemograph",
    format_version: 1,
    id: "w",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "look", type, settings },
      {
        id: "warm",
        type: "reply",
        settings: { text: "{{ nodes.look.heat }} in {{ nodes.look.city }}" },
      },
      { id: "cold", type: "reply", settings: { text: "cold" } },
    ],
    edges: [
      { type: "run", from: "start.out", to: "look.in" },
      { type: "data", from: "start.text", to: "look.city" },
      { type: "run", from: "look.warm", to: "warm.in" },
      { type: "run", from: "look.cold", to: "cold.in" },
    ],
  };
}

async function runOf(node: NodeType, settings?: object) {
  const { runtime } = await open([], { nodes: { weather: node } });
  const graph = await runtime.load(document(settings));
  return graph.run({ text: "Rome", thread: "t", record: true }).result;
}

test("a node of the page runs with its settings and inputs, and control leaves by its exit", async () => {
  const result = await runOf(weather);
  expect(result.error).toBeUndefined();
  expect(result.text).toBe("33 in Rome look t");
});

test("a recorded run replays without calling it", async () => {
  let calls = 0;
  const counted: NodeType = {
    ...(weather as NodeType),
    execute: (call, context) => {
      calls += 1;
      return (weather as NodeType).execute(call, context);
    },
  };
  const { runtime } = await open([], { nodes: { weather: counted } });
  const graph = await runtime.load(document());
  const events: RunEvent[] = [];
  const run = graph.run({ text: "Rome", record: true });
  for await (const event of run) events.push(event);
  const { recording } = await run.result;
  expect(await graph.replay(recording)).toEqual(events);
  expect(calls).toBe(1);
});

test.each<[string, object, string, RegExp]>([
  ["a wrong word", { unit: "K" }, "/nodes/1/settings/unit", /"look"/],
  ["a wrong number", { unit: "C", days: 0 }, "/nodes/1/settings/days", /minimum|less/],
  ["a missing setting", {}, "/nodes/1/settings", /unit/],
  ["a missing setting beside a template", { days: "{{ 1 }}" }, "/nodes/1/settings", /unit/],
  ["an unknown setting", { unit: "C", moon: "{{ 1 }}" }, "/nodes/1/settings", /moon|additional/i],
])("%s is a problem with its place", async (_name, settings, path, words) => {
  const { runtime } = await open([], { nodes: { weather } });
  const { ok, problems } = await runtime.check(document(settings));
  expect(ok).toBe(false);
  expect(problems[0]).toMatchObject({ code: "E_SETTING", severity: "error", node: "look", path });
  expect(problems[0]?.message).toMatch(words);
  await expect(runtime.load(document(settings))).rejects.toMatchObject({
    name: "GraphError",
    problems: [{ code: "E_SETTING", node: "look" }],
  });
});

test.each([
  { unit: "C" },
  { unit: "{{ trigger.text }}" },
  { unit: "C", days: "{{ 3 }}", "x-ui": 1 },
])("%j may fit, and loads", async (settings) => {
  const { runtime } = await open([], { nodes: { weather } });
  expect(await runtime.check(document(settings))).toMatchObject({ ok: true, problems: [] });
});

test("settings in a sub-graph are checked in their place", async () => {
  const { runtime } = await open([], { nodes: { weather } });
  const inner = {
    nodes: [
      { id: "in", type: "graph_input" },
      { id: "look", type: "weather", settings: { unit: "K" } },
      { id: "city", type: "text", settings: { template: "Rome" } },
    ],
    edges: [
      { type: "run", from: "in.out", to: "look.in" },
      { type: "data", from: "city.output", to: "look.city" },
    ],
  };
  const outer = {
    format: "mnemograph",
    format_version: 1,
    id: "o",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "sub", type: "subgraph", settings: { graph: "a/b" } },
      { id: "say", type: "reply", settings: { text: "done" } },
    ],
    edges: [
      { type: "run", from: "start.out", to: "sub.in" },
      { type: "run", from: "sub.out", to: "say.in" },
    ],
  };
  const key = "look_up";
  const nested = { ...outer, graphs: { [key]: inner } };
  nested.nodes[1] = { id: "sub", type: "subgraph", settings: { graph: key } };
  const { problems } = await runtime.check(nested);
  expect(problems[0]).toMatchObject({ graph: key, path: `/graphs/${key}/nodes/1/settings/unit` });
});

test("a template that gives what the schema does not allow ends the step with the reason", async () => {
  const result = await runOf(weather, { unit: "{{ trigger.text }}" });
  expect(result.error).toMatchObject({ code: "E_CALL", node: "look" });
  expect(result.error?.message).toMatch(/unit/);
});

test.each<[string, NodeType["execute"], RegExp]>([
  ["throws", () => Promise.reject(new Error("boom")), /boom/],
  ["gives a list", (() => [1]) as never, /no result/],
  ["gives values without outputs", (() => ({ heat: 1 })) as never, /no result/],
  [
    "gives a function inside of a promise's value",
    (() => ({ outputs: { heat: Promise.resolve(1) } })) as never,
    /promise/,
  ],
  ["gives an output that it does not declare", () => ({ outputs: { moon: 1 } }), /moon/],
  ["leaves by an exit that it does not have", () => ({ exit: "hot" }), /hot/],
  ["gives text for a whole number", () => ({ outputs: { heat: "31" } }), /integer/],
])("a node that %s ends in E_CALL", async (_name, execute, words) => {
  const result = await runOf({ ...(weather as NodeType), execute });
  expect(result.error).toMatchObject({ code: "E_CALL", node: "look" });
  expect(result.error?.message).toMatch(words);
});

test("a cancelled run aborts the node's signal", async () => {
  let aborted: unknown;
  const waits: NodeType = {
    ...(weather as NodeType),
    execute: (_call, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted = signal.reason;
          reject(signal.reason);
        });
      }),
  };
  const { runtime } = await open([], { nodes: { weather: waits } });
  const graph = await runtime.load(document());
  const controller = new AbortController();
  const run = graph.run({ text: "Rome", signal: controller.signal });
  for await (const event of run) {
    if (event.type === "node_started" && event.node === "look") controller.abort("enough");
  }
  expect((await run.result).status).toBe("cancelled");
  expect(aborted).toMatchObject({ name: "AbortError", message: "enough" });
});

test("a schema of a library checks and converts the settings", async () => {
  const standard: StandardSchema<{ unit: string }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({
        value: { unit: String((value as { unit: string }).unit).toUpperCase() },
      }),
      jsonSchema: { input: () => ({ type: "object", required: ["unit"] }) },
    },
  };
  const seen: unknown[] = [];
  const node: NodeType<{ unit: string }> = {
    ports: {
      exits: ["warm", "cold"],
      inputs: { city: "string" },
      outputs: { heat: "any", city: "any" },
    },
    settings: standard,
    execute: ({ settings }) => {
      seen.push(settings);
    },
  };
  expect((await runOf(node as NodeType, { unit: "c" })).status).toBe("failed");
  expect(seen).toEqual([{ unit: "C" }]);
});

test.each<[string, unknown, RegExp]>([
  ["no execute", {}, /execute/],
  ["a bad schema", { execute() {}, settings: 1 }, /settings/],
  ["an unknown type of port", { execute() {}, ports: { inputs: { a: "text" } } }, /"a"/],
  ["a port that every step has", { execute() {}, ports: { outputs: { status: "any" } } }, /status/],
  ["a port that is no name", { execute() {}, ports: { exits: ["a b"] } }, /"a b"/],
  ["an exit twice", { execute() {}, ports: { exits: ["a", "a"] } }, /"a"/],
  ["a time limit that is none", { execute() {}, timeoutMs: 0 }, /timeoutMs/],
])("a node type with %s is refused when the runtime is made", async (_name, node, words) => {
  await expect(open([], { nodes: { mine: node as NodeType } })).rejects.toMatchObject({
    code: "E_SETTING",
    message: expect.stringMatching(words),
  });
});

test("a built-in type cannot be replaced", async () => {
  await expect(open([], { nodes: { reply: { execute() {} } } })).rejects.toMatchObject({
    code: "E_SETTING",
    message: expect.stringContaining('"reply"'),
  });
});
