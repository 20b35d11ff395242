/** Other code of the origin that stands in the way. */
import { answer } from "./answer.js";

/** Connections that nobody closes: they do not listen to who asks them to make way. */
const held: IDBDatabase[] = [];

/** Opens the database as an old tab has it, and keeps it. */
export async function hold(): Promise<void> {
  held.push(await answer(indexedDB.open("mnemograph")));
}

/** Wants the database deleted: whoever opens it waits behind this. */
export function wantDeleted(): void {
  indexedDB.deleteDatabase("mnemograph");
}

/** Newer code opens the database: true once it has it. */
export async function upgrade(): Promise<boolean> {
  const opened = await answer(indexedDB.open("mnemograph", 99));
  opened.close();
  return true;
}

let isHanging = false;

/** A transaction that never ends, as that of a tab that hangs; it ends with {@link letGo}. */
export async function hang(): Promise<void> {
  const opened = await answer(indexedDB.open("mnemograph"));
  const stores = opened.transaction([...opened.objectStoreNames], "readwrite");
  isHanging = true;
  const next = (): void => {
    const request = stores.objectStore("meta").count();
    request.onsuccess = () => {
      if (isHanging) next();
    };
  };
  next();
  held.push(opened);
}

export function letGo(): void {
  isHanging = false;
  for (const each of held.splice(0)) each.close();
}
