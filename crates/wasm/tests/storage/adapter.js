// A storage adapter as a host might write it, and ones that do wrong.

const parts = (key) => key.map((part) => [typeof part === "string", part]);

function compareParts([aText, a], [bText, b]) {
  if (aText !== bText) return aText ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compare(a, b) {
  const [left, right] = [parts(a), parts(b)];
  for (let n = 0; n < Math.min(left.length, right.length); n += 1) {
    const order = compareParts(left[n], right[n]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const contains = (range, key) =>
  (!range.prefix || range.prefix.every((part, n) => part === key[n])) &&
  (!range.gte || compare(key, range.gte) >= 0) &&
  (!range.gt || compare(key, range.gt) > 0) &&
  (!range.lte || compare(key, range.lte) <= 0) &&
  (!range.lt || compare(key, range.lt) < 0);

class Adapter {
  tables = new Map();

  rows(table) {
    if (!this.tables.has(table)) this.tables.set(table, new Map());
    return this.tables.get(table);
  }

  scan(table, range, { limit = Number.POSITIVE_INFINITY, reverse }) {
    const found = [...this.rows(table).values()].filter(({ key }) => contains(range, key));
    found.sort((a, b) => compare(a.key, b.key));
    if (reverse) found.reverse();
    return structuredClone(found.slice(0, limit));
  }

  commit({ checks, puts, deletes, deleteRanges, durability }) {
    if (durability !== "strict" && durability !== "relaxed") throw new Error("durability?");
    const id = JSON.stringify;
    for (const { table, key, rev } of checks) {
      if ((this.rows(table).get(id(key))?.rev ?? null) !== rev) return "conflict";
    }
    for (const { table, range } of deleteRanges) {
      for (const [name, { key }] of this.rows(table)) {
        if (contains(range, key)) this.rows(table).delete(name);
      }
    }
    for (const { table, key } of deletes) this.rows(table).delete(id(key));
    for (const { table, key, value } of puts) {
      const rev = (this.rows(table).get(id(key))?.rev ?? 0) + 1;
      this.rows(table).set(id(key), { key, rev, value });
    }
    return "committed";
  }
}

class Later extends Adapter {
  async scan(...args) {
    await null;
    return super.scan(...args);
  }

  async commit(batch) {
    await null;
    return super.commit(batch);
  }
}

const liars = {
  honest: Adapter,
  later: Later,
  ignoresChecks: class extends Adapter {
    commit(batch) {
      return super.commit({ ...batch, checks: [] });
    }
  },
  losesDeletes: class extends Adapter {
    commit(batch) {
      return super.commit({ ...batch, deletes: [] });
    }
  },
  ordersByLocale: class extends Adapter {
    scan(table, range, options) {
      const found = super.scan(table, range, {});
      found.sort((a, b) => String(a.key).localeCompare(String(b.key)));
      return found.slice(0, options.limit);
    }
  },
  readsThenWrites: class extends Adapter {
    async commit(batch) {
      const before = structuredClone(this.tables);
      const answer = super.commit(batch);
      const after = this.tables;
      this.tables = before;
      await null;
      this.tables = after;
      return answer;
    }
  },
};

const stores = new Map();

export function open(how, name) {
  const id = `${how} ${name}`;
  if (!stores.has(id)) stores.set(id, new liars[how]());
  return stores.get(id);
}

const cycle = [];
cycle.push(cycle);
const record = { key: ["a"], rev: 1, value: {} };
const thrower = new Proxy([], {
  get(_, name) {
    if (name === "then") return undefined;
    throw new Error("no");
  },
});
const refused = (code) => Promise.reject(Object.assign(new Error("sorry"), { code }));

/** What an adapter may answer to a scan of prefix ["a"] with limit 2, none of it right. */
export const scanAnswers = () => ({
  undefined: undefined,
  null: null,
  number: 7,
  bigint: 7n,
  symbol: Symbol("x"),
  text: "committed",
  object: {},
  function: () => [],
  map: new Map(),
  "array-like": { length: 0 },
  "list of numbers": [1],
  hole: [, record],
  "empty record": [{}],
  "no rev": [{ key: ["a"], value: {} }],
  "no value": [{ key: ["a"], rev: 1 }],
  "rev 0": [{ ...record, rev: 0 }],
  "negative rev": [{ ...record, rev: -1 }],
  "fractional rev": [{ ...record, rev: 1.5 }],
  "text rev": [{ ...record, rev: "1" }],
  "huge rev": [{ ...record, rev: 2 ** 53 }],
  "NaN rev": [{ ...record, rev: Number.NaN }],
  "null value": [{ ...record, value: null }],
  "list value": [{ ...record, value: [] }],
  "text value": [{ ...record, value: "{}" }],
  "text key": [{ ...record, key: "a" }],
  "empty key": [{ ...record, key: [] }],
  "null part": [{ ...record, key: ["a", null] }],
  "fractional part": [{ ...record, key: ["a", 1.5] }],
  "negative part": [{ ...record, key: ["a", -1] }],
  "nested part": [{ ...record, key: ["a", ["b"]] }],
  "lone surrogate in a key": [{ ...record, key: ["a", "\ud800"] }],
  "lone surrogate in a value": [{ ...record, value: { x: "\udc00" } }],
  "other key": [{ ...record, key: ["ab"] }],
  "wrong order": [
    { ...record, key: ["a", 2] },
    { ...record, key: ["a", 1] },
  ],
  twice: [record, record],
  "too many": [record, { ...record, key: ["a", 1] }, { ...record, key: ["a", 2] }],
  cycle,
  "bigint value": [{ ...record, value: { x: 1n } }],
  "throwing list": thrower,
  "throwing member": [
    {
      ...record,
      get value() {
        throw new Error("no");
      },
    },
  ],
  "throwing toJSON": [
    {
      toJSON() {
        throw new Error("no");
      },
    },
  ],
  "promise of garbage": Promise.resolve(7),
});

/** What an adapter may answer to a commit, none of it right. */
export const commitAnswers = () => ({
  undefined: undefined,
  null: null,
  true: true,
  number: 0,
  ok: "ok",
  capital: "Committed",
  object: { outcome: "committed" },
  list: ["committed"],
  boxed: new String("committed"),
  "promise of garbage": Promise.resolve(),
});

/** What an adapter may do, and the code that comes of it. */
export const failures = () => ({
  throws: [
    () => {
      throw new Error("no");
    },
    "E_STORE_UNAVAILABLE",
  ],
  "throws a text": [
    () => {
      throw "no";
    },
    "E_STORE_UNAVAILABLE",
  ],
  "throws nothing": [
    () => {
      throw undefined;
    },
    "E_STORE_UNAVAILABLE",
  ],
  "throws a proxy": [
    () => {
      throw new Proxy(
        {},
        {
          get() {
            throw new Error("deep");
          },
        },
      );
    },
    "E_STORE_UNAVAILABLE",
  ],
  rejects: [() => refused(undefined), "E_STORE_UNAVAILABLE"],
  "rejects with nothing": [() => Promise.reject(), "E_STORE_UNAVAILABLE"],
  "is full": [() => refused("E_STORE_QUOTA"), "E_STORE_QUOTA"],
  "is blocked": [() => refused("E_STORE_BLOCKED"), "E_STORE_BLOCKED"],
  "is newer": [() => refused("E_STORE_VERSION"), "E_STORE_VERSION"],
  "is closed": [() => refused("E_CLOSED"), "E_CLOSED"],
  "has a code of its own": [() => refused("EPIPE"), "E_STORE_UNAVAILABLE"],
  "throws when awaited": [
    () => ({
      then() {
        throw new Error("no");
      },
    }),
    "E_STORE_UNAVAILABLE",
  ],
  hangs: [() => new Promise(() => {}), "E_STORE_TIMEOUT"],
  "is no real promise and hangs": [() => ({ then() {} }), "E_STORE_TIMEOUT"],
  "answers too late": [
    () => new Promise((resolve) => setTimeout(resolve, 100, [])),
    "E_STORE_TIMEOUT",
  ],
});

/** Things that are no adapter. */
export const strangers = () => [
  undefined,
  null,
  7,
  "adapter",
  {},
  { scan() {} },
  { scan() {}, commit: "commit" },
  {
    get scan() {
      throw new Error("no");
    },
    commit() {},
  },
];

/** An adapter whose both functions do this. */
export const both = (what) => ({ scan: what, commit: what });
export const answering = (answer) => both(() => answer);
