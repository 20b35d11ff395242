// What a model callback may give, and what becomes of the rest.
import { expect, test } from "vitest";
import { MnemographError } from "../src/index.js";
import { MAX_TEXT } from "../src/json.js";
import { answerOf } from "./support/callbacks.js";
import { circular, deep, hostile, stream, thenable, twice } from "./support/shapes.js";

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
