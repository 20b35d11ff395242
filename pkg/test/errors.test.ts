import { expect, test } from "vitest";
import { describeThrown, toMnemographError } from "../src/errors.js";
import { idSource } from "../src/ids.js";
import { GraphError, isMnemographError, MnemographError } from "../src/index.js";

const full = new MnemographError({
  code: "E_LLM",
  message: "No answer.",
  node: "agent",
  path: ["loop"],
  retryable: true,
  details: { status: 500, at: new Date(0) },
  hint: "Wait.",
  cause: Object.assign(new TypeError("broken"), { code: "ECONN" }),
});

test("an error survives structuredClone and JSON", () => {
  const back = MnemographError.fromJSON(structuredClone(full.toJSON()));
  expect(back).toBeInstanceOf(MnemographError);
  expect(back.toJSON()).toEqual(full.toJSON());
  expect(back.cause).toMatchObject({ name: "TypeError", message: "broken", code: "ECONN" });
  expect(JSON.parse(JSON.stringify(full))).toEqual(full.toJSON());
});

test("so does the error of a graph, with its problems", () => {
  const problems = [
    { code: "W_NO_REPLY", severity: "warning", message: "w", hint: "" } as const,
    {
      code: "E_CYCLE",
      severity: "error",
      node: "a",
      message: "A circle.",
      hint: "Cut it.",
    } as const,
    { code: "E_JSON", severity: "error", message: "e", hint: "" } as const,
  ];
  const error = new GraphError([...problems]);
  expect(error).toMatchObject({ name: "GraphError", code: "E_CYCLE", node: "a", hint: "Cut it." });
  expect(error.message).toBe("The graph cannot be loaded: A circle. (and 1 more)");
  const back = MnemographError.fromJSON(structuredClone(error.toJSON()));
  expect(back).toBeInstanceOf(GraphError);
  expect(back).toMatchObject({ problems });
});

test("errors of another copy of the package are recognised, other things are not", () => {
  const foreign = Object.assign(new Error("x"), { [Symbol.for("mnemograph.error")]: true });
  expect(
    [full, foreign, new Error("x"), null, "E_LLM", { code: "E_LLM" }].map(isMnemographError),
  ).toEqual([true, true, false, false, false, false]);
});

test("whatever is thrown becomes one of ours", () => {
  expect(toMnemographError(full)).toBe(full);
  const named = Object.assign(new Error("x"), {
    code: "E_STORE_QUOTA",
    retryable: true,
    hint: "h",
  });
  expect(toMnemographError(named)).toMatchObject({
    code: "E_STORE_QUOTA",
    retryable: true,
    hint: "h",
  });
  expect(toMnemographError("boom", "E_TOOL")).toMatchObject({
    code: "E_TOOL",
    message: "boom",
    cause: "boom",
  });
  expect(toMnemographError(undefined)).toMatchObject({ code: "E_INTERNAL" });
});

test("messages are cut at a whole character", () => {
  const text = describeThrown(`${"x".repeat(1_999)}😀😀`);
  expect(text).not.toMatch(/\p{Surrogate}/u);
  expect(text.length).toBeLessThan(2_010);
});

test("ids are UUIDv7 that sort in the order of their making, also when the clock stands or goes back", () => {
  const times = [5, 5, 3, 10, ...Array<number>(10_000).fill(10), 11];
  const id = idSource(() => times.shift() ?? 12);
  const ids = Array.from({ length: 10_006 }, id);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  for (const each of ids) {
    expect(each).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
