import type { StorageBatch, StorageRange } from "../types.js";
import type { RowsUnder, StoredRow } from "../wire.js";

export type RowKey = (string | number)[];

/** A step that a copy of the database has to make. */
export type Move =
  | { type: "delete_range"; table: string; range: StorageRange }
  | { type: "delete"; table: string; key: RowKey }
  | { type: "put"; table: string; key: RowKey; value: Record<string, unknown> };

/** The tables that a copy has: all but the one of rounds that are under way. */
const isKept = ({ table }: { table: string }): boolean => table !== "journal";

/** What a batch does to a copy, in the order in which it is applied. */
export function movesOf({ deleteRanges, deletes, puts }: StorageBatch): Move[] {
  return [
    ...deleteRanges.filter(isKept).map((each) => ({ type: "delete_range", ...each }) as const),
    ...deletes.filter(isKept).map((each) => ({ type: "delete", ...each }) as const),
    ...puts.filter(isKept).map((each) => ({ type: "put", ...each }) as const),
  ];
}

/** How many rows of a table a batch adds: those it puts where it has checked that there are none. */
export function added({ checks, puts }: StorageBatch, table: string): number {
  const isNew = (key: RowKey): boolean =>
    checks.some((check) => check.table === table && check.rev === null && same(check.key, key));
  return puts.filter((put) => put.table === table && isNew(put.key)).length;
}

/** True if a key is this prefix or begins with it. */
export const isUnder = (key: RowKey, prefix: RowKey): boolean =>
  prefix.every((part, at) => key[at] === part);

const same = (a: RowKey, b: RowKey): boolean => a.length === b.length && isUnder(a, b);

/** Tables that are small, and copied as a whole. */
const WHOLE = ["meta", "dictionaries", "variables", "graph_runs", "checkpoints"] as const;

/** Rows by which it is seen whether a copy is up to date. */
export const INDEX_TABLES = ["heads", "threads", ...WHOLE] as const;

/** What depends on a row of an index: it is copied again where that row differs. */
export function dependents({ table, key }: Pick<StoredRow, "table" | "key">): RowsUnder[] {
  if (table === "threads") return [{ table: "transcripts", prefix: key }];
  if (table !== "heads" || key.length !== 5) return [];
  const tables = ["rounds", "round_ids", "summaries", "blob_refs"] as const;
  return tables.map((table) => ({ table, prefix: key }));
}

/** The rows of `a` that `b` has not, or not so. */
export function differing(a: StoredRow[], b: StoredRow[]): StoredRow[] {
  const place = ({ table, key }: StoredRow): string => JSON.stringify([table, key]);
  const known = new Map(b.map((row) => [place(row), JSON.stringify(row.value)]));
  return a.filter((row) => known.get(place(row)) !== JSON.stringify(row.value));
}
