import { MnemographError, toMnemographError } from "./errors.js";
import { hasBuckets } from "./recovery/recovery.js";
import type { Session } from "./session.js";
import type { BrowserStorage, StorageHealth } from "./wire.js";

/** The storage of a runtime as such. */
export class StorageApi {
  readonly #session: Session;
  readonly #newId: () => string;
  readonly #recovers: boolean;
  readonly #erase: () => Promise<void>;

  /** @internal */
  constructor(
    session: Session,
    newId: () => string,
    { recovers, erase }: { recovers: boolean; erase: () => Promise<void> },
  ) {
    this.#recovers = recovers;
    this.#erase = erase;
    this.#session = session;
    this.#newId = newId;
  }

  /**
   * How safe what is stored is: where it is, who may delete it, how much room there is. The first call gives
   * the database the id by which its loss is noticed (`generation`). Rejects with `E_CLOSED`,
   * `E_RUNTIME_CRASHED` or an `E_STORE_…`.
   */
  async health(): Promise<StorageHealth> {
    const facts = {
      ...(await browserStorage()),
      recovery_journal: this.#recovers && hasBuckets(),
    };
    return this.#session.call(({ handle }) => handle.storage_health(facts, this.#newId()));
  }

  /**
   * Deletes the database, of all namespaces, with all copies that are kept of it, and closes the runtime. A database that
   * is deleted in another way counts as lost: what the recovery journal has of it is put back. Rejects with
   * `E_UNSUPPORTED` for other storages than `"indexeddb"`, and with `E_STORE_BLOCKED` while another page's code holds the
   * database, which the browser then deletes later.
   */
  erase(): Promise<void> {
    return this.#erase();
  }
}

/** How long another tab may take to make way for the deletion, in milliseconds. */
const MAKE_WAY_MS = 3_000;

/** Deletes a database. Rejects with `E_STORE_BLOCKED` while somebody holds it; the browser deletes it later. */
export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    const blocked = new MnemographError({
      code: "E_STORE_BLOCKED",
      message: `The database "${name}" is held by another tab.`,
      hint: "It is deleted when that tab is closed.",
      retryable: true,
    });
    const timer = setTimeout(() => reject(blocked), MAKE_WAY_MS);
    const settle = (act: () => void) => (): void => {
      clearTimeout(timer);
      act();
    };
    request.onsuccess = settle(resolve);
    request.onerror = settle(() => reject(toMnemographError(request.error)));
  });
}

/** What the browser says; a question that it refuses, as some do in private windows, stays open. */
async function browserStorage(): Promise<BrowserStorage> {
  const manager = (globalThis.navigator as Navigator | undefined)?.storage as
    | Partial<StorageManager>
    | undefined;
  const [estimate, persisted, partitioned] = await Promise.all([
    ask(() => manager?.estimate?.()),
    ask(() => manager?.persisted?.()),
    ask(isPartitioned),
  ]);
  const { usage, quota } = estimate ?? {};
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(quota === undefined ? {} : { quota }),
    ...(persisted === undefined ? {} : { persisted }),
    ...(partitioned === undefined ? {} : { partitioned }),
  };
}

/** Browsers keep the storage of a frame apart for each site that it is embedded in. */
async function isPartitioned(): Promise<boolean | undefined> {
  if (typeof window !== "object" || typeof document !== "object") return undefined;
  if (window.top === window) return false;
  const ancestors: DOMStringList | undefined = location.ancestorOrigins;
  if (ancestors !== undefined) return isForeign(location.origin, [...ancestors]);
  // With access to unpartitioned cookies it depends on the browser whether databases are meant as well.
  return (await document.hasStorageAccess()) ? undefined : true;
}

/**
 * Is one of these origins of another site than ours? Unknown where that hangs on which endings of names
 * belong to nobody: that list is long, and not here.
 */
export function isForeign(own: string, ancestors: string[]): boolean | undefined {
  const answers = ancestors.map((origin) => {
    if (!URL.canParse(own) || !URL.canParse(origin)) return true;
    const [a, b] = [new URL(own), new URL(origin)];
    if (a.protocol !== b.protocol) return true;
    if (a.hostname === b.hostname) return false;
    const end = ({ hostname }: URL): string => hostname.split(".").slice(-2).join(".");
    return end(a) === end(b) && !/^[\d.]+$|:/.test(a.hostname) ? undefined : true;
  });
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}

async function ask<T>(question: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await question();
  } catch {
    return undefined;
  }
}
