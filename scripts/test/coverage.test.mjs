import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { coverageTable } from "../lib/coverage.mjs";

const file = (
  /** @type {string} */ name,
  /** @type {number} */ covered,
  /** @type {number} */ count,
) => ({
  filename: path.join("/repo", "crates", name),
  summary: { lines: { covered, count }, functions: { covered: 1, count: 1 } },
});

test("coverage is summed by crate, over the sources of the crates asked for", () => {
  const files = [
    file("graph/src/a.rs", 1, 2),
    file("graph/src/b.rs", 2, 2),
    file("graph/tests/a.rs", 0, 100),
    file("testkit/src/lib.rs", 0, 100),
  ];
  assert.deepEqual(
    coverageTable(files, "/repo", ["graph", "health"])
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["coverage", "lines", "functions", "of lines"],
      ["graph", "75.0 %", "100.0 %", "4"],
      ["all pure crates", "75.0 %", "100.0 %", "4"],
    ],
  );
});
