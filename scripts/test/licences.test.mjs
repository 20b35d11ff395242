import assert from "node:assert/strict";
import { test } from "node:test";
import { licenceAllowed, licenceProblems, tomlList } from "../lib/licences.mjs";

const allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

/** @type {[string, boolean][]} */
const expressions = [
  ["MIT", true],
  ["GPL-3.0", false],
  ["MIT OR GPL-3.0", true],
  ["MIT/Apache-2.0", true],
  ["MIT AND GPL-3.0", false],
  ["(MIT OR GPL-3.0) AND Unicode-3.0", true],
  ["(MIT OR Apache-2.0) AND GPL-3.0", false],
  ["GPL-3.0 OR MIT AND Unicode-3.0", true],
  ["Apache-2.0 WITH LLVM-exception OR GPL-3.0", true],
  ["GPL-3.0 WITH Classpath-exception-2.0", false],
  ["MIT OR", false],
  ["", false],
];

for (const [expression, ok] of expressions) {
  test(`"${expression}" is ${ok ? "" : "not "}allowed`, () => {
    assert.equal(licenceAllowed(expression, allowed), ok);
  });
}

const deny = 'allow = [\n  "MIT",\n]\n';
const index = "registry+https://example.test/crates.io-index";
const crate = { name: "a", version: "1.0.0", license: "MIT", source: index };

/** @type {[string, object, string[]][]} */
const crates = [
  ["a licensed crate of the registry is fine", {}, []],
  ["no licence is told", { license: null }, ["a 1.0.0: no licence is named"]],
  ["another licence is told", { license: "GPL-3.0" }, ["a 1.0.0: GPL-3.0 is not allowed"]],
  [
    "a git source is told",
    { source: "git+ssh://example.test/a" },
    ["a 1.0.0: comes from an unknown source"],
  ],
  [
    "a wildcard of our own is told",
    {
      source: null,
      dependencies: [
        { name: "b", req: "*" },
        { name: "c", req: "*", path: "../c" },
      ],
    },
    ["a 1.0.0: asks for any version of b"],
  ],
];

for (const [name, change, problems] of crates) {
  test(name, () =>
    assert.deepEqual(licenceProblems({ packages: [{ ...crate, ...change }] }, deny), problems),
  );
}

test("a list that deny.toml lacks is an error", () => {
  assert.throws(() => tomlList(deny, "deny"), /no list named deny/);
});
