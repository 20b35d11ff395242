import assert from "node:assert/strict";
import { test } from "node:test";
import { dependencyProblems, pure, table } from "../lib/dependencies.mjs";
import { metadata } from "../lib/metadata.mjs";

/**
 * A small `cargo metadata`: each line is `from to` or `from to kind`.
 *
 * @param {string[]} members
 * @param {string[]} edges
 */
function made(members, edges) {
  const lines = edges.map((edge) => {
    const [from = "", to = "", kind = null] = edge.split(" ");
    return { from, to, kind };
  });
  const ids = [...new Set([...members, ...lines.flatMap(({ from, to }) => [from, to])])];
  return {
    packages: ids.map((id) => ({ id, name: members.includes(id) ? `mnemograph-${id}` : id })),
    workspace_members: members,
    resolve: {
      nodes: ids.map((id) => ({
        id,
        deps: lines
          .filter(({ from }) => from === id)
          .map(({ to, kind }) => ({ pkg: to, dep_kinds: [{ kind }] })),
      })),
    },
  };
}

const small = {
  memory: { normal: ["storage"], dev: ["testkit"] },
  storage: { normal: [] },
  testkit: { normal: [] },
};
const members = Object.keys(small);
const good = ["memory storage", "memory testkit dev", "memory serde", "storage serde"];

/** @type {[string, string[], string[]][]} */
const cases = [
  ["the table's edges are fine", good, []],
  ["tests may use what the crate uses", [...good, "memory storage dev"], []],
  ["a planted edge is told", [...good, "storage memory"], ["storage → memory: not in the table"]],
  [
    "a planted test edge is told",
    [...good, "storage testkit dev"],
    ["storage → testkit (dev): not in the table"],
  ],
  [
    "a missing edge is told",
    good.filter((edge) => edge !== "memory storage"),
    ["memory → storage: in the table, but not in Cargo.toml"],
  ],
  [
    "a clock deep below a pure crate is told with its path",
    [...good, "serde chrono"],
    ["memory is pure, but reaches serde → chrono", "storage is pure, but reaches serde → chrono"],
  ],
  [
    "an impure crate in tests and build scripts is fine",
    [...good, "storage rand dev", "serde rand build"],
    [],
  ],
  ["an impure crate below a crate that is not pure is fine", [...good, "testkit web-sys"], []],
];

for (const [name, edges, problems] of cases) {
  test(name, () => assert.deepEqual(dependencyProblems(made(members, edges), small), problems));
}

test("crates and table name each other", () => {
  assert.deepEqual(
    dependencyProblems(made(["storage", "extra"], []), {
      storage: { normal: [] },
      gone: { normal: [] },
    }),
    ["extra: the crate is not in the table", "gone: in the table, but not in the workspace"],
  );
});

test("an edge planted in the real workspace is told", () => {
  const real = structuredClone(metadata());
  const id = (/** @type {string} */ name) =>
    real.packages.find((/** @type {any} */ one) => one.name === name).id;
  const storage = real.resolve.nodes.find(
    (/** @type {any} */ node) => node.id === id("mnemograph-storage"),
  );
  storage.deps.push({ pkg: id("mnemograph-engine"), dep_kinds: [{ kind: null }] });
  assert.ok(dependencyProblems(real).includes("storage → engine: not in the table"));
});

test("every pure crate of the workspace is in the table", () => {
  const later = ["health", "longterm"];
  for (const name of pure.filter((crate) => !later.includes(crate))) assert.ok(table[name], name);
});
