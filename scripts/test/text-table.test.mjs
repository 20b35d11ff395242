import assert from "node:assert/strict";
import { test } from "node:test";
import { textTable } from "../lib/text-table.mjs";

test("texts to the left, numbers to the right", () => {
  const rows = [
    { work: "append", ms: 0.5634, ratio: 1 },
    { work: "view of 10 000", ms: 43.217, ratio: 120.4 },
  ];
  assert.deepEqual(textTable(rows).split("\n"), [
    "work               ms  ratio",
    "append           0.56      1",
    "view of 10 000  43.22    120",
  ]);
});

test("no rows are no table", () => assert.equal(textTable([]), ""));
