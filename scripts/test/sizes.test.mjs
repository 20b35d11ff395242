import assert from "node:assert/strict";
import { test } from "node:test";
import { budgets, overBudget, sizeOf, sizeTable, sumOf } from "../lib/sizes.mjs";

const budget = budgets["wasm + glue"];
const row = (/** @type {number} */ gzip) => ({
  name: "wasm + glue",
  raw: 2 * gzip,
  gzip,
  brotli: gzip,
});

test("a size is that of the bytes, plain and compressed", () => {
  const size = sizeOf("zeros", new Uint8Array(10_000));
  assert.equal(size.raw, 10_000);
  assert.ok(size.gzip < 100 && size.brotli < size.gzip);
  assert.deepEqual(sumOf("twice", [size, size]).raw, 20_000);
});

test("the budget itself is allowed, a byte more is not", () => {
  assert.deepEqual(overBudget([row(budget)]), []);
  assert.equal(overBudget([row(budget + 1)]).length, 1);
  assert.match(sizeTable([row(budget + 1)]), /EXCEEDED/);
  assert.doesNotMatch(sizeTable([row(budget)]), /EXCEEDED/);
});
