const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export function openRaw(name, version, tables) {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    for (const table of tables) request.result.createObjectStore(table, { keyPath: "key" });
  };
  return settled(request);
}

export const closeRaw = (db) => db.close();

export function putRaw(db, table, make) {
  const records = {
    good: { key: ["a", 1], rev: 3, value: { x: 1 } },
    badRev: { key: ["a", 2], rev: "many", value: {} },
    badValue: { key: ["a", 3], rev: 1, value: 7 },
    lone: { key: ["a", 4], rev: 1, value: { x: "\ud800" } },
    big: { key: ["a", 5], rev: 1, value: { x: 10n } },
    foreignKey: { key: ["a", [1]], rev: 1, value: {} },
    textKey: { key: "a", rev: 1, value: {} },
  };
  return settled(db.transaction(table, "readwrite").objectStore(table).put(records[make]));
}

export const dump = (db, table) =>
  settled(db.transaction(table).objectStore(table).getAll()).then((all) => JSON.stringify(all));

export const deleteRaw = (name) => settled(indexedDB.deleteDatabase(name));

export function deleteLater(name) {
  indexedDB.deleteDatabase(name);
}

let log = [];
let opened = [];
export const seen = () => log;

export function kill(tell) {
  for (const request of opened) {
    request.result.close();
    if (tell) request.result.dispatchEvent(new Event("close"));
  }
  opened = [];
}

const quota = () => new DOMException("no room", "QuotaExceededError");

function patch(target, name, make) {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { ...make(before), configurable: true });
  return () => Object.defineProperty(target, name, before);
}

const method = (make) => (before) => ({ ...before, value: make(before.value) });

const ways = {
  noGetAllRecords: () => {
    const restore = patch(IDBObjectStore.prototype, "getAllRecords", (before) => before);
    delete IDBObjectStore.prototype.getAllRecords;
    return restore;
  },
  getterThrows: () =>
    patch(globalThis, "indexedDB", () => ({
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    })),
  noFactory: () => patch(globalThis, "indexedDB", () => ({ value: undefined })),
  openThrows: () =>
    patch(
      IDBFactory.prototype,
      "open",
      method(() => () => {
        throw new DOMException("denied", "SecurityError");
      }),
    ),
  opened: () =>
    patch(
      IDBFactory.prototype,
      "open",
      method(
        (open) =>
          function (...args) {
            const request = open.apply(this, args);
            opened.push(request);
            log.push("open");
            return request;
          },
      ),
    ),
  openIsBlocked: () =>
    patch(
      IDBFactory.prototype,
      "open",
      method(
        (open) =>
          function (...args) {
            const request = open.apply(this, args);
            setTimeout(() => request.dispatchEvent(new IDBVersionChangeEvent("blocked")));
            return request;
          },
      ),
    ),
  putThrowsQuota: () =>
    patch(
      IDBObjectStore.prototype,
      "put",
      method(
        (put) =>
          function (record) {
            if (record.key[0] === "too much") throw quota();
            return put.call(this, record);
          },
      ),
    ),
  commitAbortsForQuota: () =>
    patch(
      IDBTransaction.prototype,
      "commit",
      method(
        () =>
          function () {
            Object.defineProperty(this, "error", { get: quota });
            this.abort();
          },
      ),
    ),
  commitAbortsOnce: () => {
    let times = 0;
    return patch(
      IDBTransaction.prototype,
      "commit",
      method(
        (commit) =>
          function () {
            log.push("commit");
            times += 1;
            if (times === 1) this.abort();
            else commit.call(this);
          },
      ),
    );
  },
  commitAborts: () =>
    patch(
      IDBTransaction.prototype,
      "commit",
      method(
        () =>
          function () {
            log.push("commit");
            this.abort();
          },
      ),
    ),
  transactions: () =>
    patch(
      IDBDatabase.prototype,
      "transaction",
      method(
        (transaction) =>
          function (names, mode, options) {
            log.push(`${names} ${mode} ${options?.durability}`);
            return transaction.call(this, names, mode, options);
          },
      ),
    ),
};

export function breakBrowser(how) {
  log = [];
  opened = [];
  return ways[how]();
}
