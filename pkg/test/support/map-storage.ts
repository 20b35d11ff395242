import type { KeyPart, StorageAdapter, StorageRange, StoredRecord } from "../../src/index.js";

/** A storage of the page's own, as small as it can be: outlives the runtimes that use it. */
export function mapStorage(): StorageAdapter & {
  /** All records, by table. */
  dump(): Record<string, StoredRecord[]>;
} {
  const tables = new Map<string, StoredRecord[]>();
  const rows = (table: string): StoredRecord[] => tables.get(table) ?? [];
  const find = (table: string, key: KeyPart[]): StoredRecord | undefined =>
    rows(table).find((row) => compare(row.key, key) === 0);
  const remove = (table: string, goes: (row: StoredRecord) => boolean): void => {
    tables.set(
      table,
      rows(table).filter((row) => !goes(row)),
    );
  };
  return {
    dump: () => Object.fromEntries(tables),
    scan: async (table, range, { limit, reverse }) => {
      const found = rows(table).filter((row) => contains(range, row.key));
      if (reverse) found.reverse();
      return structuredClone(found.slice(0, limit ?? undefined));
    },
    commit: async ({ checks, puts, deletes, deleteRanges }) => {
      for (const { table, key, rev } of checks) {
        if ((find(table, key)?.rev ?? null) !== (rev ?? null)) return "conflict";
      }
      for (const { table, range } of deleteRanges) remove(table, (row) => contains(range, row.key));
      for (const { table, key } of deletes) remove(table, (row) => compare(row.key, key) === 0);
      for (const { table, key, value } of structuredClone(puts)) {
        const rev = (find(table, key)?.rev ?? 0) + 1;
        remove(table, (row) => compare(row.key, key) === 0);
        tables.set(
          table,
          [...rows(table), { key, rev, value }].sort((a, b) => compare(a.key, b.key)),
        );
      }
      return "committed";
    },
  };
}

function contains({ prefix, gt, gte, lt, lte }: StorageRange, key: KeyPart[]): boolean {
  return (
    (!prefix || compare(key.slice(0, prefix.length), prefix) === 0) &&
    (!gt || compare(key, gt) > 0) &&
    (!gte || compare(key, gte) >= 0) &&
    (!lt || compare(key, lt) < 0) &&
    (!lte || compare(key, lte) <= 0)
  );
}

function compare(a: KeyPart[], b: KeyPart[]): number {
  for (const [place, left] of a.entries()) {
    const right = b[place];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
