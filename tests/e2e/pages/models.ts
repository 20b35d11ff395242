import type { ChatModel } from "mnemograph";

/**
 * A model that asks the weather for what the person said, then is done with it: rounds of four messages.
 * `wait` is awaited before each answer.
 */
export function weatherModel(wait: () => Promise<void> | void = () => {}): ChatModel {
  return async ({ messages }) => {
    await wait();
    const last = messages.at(-1);
    const user = messages.filter(({ role }) => role === "user").at(-1);
    const subject = (user?.parts[0] as { text?: string } | undefined)?.text ?? "";
    if (last?.role === "tool") return `done with ${subject}`;
    return {
      tool_calls: [{ call_id: `call-${subject}`, name: "weather", args: { city: subject } }],
    };
  };
}

/** Resolves in all tabs when so many of this profile have asked. */
export async function meet(tabs: number): Promise<void> {
  const here: string = crypto.randomUUID();
  const known = new Set([here]);
  const channel = new BroadcastChannel("meet");
  await new Promise<void>((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      if (!known.has(data)) channel.postMessage(here);
      known.add(data);
      if (known.size >= tabs) resolve();
    };
    channel.postMessage(here);
  });
  // The channel stays open: a tab that comes late still has to hear of this one.
}

/** Resolves when a round is under way in the database: from then on a closed tab loses no question. */
export async function journalWritten(database = "mnemograph"): Promise<void> {
  const opened = await answer(indexedDB.open(database));
  while ((await answer(opened.transaction("journal").objectStore("journal").count())) === 0) {
    // Each look is a transaction of its own, behind the writes that are under way.
  }
  opened.close();
}

/** Resolves when a round that is under way has this text in the database. */
export async function journalHolds(text: string, database = "mnemograph"): Promise<void> {
  const opened = await answer(indexedDB.open(database));
  const rows = async (): Promise<unknown[]> =>
    answer(opened.transaction("journal").objectStore("journal").getAll());
  while (!JSON.stringify(await rows()).includes(text)) {
    // As above: each look waits for the writes before it.
  }
  opened.close();
}

/** The number of rows of each table. */
export async function countRows(database = "mnemograph"): Promise<Record<string, number>> {
  const opened = await answer(indexedDB.open(database));
  const rows: Record<string, number> = {};
  for (const table of opened.objectStoreNames) {
    rows[table] = await answer(opened.transaction(table).objectStore(table).count());
  }
  opened.close();
  return rows;
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
