// Everything that can be said about the code without running it.
import fs from "node:fs";
import { checkDeps } from "./check-deps.mjs";
import { checkLicences } from "./check-licences.mjs";
import { at, wasmOut, wasmTarget } from "./lib/paths.mjs";
import { bin, isMain, npm, run, script } from "./lib/run.mjs";
import { wasmToolchain } from "./lib/wasm-target.mjs";
import { setup } from "./setup.mjs";
import { types } from "./types.mjs";
import { buildWasm } from "./wasm.mjs";

/** The crates that exist for the browser only: checked and tested for wasm32, not natively. */
export const browserCrates = ["mnemograph-indexeddb", "mnemograph-wasm"];

export const native = ["--workspace", ...browserCrates.flatMap((name) => ["--exclude", name])];
export const browser = browserCrates.flatMap((name) => ["--package", name]);

const cargo = (/** @type {string[]} */ args, env = {}) => run("cargo", args, { env });

/**
 * cargo for wasm32.
 *
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
const wasmCargo = (args, env = {}) => {
  const found = wasmToolchain();
  const [command = "", ...rest] = args;
  return run(found.cargo, [command, "--target", wasmTarget, ...found.args, ...rest], {
    env: { ...found.env, ...env },
  });
};

const denied = ["--", "--deny", "warnings"];
const strictDocs = { RUSTDOCFLAGS: "--deny warnings" };

/** @type {[string, () => void | Promise<unknown>][]} the quick ones first */
export const checks = [
  ["cargo fmt", () => cargo(["fmt", "--all", "--check"])],
  ["biome", () => run(...bin("@biomejs/biome", ["ci", "--error-on-warnings"]))],
  ["dependency table", checkDeps],
  ["licences", checkLicences],
  ["clippy", () => cargo(["clippy", "--quiet", ...native, "--all-targets", ...denied])],
  ["clippy for wasm", clippyForWasm],
  ["generated types", () => types({ check: true })],
  ["rustdoc", () => cargo(["doc", "--quiet", "--no-deps", ...native], strictDocs)],
  ["rustdoc for wasm", () => wasmCargo(["doc", "--quiet", "--no-deps", ...browser], strictDocs)],
];

/** Debian's compiler for wasm has no clippy; the crates are then only compiled with warnings denied. */
function clippyForWasm() {
  if (wasmToolchain().kind === "rustup") {
    return wasmCargo(["clippy", "--quiet", ...browser, "--all-targets", ...denied]);
  }
  console.log("  clippy skipped: Debian's compiler has none; compiling with warnings denied");
  return wasmCargo(["check", "--quiet", ...browser], { RUSTFLAGS: "--deny warnings" });
}

/** TypeScript: of the package (which the others import, so it is built first), of the rest, of the scripts. */
export async function checkTypeScript() {
  await run(...npm(["run", "build", "--workspace", "pkg"]));
  await run(...npm(["run", "types", "--workspaces", "--if-present"]));
  await run(...bin("typescript", ["--project", at("scripts")], "tsc"));
}

/** Runs the checks that need no wasm module. */
export async function runChecks() {
  for (const [name, check] of checks) {
    console.log(`• ${name}`);
    await check();
  }
}

if (isMain(import.meta.url)) {
  await script(async () => {
    await setup();
    await runChecks();
    if (!fs.existsSync(wasmOut)) await buildWasm({ dev: true });
    console.log("• TypeScript");
    await checkTypeScript();
    console.log("✓ all checks");
  });
}
