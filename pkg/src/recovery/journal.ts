import { MnemographError } from "../errors.js";
import type { StoredRow } from "../wire.js";
import { isUnder, type Move, type RowKey } from "./moves.js";

/** Bytes of rounds that are kept, about. */
const LIMIT = 4 * 1024 * 1024;

/** How long a call of it may take. */
const DEADLINE_MS = 10_000;

const BUCKET = "mnemograph-recovery";
const ROWS = "rows";
const FACTS = "facts";

interface Bucket {
  indexedDB: IDBFactory;
}

interface Buckets {
  open(name: string, options?: { durability?: "relaxed" }): Promise<Bucket>;
  keys(): Promise<string[]>;
}

/** The browser's buckets of storage: each is lost alone. */
export function storageBuckets(): Buckets | undefined {
  const page = (globalThis as { navigator?: { storageBuckets?: Buckets } }).navigator;
  return page?.storageBuckets;
}

/** True if this origin has ever had a journal. */
export async function hasJournal(): Promise<boolean> {
  return (await storageBuckets()?.keys())?.includes(BUCKET) ?? false;
}

/** What a journal holds. */
export interface Kept {
  generation: string | undefined;
  rows: StoredRow[];
}

/**
 * The recovery journal: a second copy of a database in a bucket of its own, which what happens to the first does not
 * reach. It has all rows but those of rounds that are under way; of the rounds the late ones only, some megabytes.
 */
export class RecoveryJournal {
  readonly #db: IDBDatabase;
  /** Chromium leaves transactions without an answer once the bucket's object is collected. */
  readonly bucket: Bucket;

  private constructor(bucket: Bucket, db: IDBDatabase, onClosed: () => void) {
    this.bucket = bucket;
    this.#db = db;
    db.onclose = onClosed;
    // Whoever wants to delete it is not kept waiting.
    db.onversionchange = () => {
      db.close();
      onClosed();
    };
  }

  /** Opens the journal of a database. `onClosed` is called when somebody else has closed it. */
  static async open(database: string, onClosed: () => void): Promise<RecoveryJournal | undefined> {
    const bucket = await storageBuckets()?.open(BUCKET, { durability: "relaxed" });
    if (bucket === undefined) return undefined;
    const opened = await openIn(bucket.indexedDB, database);
    if (opened.objectStoreNames.length === 2) return new RecoveryJournal(bucket, opened, onClosed);
    // Somebody else has made it: it is no journal.
    opened.close();
    await answer(bucket.indexedDB.deleteDatabase(database));
    const made = await openIn(bucket.indexedDB, database);
    return new RecoveryJournal(bucket, made, onClosed);
  }

  /** Deletes the journal of a database, if there is one. */
  static async erase(database: string): Promise<void> {
    if (!(await hasJournal())) return;
    const bucket = await storageBuckets()?.open(BUCKET);
    if (bucket !== undefined) await answer(bucket.indexedDB.deleteDatabase(database));
  }

  /** The life of the database that it is a copy of. */
  async generation(): Promise<string | undefined> {
    const stores = this.#db.transaction(FACTS);
    const found: unknown = await answer(stores.objectStore(FACTS).get("generation"));
    return typeof found === "string" ? found : undefined;
  }

  /** Begins anew, as a copy of this life. */
  async begin(generation: string): Promise<void> {
    await this.#change((rows, facts) => {
      rows.clear();
      facts.clear();
      facts.put(generation, "generation");
    });
  }

  /** It is a copy of this life from now on. */
  async follow(generation: string): Promise<void> {
    await this.#change((_, facts) => facts.put(generation, "generation"));
  }

  /** Does what was done to the database, in order. */
  async apply(moves: Move[]): Promise<void> {
    let size = 0;
    await this.#change((rows, facts) => {
      for (const move of moves) {
        if (move.type === "put") {
          rows.put(move.value, placeOf(move));
          if (move.table === "rounds") size += sizeOf(move.value);
        } else if (move.type === "delete") rows.delete(placeOf(move));
        else rows.delete(rangeOf(move));
      }
      if (size === 0) return;
      const known = facts.get("size");
      known.onsuccess = () => {
        size += typeof known.result === "number" ? known.result : 0;
        facts.put(size, "size");
      };
    });
    if (size > LIMIT) await this.#trim();
  }

  /** The rows of some tables, or of all. */
  async rows(tables?: readonly string[]): Promise<StoredRow[]> {
    const store = this.#db.transaction(ROWS).objectStore(ROWS);
    const ranges =
      tables === undefined ? [undefined] : tables.map((table) => under([table], undefined));
    const found = ranges.map(async (range) => {
      const [keys, values] = await Promise.all([
        answer(store.getAllKeys(range)),
        answer(store.getAll(range)),
      ]);
      return keys.map((place, at) => {
        const [table, ...key] = place as [string, ...RowKey];
        return { table, key, value: values[at] } as StoredRow;
      });
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * What is to be put back should the database be lost: without what is being erased, and without the heads of histories
   * that are not whole here, which are made anew from their rounds.
   */
  async kept(): Promise<Kept> {
    const facts = this.#db.transaction(FACTS).objectStore(FACTS);
    const [trimmed, erasing] = (await Promise.all([
      answer(facts.get("trimmed")),
      answer(facts.get("erasing")),
    ])) as [RowKey[] | undefined, string[] | undefined];
    const all = await this.rows();
    const isErased = ({ key }: StoredRow): boolean =>
      erasing?.some((thread) => key.includes(thread)) ?? false;
    const isPartial = ({ table, key }: StoredRow): boolean =>
      table === "heads" &&
      (trimmed?.some((head) => head.length === key.length && isUnder(key, head)) ?? false);
    const rows = all.filter((row) => !isErased(row) && !isPartial(row));
    return { generation: await this.generation(), rows };
  }

  /** Notes that a thread, or a part of it, is being erased: should the page end in between, none of it comes back. */
  async erasing(threads: string[]): Promise<void> {
    await this.#change((_, facts) => facts.put(threads, "erasing"));
  }

  close(): void {
    this.#db.close();
  }

  /** Halves histories, the old rounds first, until what is left is half of what is allowed. */
  async #trim(): Promise<void> {
    const histories = new Map<string, { key: RowKey; size: number }[]>();
    for (const { key, value } of await this.rows(["rounds"])) {
      const history = JSON.stringify(key.slice(0, 5));
      histories.set(history, [...(histories.get(history) ?? []), { key, size: sizeOf(value) }]);
    }
    const gone: RowKey[] = [];
    const trimmed: RowKey[] = [];
    const total = (): number =>
      [...histories.values()].flat().reduce((sum, { size }) => sum + size, 0);
    while (total() > LIMIT / 2) {
      for (const [history, rounds] of histories) {
        const old = rounds.splice(0, Math.ceil(rounds.length / 2));
        gone.push(...old.map(({ key }) => key));
        trimmed.push(JSON.parse(history) as RowKey);
      }
    }
    const size = total();
    await this.#change((rows, facts) => {
      for (const key of gone) rows.delete(["rounds", ...key]);
      facts.put(size, "size");
      const known = facts.get("trimmed");
      known.onsuccess = () => {
        const all = [...((known.result as RowKey[] | undefined) ?? []), ...trimmed];
        const distinct = new Map(all.map((head) => [JSON.stringify(head), head]));
        facts.put([...distinct.values()], "trimmed");
      };
    });
  }

  async #change(make: (rows: IDBObjectStore, facts: IDBObjectStore) => void): Promise<void> {
    const change = this.#db.transaction([ROWS, FACTS], "readwrite", { durability: "relaxed" });
    const done = inTime<void>((resolve, reject) => {
      change.oncomplete = () => resolve();
      change.onabort = () => reject(change.error ?? new Error("the journal was closed"));
    });
    make(change.objectStore(ROWS), change.objectStore(FACTS));
    await done;
  }
}

function openIn(factory: IDBFactory, database: string): Promise<IDBDatabase> {
  const request = factory.open(database, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ROWS);
    request.result.createObjectStore(FACTS);
  };
  return answer(request);
}

/** A body is most of a round. */
function sizeOf({ body }: Record<string, unknown>): number {
  return typeof body === "string" ? body.length : 0;
}

const placeOf = ({ table, key }: { table: string; key: RowKey }): IDBValidKey => [table, ...key];

function rangeOf({ table, range }: Extract<Move, { type: "delete_range" }>): IDBKeyRange {
  const { prefix, gt, gte, lt, lte } = range;
  if (prefix !== undefined) return under([table], prefix);
  const [lower, upper] = [gt ?? gte, lt ?? lte];
  return IDBKeyRange.bound(
    [table, ...(lower ?? [])],
    upper === undefined ? [table, []] : [table, ...upper],
    gt !== undefined,
    lt !== undefined,
  );
}

/** A list is behind all numbers and texts, so it ends what begins with the same parts. */
function under(table: [string], prefix: RowKey | undefined): IDBKeyRange {
  const begin = [...table, ...(prefix ?? [])];
  return IDBKeyRange.bound(begin, [...begin, []]);
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return inTime((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? undefined);
  });
}

/** Every wait has an end, whatever the browser does. */
function inTime<T>(
  begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = new MnemographError({
      code: "E_STORE_TIMEOUT",
      message: `The recovery journal did not answer within ${DEADLINE_MS} ms.`,
    });
    const timer = setTimeout(() => reject(late), DEADLINE_MS);
    const settle =
      <A>(act: (given: A) => void) =>
      (given: A): void => {
        clearTimeout(timer);
        act(given);
      };
    begin(settle(resolve), settle(reject));
  });
}
