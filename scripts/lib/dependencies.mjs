// Who may know whom: the crates' dependency edges against a literal table, and the purity of the core.

/** The pure crates: no clock, no randomness, no browser, no I/O of their own. */
export const pure = [
  "compact",
  "engine",
  "graph",
  "health",
  "longterm",
  "memory",
  "runtime",
  "storage",
  "template",
];

/**
 * The edges that exist; tests may also use what the crate itself uses. A new one is a design decision: it is entered here, in ARCHITECTURE.md, and
 * named in the first line of its commit.
 *
 * @type {Record<string, {normal: string[], dev?: string[]}>}
 */
export const table = {
  compact: { normal: ["compact-derive"] },
  "compact-derive": { normal: [] },
  engine: { normal: ["compact", "graph", "memory", "template"] },
  graph: { normal: ["compact"] },
  indexeddb: { normal: ["compact", "storage"] },
  memory: { normal: ["compact", "storage"] },
  runtime: { normal: ["compact", "engine", "graph", "memory", "storage"], dev: ["testkit"] },
  storage: { normal: ["compact"] },
  template: { normal: [] },
  testkit: { normal: ["engine", "memory", "runtime", "storage"] },
  typegen: { normal: ["engine", "graph", "memory", "runtime"] },
  wasm: { normal: ["compact", "engine", "graph", "indexeddb", "memory", "runtime", "storage"] },
};

/** Crates that a pure crate may not reach, however deep. */
export const impure = [
  "async-std",
  "chrono",
  "fastrand",
  "getrandom",
  "gloo-storage",
  "gloo-timers",
  "indexed_db_futures",
  "instant",
  "jiff",
  "js-sys",
  "mio",
  "rand",
  "rand_core",
  "reqwest",
  "rusqlite",
  "smol",
  "socket2",
  "time",
  "tokio",
  "uuid",
  "wasm-bindgen",
  "wasm-bindgen-futures",
  "web-sys",
  "web-time",
];

const prefix = "mnemograph-";

/**
 * @typedef {object} Metadata the parts of `cargo metadata` that are read here
 * @property {{id: string, name: string}[]} packages
 * @property {string[]} workspace_members
 * @property {{nodes: {id: string, deps: {pkg: string, dep_kinds: {kind: string | null}[]}[]}[]}} resolve
 */

/**
 * Everything that is wrong, as sentences.
 *
 * @param {Metadata} metadata of `cargo metadata --filter-platform wasm32-unknown-unknown`
 * @param {typeof table} [allowed]
 * @returns {string[]}
 */
export function dependencyProblems(metadata, allowed = table) {
  const names = new Map(metadata.packages.map(({ id, name }) => [id, name]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const members = new Set(metadata.workspace_members);
  const short = (/** @type {string} */ id) => (names.get(id) ?? id).replace(prefix, "");
  const edges = (/** @type {string} */ id, /** @type {string | null} */ kind) =>
    (nodes.get(id)?.deps ?? [])
      .filter(({ dep_kinds }) => dep_kinds.some((dep) => dep.kind === kind))
      .map(({ pkg }) => pkg);

  const problems = [];
  for (const id of members) {
    const name = short(id);
    const row = allowed[name];
    if (!row) {
      problems.push(`${name}: the crate is not in the table`);
      continue;
    }
    for (const [kind, label, wanted] of /** @type {const} */ ([
      [null, "", row.normal],
      ["dev", " (dev)", row.dev ?? []],
    ])) {
      const found = edges(id, kind)
        .filter((pkg) => members.has(pkg))
        .map(short)
        .filter((to) => to !== name);
      for (const to of found) {
        if (![...wanted, ...row.normal].includes(to))
          problems.push(`${name} → ${to}${label}: not in the table`);
      }
      for (const to of wanted) {
        if (!found.includes(to))
          problems.push(`${name} → ${to}${label}: in the table, but not in Cargo.toml`);
      }
    }
    if (pure.includes(name)) {
      for (const path of impurePaths(id)) problems.push(`${name} is pure, but reaches ${path}`);
    }
  }
  for (const name of Object.keys(allowed)) {
    if (![...members].some((id) => short(id) === name))
      problems.push(`${name}: in the table, but not in the workspace`);
  }
  return problems.sort();

  /** @param {string} start */
  function impurePaths(start) {
    const seen = new Set([start]);
    const found = [];
    const queue = [{ id: start, path: [/** @type {string} */ (names.get(start))] }];
    for (let next = queue.shift(); next; next = queue.shift()) {
      for (const to of edges(next.id, null)) {
        if (seen.has(to)) continue;
        seen.add(to);
        const path = [...next.path, names.get(to) ?? to];
        if (impure.includes(names.get(to) ?? "")) found.push(path.slice(1).join(" → "));
        else queue.push({ id: to, path });
      }
    }
    return found;
  }
}
