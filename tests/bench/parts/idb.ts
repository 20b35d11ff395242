// IndexedDB by hand.

export const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export const completed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** Opens a database; with `stores`, one that is not there yet. */
export function openDatabase(name: string, stores: readonly string[] = []): Promise<IDBDatabase> {
  const request = indexedDB.open(name, stores.length > 0 ? 1 : undefined);
  request.onupgradeneeded = () => {
    for (const store of stores) request.result.createObjectStore(store);
  };
  return answered(request);
}

/** Waits until the last connection is closed. */
export async function deleteDatabase(name: string): Promise<void> {
  await answered(indexedDB.deleteDatabase(name));
}

/** All keys that begin with this one. */
export const below = (key: IDBValidKey[]): IDBKeyRange => IDBKeyRange.bound(key, [...key, []]);
