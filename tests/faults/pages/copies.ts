/** The recovery journal, read without the package. */
import { answer } from "./answer.js";

interface Buckets {
  open(name: string): Promise<{ indexedDB: IDBFactory }>;
}

/** Transactions have no answer once the bucket's object is collected. */
let held: Awaited<ReturnType<Buckets["open"]>> | undefined;

/** The bodies of the rounds in the journal. */
async function copiedRounds(): Promise<string[]> {
  const { storageBuckets } = navigator as unknown as { storageBuckets: Buckets };
  held ??= await storageBuckets.open("mnemograph-recovery");
  const { indexedDB } = held;
  // To open it before it is there would be to make it.
  const made = await indexedDB.databases();
  if (!made.some(({ name }) => name === "mnemograph")) return [];
  const opened = await answer(indexedDB.open("mnemograph"));
  const range = IDBKeyRange.bound(["rounds"], ["rounds", []]);
  const rows = await answer(opened.transaction("rows").objectStore("rows").getAll(range));
  opened.close();
  return rows.map(({ body }) => String(body));
}

/** The number of rounds in the journal that have this text. */
export async function copiesWith(text: string): Promise<number> {
  return (await copiedRounds()).filter((body) => body.includes(text)).length;
}

/** Resolves when the journal has the round about a subject. */
export async function journalHas(subject: string): Promise<void> {
  for (;;) {
    // Each look waits for the writes before it.
    const bodies = await copiedRounds();
    if (bodies.some((body) => body.includes(`"done with ${subject}"`))) return;
  }
}
