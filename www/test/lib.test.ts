import { describe, expect, it } from "vitest";
import { calculate } from "../src/lib/calculator.ts";
import { toFailure } from "../src/lib/failure.ts";
import { toTitle } from "../src/lib/format.ts";
import { preview, toJsonLine } from "../src/lib/preview.ts";
import { toBlocks } from "../src/lib/text-blocks.ts";

describe("the calculator", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["10 − 4 ÷ 2 × 3", 4],
    [".5e1 % 3", 2],
  ])("works out %s", (source, expected) => {
    expect(calculate(source)).toBe(expected);
  });

  it.each(["", "1 +", "(1", "1 / 0", "alert(1)", "1 2", "9".repeat(501)])(
    "refuses %s",
    (source) => {
      expect(() => calculate(source)).toThrow();
    },
  );
});

describe("a preview", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each([
    ["plain values", { a: [1, "x", null] }, '{\n  "a": [\n    1,\n    "x",\n    null\n  ]\n}'],
    ["circular values", circular, '{\n  "self": [circular]\n}'],
    ["bytes", new Uint8Array(3), "[Uint8Array, 3 bytes]"],
    ["large integers", 2n ** 70n, "1180591620717411303424n"],
    ["what cannot be read", proxy, "[unreadable]"],
    [
      "throwing getters",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
      '{\n  "x": "[throws no]"\n}',
    ],
  ])("shows %s", (_name, value, expected) => {
    expect(preview(value)).toBe(expected);
  });

  it("stays short whatever the value is", () => {
    const wide = Array.from({ length: 300 }, () =>
      Array.from({ length: 300 }, () => "x".repeat(50)),
    );
    expect(preview(wide).length).toBeLessThan(100_000);
    expect(preview("x".repeat(1_000_000)).length).toBeLessThan(5_000);
  });

  it("is one line of JSON for machines", () => {
    expect(toJsonLine({ a: "\n" })).toBe('{"a":"\\n"}');
    expect(JSON.parse(toJsonLine(circular))).toContain("circular");
  });
});

describe("the blocks of a text", () => {
  it.each([
    ["paragraphs", "a\nb\n\nc", ["a\nb", "c"]],
    ["code", "a\n```js\nx\n\ny\n```\nb", ["a", "js|x\n\ny", "b"]],
    ["code that is still open", "```\nx", ["|x"]],
    ["a longer fence around a shorter one", "````\n```\n````", ["|```"]],
    ["inline code", "use `x` now", ["use [x] now"]],
    ["markup as text", "<img src=x onerror=alert(1)>", ["<img src=x onerror=alert(1)>"]],
  ])("are %s", (_name, source, expected) => {
    const blocks = toBlocks(source).map((block) =>
      block.kind === "code"
        ? `${block.language}|${block.text}`
        : block.spans.map((span) => (span.code ? `[${span.text}]` : span.text)).join(""),
    );
    expect(blocks).toEqual(expected);
  });
});

it("a title is the beginning of a message, whole characters only", () => {
  expect(toTitle("  a\n b ")).toBe("a b");
  expect(toTitle("👩‍🚀".repeat(40), 10)).not.toMatch(/[\uD800-\uDBFF]…$/);
});

describe("a failure", () => {
  const adapters = "Check the key that `headers` gives.";

  it.each([
    ["an error of the adapter", { code: "E_LLM", details: { status: 401 }, hint: adapters }],
    ["an error of a run", { code: "E_LLM", status: 403, hint: adapters }],
  ])("says where the key is: %s", (_name, error) => {
    const { hint } = toFailure({ message: "The server answered 401.", ...error });
    expect(hint).toContain("check it in Settings");
    expect(hint).not.toContain("headers");
  });

  it("keeps the hint that it has, and finds one where there is none", () => {
    expect(toFailure({ code: "E_LLM", message: "x", hint: "Wait." }).hint).toBe("Wait.");
    expect(toFailure({ code: "E_LLM", message: "x" }).hint).toContain("Settings");
    expect(toFailure(undefined)).toEqual({
      code: "E_INTERNAL",
      message: "Something went wrong.",
    });
  });
});
