import assert from "node:assert/strict";
import { test } from "node:test";
import { atLeast, lockedVersion, staleNpmPackage } from "../lib/versions.mjs";

const cargoLock = `[[package]]
name = "wasm-bindgen-macro"
version = "9.9.9"

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
`;

test("a crate's version is read by its whole name", () => {
  assert.equal(lockedVersion(cargoLock, "wasm-bindgen"), "0.2.130");
  assert.throws(() => lockedVersion(cargoLock, "wasm"), /not in Cargo.lock/);
});

const lock = (/** @type {object} */ packages) => JSON.stringify({ packages });
const wanted = lock({
  "": { name: "root" },
  pkg: { version: "0.1.0" },
  "node_modules/pkg": { link: true },
  "node_modules/a": { version: "1.0.0" },
  "pkg/node_modules/a": { version: "2.0.0" },
  "node_modules/for-another-system": { version: "1.0.0", optional: true },
});
const have = {
  "node_modules/pkg": { link: true },
  "node_modules/a": { version: "1.0.0" },
  "pkg/node_modules/a": { version: "2.0.0" },
};

/** @type {[string, object, string | undefined][]} */
const cases = [
  ["packages as locked are up to date", have, undefined],
  [
    "another version is stale",
    { ...have, "node_modules/a": { version: "1.0.1" } },
    "node_modules/a",
  ],
  [
    "a missing workspace link is stale",
    { ...have, "node_modules/pkg": undefined },
    "node_modules/pkg",
  ],
  [
    "a nested package counts",
    { ...have, "pkg/node_modules/a": { version: "1.0.0" } },
    "pkg/node_modules/a",
  ],
];

for (const [name, installed, stale] of cases) {
  test(name, () => assert.equal(staleNpmPackage(wanted, lock(installed)), stale));
}

/** @type {[string, string, boolean][]} */
const orders = [
  ["1.95.0", "1.95", true],
  ["1.96.0", "1.95", true],
  ["1.94.9", "1.95", false],
  ["1.100.0", "1.95", true],
  ["2.0.0", "1.95", true],
  ["1.95.0", "1.95.1", false],
];

for (const [version, wanted, ok] of orders) {
  test(`${version} is ${ok ? "enough" : "too old"} for ${wanted}`, () => {
    assert.equal(atLeast(version, wanted), ok);
  });
}
