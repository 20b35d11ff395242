/** Damages the records of rounds, below everything. */
import { answer } from "./answer.js";

type Value = Record<string, unknown>;

/** What can be wrong with a stored round, by name. */
const DAMAGES: Record<string, (value: Value) => unknown> = {
  "another body": (value) => ({ ...value, body: String(value.body).replace("user", "User") }),
  "half a body": (value) => ({ ...value, body: String(value.body).slice(0, 40) }),
  "no body": ({ body: _, ...value }) => value,
  "a body of another type": (value) => ({ ...value, body: 7 }),
  "a body with line breaks": (value) => ({ ...value, body: `${value.body}\n\n` }),
  "another hash": (value) => ({ ...value, hash: "0".repeat(64) }),
  "another count": (value) => ({ ...value, n: Number(value.n) + 1 }),
  "a count of another type": (value) => ({ ...value, n: "four" }),
  "a newer version": (value) => ({ ...value, v: 99 }),
  "no version": ({ v: _, ...value }) => value,
  "an unknown status": (value) => ({ ...value, status: "fine" }),
  "a value that is no object": () => "broken",
  "a huge value": (value) => ({ ...value, body: "[".repeat(3_000_000) }),
  "a value that JSON cannot say": (value) => ({ ...value, n: 5n }),
  "a list": () => [[]],
};

export const damageNames = (): string[] => Object.keys(DAMAGES);

interface Row {
  key: (string | number)[];
  rev: number;
  value: unknown;
}

/** Damages one round of the database, by its place; gives its key. */
export async function damage(name: string, place: number): Promise<(string | number)[]> {
  const opened = await answer(indexedDB.open("mnemograph"));
  const rounds = opened.transaction("rounds", "readwrite").objectStore("rounds");
  const rows: Row[] = await answer(rounds.getAll());
  const row = rows.at(place);
  const change = DAMAGES[name];
  if (row === undefined || change === undefined) throw new Error(`${name} at ${place}`);
  await answer(rounds.put({ ...row, value: change(row.value as Value) }));
  opened.close();
  return row.key;
}

/** The number of rows of the database, of all tables, that have this text. */
export async function rowsWith(text: string): Promise<number> {
  const opened = await answer(indexedDB.open("mnemograph"));
  let count = 0;
  for (const table of opened.objectStoreNames) {
    const rows: unknown[] = await answer(opened.transaction(table).objectStore(table).getAll());
    count += rows.filter((row) => JSON.stringify(row).includes(text)).length;
  }
  opened.close();
  return count;
}

/** True if a row is where it was. */
export async function isThere(key: (string | number)[]): Promise<boolean> {
  const opened = await answer(indexedDB.open("mnemograph"));
  const found = await answer(opened.transaction("rounds").objectStore("rounds").count(key));
  opened.close();
  return found === 1;
}
