import { expect, test } from "vitest";
import type { CallKind } from "../src/handle.js";
import { CallRegister } from "../src/host.js";
import { type ChatModel, MnemographError, type Tool } from "../src/index.js";
import { MAX_TEXT } from "../src/json.js";
import { prepareTools } from "../src/schema.js";
import { settle } from "./support/events.js";

interface Said {
  call_id: number;
  kind: string;
  payload: unknown;
}

function hostWith(
  model: unknown,
  tool?: unknown,
  parameters: Tool["parameters"] = { type: "object" },
) {
  const said: Said[] = [];
  const execute = (tool ?? (() => null)) as Tool["execute"];
  const calls = new CallRegister({
    models: new Map([["default", model as ChatModel]]),
    tools: prepareTools({ act: { description: "", parameters, execute } }),
    now: () => 0,
    id: () => "id",
    deliver: (_run, call_id, kind, payload) =>
      void said.push({ call_id, kind, payload: JSON.parse(payload) }),
    events: () => {},
    finished: () => {},
    abortReason: (_run, words) => new Error(words),
  });
  let next = 0;
  const call = (
    kind: CallKind,
    payload: object,
    name = kind === "model" ? "default" : "act",
  ): number => {
    next += 1;
    calls.host.call("r", next, kind, name, JSON.stringify(payload));
    return next;
  };
  const ask = () =>
    call("model", {
      request: { messages: [], tools: [], params: {} },
      purpose: "agent",
      node: "n",
    });
  const act = (args: unknown) => call("tool", { args, call_id: "c", thread_id: "t", name: "act" });
  return { calls, said, ask, act, call };
}

async function answerOf(model: unknown): Promise<Said[]> {
  const { calls, said, ask } = hostWith(model);
  ask();
  await until(() => calls.counts.open === 0);
  return said;
}

async function resultOf(tool: unknown, args: unknown = {}): Promise<Said | undefined> {
  const { calls, said, act } = hostWith(undefined, tool);
  act(args);
  await until(() => calls.counts.open === 0);
  return said[0];
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 1 }).toBe(true);
}

const circular: Record<string, unknown> = {};
circular.self = circular;
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("no reading");
    },
    ownKeys: () => {
      throw new Error("no keys");
    },
    has: () => {
      throw new Error("no asking");
    },
    getPrototypeOf: () => {
      throw new Error("no parents");
    },
  },
);
let deep: unknown = 1;
for (let level = 0; level < 1_000; level += 1) deep = [deep];
// biome-ignore lint/suspicious/noThenProperty: thenables are what is tested
const withThen = (then: unknown): object => Object.fromEntries([["then", then]]);
const thenable = withThen((resolve: (value: string) => void) => resolve("hello"));
const twice = withThen((resolve: (value: string) => void, reject: (error: Error) => void) => {
  resolve("first");
  resolve("second");
  reject(new Error("third"));
});
const settlesAtOnce = (resolve?: unknown): void => {
  if (typeof resolve === "function") resolve("x");
};
function rejected(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}
async function* stream(...pieces: unknown[]) {
  yield* pieces;
}

test.each<[string, unknown, string]>([
  [
    "throws",
    () => {
      throw new Error("boom");
    },
    "E_LLM",
  ],
  [
    "throws a string",
    () => {
      throw "boom";
    },
    "E_LLM",
  ],
  [
    "throws nothing",
    () => {
      throw undefined;
    },
    "E_LLM",
  ],
  [
    "throws a proxy",
    () => {
      throw hostile;
    },
    "E_LLM",
  ],
  ["rejects with no Error", () => Promise.reject(42), "E_LLM"],
  ["undefined", () => undefined, "E_LLM_RESPONSE"],
  ["null", async () => null, "E_LLM_RESPONSE"],
  ["a number", () => 7, "E_LLM_RESPONSE"],
  ["a boolean", () => true, "E_LLM_RESPONSE"],
  ["a BigInt", () => 7n, "E_LLM_RESPONSE"],
  ["a symbol", () => Symbol("s"), "E_LLM_RESPONSE"],
  ["a function", () => () => "x", "E_LLM_RESPONSE"],
  ["a list", () => ["x"], "E_LLM_RESPONSE"],
  ["an empty object", () => ({}), "E_LLM_RESPONSE"],
  ["a date", () => new Date(0), "E_LLM_RESPONSE"],
  ["a map", () => new Map([["a", 1]]), "E_LLM_RESPONSE"],
  ["a circle", () => circular, "E_LLM_RESPONSE"],
  ["a proxy", () => hostile, "E_LLM"],
  ["a deep list", () => ({ text: "x", parts: deep }), "E_LLM_RESPONSE"],
  ["text that is no text", () => ({ text: 5 }), "E_LLM_RESPONSE"],
  ["parts that are none", () => ({ parts: "x" }), "E_LLM_RESPONSE"],
  ["a call without a name", () => ({ tool_calls: [{ args: {} }] }), "E_LLM_RESPONSE"],
  ["a fetch Response", () => new Response("x"), "E_LLM_RESPONSE"],
  ["100 MB of text", () => "x".repeat(100 * 1024 * 1024), "E_LLM_RESPONSE"],
  ["a stream of a number", () => stream(5), "E_LLM_RESPONSE"],
  ["a stream of undefined", () => stream(undefined), "E_LLM_RESPONSE"],
  ["a stream of an unknown type", () => stream({ type: "ping" }), "E_LLM_RESPONSE"],
  ["a stream of text without text", () => stream({ type: "text" }), "E_LLM_RESPONSE"],
  ["a stream of a call without an index", () => stream({ type: "tool_call" }), "E_LLM_RESPONSE"],
  ["a stream of hostile objects", () => stream(hostile), "E_LLM"],
  [
    "a stream without steps",
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => 3 }) }),
    "E_LLM_RESPONSE",
  ],
  [
    "a stream that throws",
    async function* () {
      yield "a";
      throw new Error("boom");
    },
    "E_LLM",
  ],
  [
    "an iterator that throws",
    () => ({
      [Symbol.asyncIterator]: () => {
        throw new Error("boom");
      },
    }),
    "E_LLM",
  ],
])("a model that gives %s ends in a typed error", async (_name, model, code) => {
  const said = await answerOf(model);
  expect(said.at(-1)).toMatchObject({
    kind: "error",
    payload: { code, message: expect.any(String) },
  });
  expect(said.filter(({ kind }) => kind !== "delta")).toHaveLength(1);
});

test.each<[string, unknown, unknown]>([
  ["text", () => "hello", "hello"],
  ["a promise of text", async () => "hello", "hello"],
  ["a thenable", () => thenable, "hello"],
  ["a thenable that settles twice", () => twice, "first"],
  ["half a character", () => "a\ud800", "a\ufffd"],
  ["a response with nulls and more", () => ({ text: "x", usage: null, extra: 1 }), { text: "x" }],
  [
    "a whole response",
    () => ({
      text: "x",
      tool_calls: [{ name: "t", args: { a: 1n } }],
      finish_reason: "eos",
      usage: { input: 1.4, output: -2 },
      model: { provider: "p", id: "m" },
    }),
    {
      text: "x",
      tool_calls: [{ name: "t", args: { a: 1 } }],
      finish_reason: "other",
      usage: { input: 1, output: 0 },
      model: { provider: "p", id: "m" },
    },
  ],
])("a model may give %s", async (_name, model, payload) => {
  expect(await answerOf(model)).toEqual([{ call_id: 1, kind: "done", payload }]);
});

test("a stream is delivered in order, a cut character whole, then `null`", async () => {
  const model = async () =>
    stream(
      "a",
      { type: "text", text: "b\ud83d" },
      { type: "text", text: "\ude00c" },
      { type: "tool_call", index: 0, name: "t", args: "{\ud83d" },
      { type: "tool_call", index: 0, args: "\ude00}" },
      "end\ud83d",
    );
  expect((await answerOf(model)).map(({ payload }) => payload)).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "b" },
    { type: "text", text: "😀c" },
    { type: "tool_call", index: 0, name: "t", args: "{" },
    { type: "tool_call", index: 0, args: "😀}" },
    { type: "text", text: "end" },
    { type: "text", text: "\ufffd" },
    null,
  ]);
});

test("a ReadableStream is read like an iterable", async () => {
  const model = () => new Response("x").body?.pipeThrough(new TextDecoderStream());
  expect((await answerOf(model)).map(({ payload }) => payload)).toEqual([
    { type: "text", text: "x" },
    null,
  ]);
});

test("a stream that never ends is cut at the limit and told to stop", async () => {
  let stopped = false;
  const big = "x".repeat(MAX_TEXT / 4);
  const said = await answerOf(async function* () {
    try {
      for (;;) yield big;
    } finally {
      stopped = true;
    }
  });
  expect(said.at(-1)).toMatchObject({ kind: "error", payload: { code: "E_LLM_RESPONSE" } });
  expect(stopped).toBe(true);
});

test("a model names its own failure", async () => {
  const said = await answerOf(() => {
    throw new MnemographError({
      code: "E_LLM_TIMEOUT",
      message: "slow",
      retryable: true,
      hint: "Wait.",
      details: { status: 429, retry_after_ms: 50 },
    });
  });
  expect(said[0]?.payload).toEqual({
    code: "E_LLM_TIMEOUT",
    message: "slow",
    retryable: true,
    hint: "Wait.",
    status: 429,
    retry_after_ms: 50,
  });
});

test.each<[string, unknown, string]>([
  [
    "throws",
    () => {
      throw new Error("boom");
    },
    "boom",
  ],
  ["rejects with a string", () => Promise.reject("boom"), "boom"],
  ["rejects with a proxy", () => Promise.reject(hostile), ""],
  ["a circle", () => circular, "refers to itself at /self"],
  ["a proxy", () => hostile, ""],
  ["a promise inside", () => ({ rows: Promise.resolve(1) }), "promise at /rows"],
  ["bytes", () => new Uint8Array(4), "bytes"],
  ["a fetch Response", () => new Response("x"), "Response"],
  ["an Error", () => new Error("boom"), "boom"],
  ["an Error inside", () => [new Error("boom")], "an Error at /0"],
  ["a stream", () => stream("x"), "stream"],
  ["a deep list", () => deep, "nested deeper"],
  ["a map with objects as keys", () => new Map([[{}, 1]]), "Map"],
  ["100 MB of text", () => "x".repeat(100 * 1024 * 1024), "larger than"],
  [
    "a toJSON that throws",
    () => ({
      toJSON: () => {
        throw new Error("no");
      },
    }),
    "throws when it is read",
  ],
])("a tool that gives %s ends in E_TOOL", async (_name, tool, message) => {
  expect(await resultOf(tool)).toMatchObject({
    kind: "error",
    payload: { code: "E_TOOL", message: expect.stringContaining(message) },
  });
});

test.each<[string, unknown, unknown]>([
  ["nothing", () => undefined, null],
  ["a promise", async () => ({ a: 1 }), { a: 1 }],
  ["a BigInt", () => [1n, 2n ** 70n], [1, "1180591620717411303424"]],
  ["a date", () => new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a map and a set", () => ({ m: new Map([["a", 1]]), s: new Set([1]) }), { m: { a: 1 }, s: [1] }],
  ["numbers that are none", () => [Number.NaN, Infinity, -0], [null, null, 0]],
  ["functions and undefined", () => ({ f: () => 1, u: undefined, a: [undefined] }), { a: [null] }],
  [
    "a key __proto__",
    () => JSON.parse('{"__proto__":{"x":1}}'),
    JSON.parse('{"__proto__":{"x":1}}'),
  ],
  [
    "content with is_error",
    () => ({ content: [{ type: "text", text: "x" }], is_error: true }),
    { content: [{ type: "text", text: "x" }], is_error: true },
  ],
])("a tool may give %s", async (_name, tool, payload) => {
  expect(await resultOf(tool)).toEqual({ call_id: 1, kind: "done", payload });
});

test("wrong arguments are told to the model, and the tool is not called", async () => {
  let called = 0;
  const parameters = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  };
  const { calls, said, act } = hostWith(
    undefined,
    () => {
      called += 1;
    },
    parameters,
  );
  for (const args of [{}, { city: 5 }, { city: "x", more: 1 }, [], "x", undefined, null]) act(args);
  await until(() => calls.counts.open === 0);
  expect(said).toHaveLength(7);
  for (const { kind, payload } of said) {
    expect(kind).toBe("done");
    expect(payload).toMatchObject({
      is_error: true,
      content: [{ type: "text", text: expect.stringContaining("arguments") }],
    });
  }
  expect(JSON.stringify(said[1]?.payload)).toContain("city");
  expect(called).toBe(0);
});

test("a schema that cannot be checked is the tool's fault, not a crash", async () => {
  const { calls, said, act } = hostWith(undefined, () => 1, { $ref: "#/nowhere" });
  act({});
  await until(() => calls.counts.open === 0);
  expect(said[0]).toMatchObject({
    kind: "error",
    payload: { code: "E_TOOL", hint: expect.any(String) },
  });
});

test("names that nobody registered", async () => {
  const { calls, said, call } = hostWith(() => "x");
  call("model", {}, "other");
  call("tool", {}, "other");
  await until(() => calls.counts.open === 0);
  expect(said.map(({ payload }) => (payload as { code: string }).code)).toEqual([
    "E_NO_MODEL",
    "E_TOOL",
  ]);
});

test("a call does not begin on the module's stack, and not at all if it is aborted before", async () => {
  let called = 0;
  const { calls, said, ask } = hostWith(() => {
    called += 1;
    return "x";
  });
  const id = ask();
  expect(called).toBe(0);
  calls.host.abort("r", id, "never mind");
  await settle();
  expect([called, said.length, calls.counts]).toEqual([0, 0, { started: 0, open: 0, late: 0 }]);
});

test("aborting tells the callback why, and what it gives later is dropped and counted", async () => {
  let finish: (text: string) => void = () => {};
  let reason: unknown;
  const { calls, said, ask } = hostWith(
    (_request: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    },
  );
  const id = ask();
  await settle();
  calls.host.abort("r", id, "timed out");
  expect(reason).toBeUndefined();
  await settle();
  expect(reason).toEqual(new Error("timed out"));
  finish("late");
  await settle();
  expect(said).toEqual([]);
  expect(calls.counts).toEqual({ started: 1, open: 0, late: 1 });
});

test("aborting returns the iterator, also one whose next never settles", async () => {
  let returned = 0;
  const { calls, ask } = hostWith(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: () => {
        returned += 1;
        return Promise.reject(new Error("no"));
      },
    }),
  }));
  const id = ask();
  await settle();
  calls.host.abort("r", id, "stop");
  await settle();
  expect(returned).toBe(1);
});

test("the end of a run aborts what it left open", async () => {
  let aborted = false;
  const { calls, ask } = hostWith((_request: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  ask();
  await settle();
  calls.host.finished("r", {} as never);
  await settle();
  expect(aborted).toBe(true);
  expect(calls.counts.open).toBe(0);
});

test("200 generated shapes end in exactly one delivery each", async () => {
  const leaves = [
    undefined,
    null,
    1,
    "x",
    5n,
    Symbol("s"),
    settlesAtOnce,
    new Date(Number.NaN),
    circular,
    hostile,
    new Uint8Array(1),
    new Map(),
  ];
  const wraps = [
    (x: unknown) => x,
    (x: unknown) => ({ text: x }),
    (x: unknown) => ({ parts: [x] }),
    (x: unknown) => ({ tool_calls: [x] }),
    (x: unknown) => [x],
    (x: unknown) => Promise.resolve(x),
    rejected,
    (x: unknown) => stream(x),
    withThen,
  ];
  const shapes = leaves
    .flatMap((leaf) => wraps.flatMap((wrap) => [() => wrap(leaf), () => wrap(wrap(leaf))]))
    .slice(0, 200);
  let current: () => unknown = () => null;
  const { calls, said, ask, act } = hostWith(
    () => current(),
    () => current(),
  );
  for (const shape of shapes) {
    current = shape;
    const ids = [ask(), act({})];
    await until(() => calls.counts.open === 0);
    for (const id of ids) {
      expect(said.filter(({ call_id, kind }) => call_id === id && kind !== "delta")).toHaveLength(
        1,
      );
    }
  }
  expect(shapes).toHaveLength(200);
});
