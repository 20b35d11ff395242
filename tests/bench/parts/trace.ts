// What a piece of work asks of IndexedDB.

export interface Trace {
  reads: number;
  writes: number;
  strict: number;
  requests: number;
  /** The transactions in the order in which they began, in words. */
  steps: string[];
}

interface Seen {
  mode: IDBTransactionMode;
  durability: IDBTransactionDurability;
  stores: string[];
  requests: number;
  begun: number;
  ended: number;
}

const ASKS = ["get", "getKey", "getAll", "getAllKeys", "put", "add", "delete", "count"] as const;

/** Watches all databases of the page while the work goes on. Its own cost is in the times. */
export async function trace(work: () => Promise<unknown>): Promise<Trace> {
  const seen = new Map<IDBTransaction, Seen>();
  const database = IDBDatabase.prototype;
  const store = IDBObjectStore.prototype as unknown as Record<string, (...args: never[]) => object>;
  const begin = database.transaction;
  const asks = ASKS.map((name) => [name, store[name]] as const);
  const from = performance.now();
  database.transaction = function (this: IDBDatabase, ...args) {
    const transaction = begin.apply(this, args);
    const { mode, durability, objectStoreNames } = transaction;
    const begun = performance.now();
    const entry = {
      mode,
      durability,
      stores: [...objectStoreNames],
      requests: 0,
      begun,
      ended: begun,
    };
    seen.set(transaction, entry);
    transaction.addEventListener("complete", () => {
      entry.ended = performance.now();
    });
    return transaction;
  };
  for (const [name, ask] of asks) {
    store[name] = function (this: IDBObjectStore, ...args: never[]) {
      const entry = seen.get(this.transaction);
      if (entry) entry.requests += 1;
      return (ask as (...args: never[]) => object).apply(this, args);
    };
  }
  try {
    await work();
  } finally {
    database.transaction = begin;
    for (const [name, ask] of asks) if (ask) store[name] = ask;
  }
  return summarise([...seen.values()], from);
}

function summarise(seen: Seen[], from: number): Trace {
  const writes = seen.filter(({ mode }) => mode === "readwrite");
  return {
    reads: seen.length - writes.length,
    writes: writes.length,
    strict: writes.filter(({ durability }) => durability === "strict").length,
    requests: seen.reduce((sum, { requests }) => sum + requests, 0),
    steps: seen.map((entry) => inWords(entry, from)),
  };
}

function inWords({ mode, durability, stores, requests, begun, ended }: Seen, from: number): string {
  const kind = mode === "readwrite" ? `write ${durability}` : "read";
  const span = `${(begun - from).toFixed(1)}–${(ended - from).toFixed(1)} ms`;
  return `${span}  ${kind} ${stores.join("+")} (${requests})`;
}
