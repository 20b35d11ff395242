// What a tool callback may give, and what becomes of the rest.
import { expect, test } from "vitest";
import { hostWith, resultOf, until } from "./support/callbacks.js";
import { circular, deep, hostile, stream } from "./support/shapes.js";

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
