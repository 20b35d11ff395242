import assert from "node:assert/strict";
import { test } from "node:test";
import { countPassed } from "../lib/count.mjs";

/** @type {[string, string, number][]} */
const cases = [
  [
    "cargo test",
    "test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 4 passed; 0 failed",
    7,
  ],
  ["cargo test without tests", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed", 0],
  ["node --test", "ℹ tests 5\nℹ pass 5\nℹ fail 0", 5],
  ["node --test as TAP", "# tests 5\n# pass 5\n", 5],
  ["vitest", " Test Files  2 passed (2)\n      Tests  12 passed (12)\n", 12],
  [
    "vitest in colours",
    "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m8 passed\u001b[39m\u001b[22m (8)\n",
    8,
  ],
  ["vitest with expected failures", "      Tests  1 failed | 6 passed (7)\n", 6],
  ["a test's own words", "console: Tests were 9 passed\nit said: test result: ok. 9 passed", 0],
  ["nothing", "", 0],
];

for (const [name, output, passed] of cases) {
  test(name, () => assert.equal(countPassed(output), passed));
}
