import { expect, test } from "vitest";
import { added, dependents, differing, movesOf } from "../src/recovery/moves.js";
import type { StorageBatch } from "../src/types.js";
import type { StoredRow } from "../src/wire.js";

const batch = (more: Partial<StorageBatch>): StorageBatch => ({
  checks: [],
  puts: [],
  deletes: [],
  deleteRanges: [],
  durability: "strict",
  ...more,
});

test("a copy repeats a batch in the order in which it is applied, but for rounds under way", () => {
  const moves = movesOf(
    batch({
      puts: [
        { table: "rounds", key: ["a", 1], value: { n: 2 } },
        { table: "journal", key: ["a", "open"], value: {} },
      ],
      deletes: [
        { table: "heads", key: ["a"] },
        { table: "journal", key: ["a", "open"] },
      ],
      deleteRanges: [{ table: "rounds", range: { prefix: ["a"] } }],
    }),
  );
  expect(moves).toEqual([
    { type: "delete_range", table: "rounds", range: { prefix: ["a"] } },
    { type: "delete", table: "heads", key: ["a"] },
    { type: "put", table: "rounds", key: ["a", 1], value: { n: 2 } },
  ]);
});

test("a row counts as new where the batch has checked that there was none", () => {
  const put = (key: (string | number)[]) => ({ table: "round_ids", key, value: {} });
  const check = (key: (string | number)[], rev: number | null) => ({
    table: "round_ids",
    key,
    rev,
  });
  const counted = added(
    batch({
      puts: [put(["new"]), put(["old"]), put(["unchecked"])],
      checks: [check(["new"], null), check(["old"], 3), check(["new", "er"], null)],
    }),
    "round_ids",
  );
  expect(counted).toBe(1);
});

test("rows differ by what they hold and by being there", () => {
  const row = (key: string, n: number): StoredRow => ({ table: "heads", key: [key], value: { n } });
  const [a, b] = [
    [row("same", 1), row("changed", 1), row("gone", 1)],
    [row("same", 1), row("changed", 2), row("new", 1)],
  ];
  expect(differing(a, b)).toEqual([row("changed", 1), row("gone", 1)]);
  expect(differing(b, a)).toEqual([row("changed", 2), row("new", 1)]);
});

test("a head stands for its history, a thread for its transcript, a mark of a life for nothing", () => {
  const history = ["me", "g", "memory", "t", "buffer_memory"];
  expect(dependents({ table: "heads", key: history }).map(({ table }) => table)).toEqual([
    "rounds",
    "round_ids",
    "summaries",
    "blob_refs",
  ]);
  expect(dependents({ table: "heads", key: [...history, 1] })).toEqual([]);
  expect(dependents({ table: "threads", key: ["me", "t"] })).toEqual([
    { table: "transcripts", prefix: ["me", "t"] },
  ]);
});
