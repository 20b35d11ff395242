// Builds the WebAssembly module and its glue into pkg/src/wasm, in release or, with --dev, quickly.
// Cargo decides whether there is anything to compile; the steps after it are skipped for equal bytes.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { at, root, toolsDir, wasmOut, wasmTarget, wasmTargetDir } from "./lib/paths.mjs";
import { bin, Failure, isMain, readText, run, script } from "./lib/run.mjs";
import { measure, overBudget, sizeTable } from "./lib/sizes.mjs";
import { digest, isStamped, stamp } from "./lib/stamps.mjs";
import { lockedVersion } from "./lib/versions.mjs";
import { wasmToolchain } from "./lib/wasm-target.mjs";

// The reset function builds a new instance of the same module after a crash (architecture 5).
const bindgenFlags = [
  "--target",
  "web",
  "--out-name",
  "core",
  "--experimental-reset-state-function",
  // The package says where the module is, in one literal expression that bundlers follow.
  "--omit-default-module-path",
  "--remove-producers-section",
];

/** What rustc's wasm may use. Named one by one: browsers refuse what `--all-features` produces. */
const features = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

const optFlags = ["-Os", ...features.map((name) => `--enable-${name}`)];

/**
 * Builds what is not up to date.
 *
 * @param {{dev?: boolean}} [options]
 */
export async function buildWasm({ dev = false } = {}) {
  const { cargo, args, env, kind } = wasmToolchain();
  const profile = dev ? [] : ["--release"];
  await run(
    cargo,
    [
      "build",
      "--quiet",
      "--package",
      "mnemograph-wasm",
      "--target",
      wasmTarget,
      ...profile,
      ...args,
    ],
    {
      env: { ...env, ...(dev ? {} : { CARGO_ENCODED_RUSTFLAGS: rustFlags() }) },
    },
  );
  const built = path.join(
    wasmTargetDir,
    wasmTarget,
    dev ? "debug" : "release",
    "mnemograph_wasm.wasm",
  );
  if (!fs.existsSync(built)) {
    throw new Failure(
      `${path.relative(root, built)} was not built`,
      'crates/wasm needs crate-type "cdylib".',
    );
  }
  const versions = [
    lockedVersion(readText("Cargo.lock"), "wasm-bindgen"),
    dev ? "" : binaryenVersion(),
  ];
  const key = digest(fs.readFileSync(built), { versions, bindgenFlags, optFlags, dev });
  if (isStamped("wasm", key) && fs.existsSync(path.join(wasmOut, "core_bg.wasm"))) {
    console.log("✓ wasm: up to date");
    return;
  }
  const staged = at("target", "wasm-staged");
  fs.rmSync(staged, { recursive: true, force: true });
  const bindgen = path.join(toolsDir, "bin", "wasm-bindgen");
  await run(bindgen, [
    built,
    ...bindgenFlags,
    ...(dev ? ["--debug", "--keep-debug"] : []),
    "--out-dir",
    staged,
  ]);
  quietStaleClosures(path.join(staged, "core.js"));
  const module = path.join(staged, "core_bg.wasm");
  if (!dev) await run(...bin("binaryen", [...optFlags, module, "-o", module], "wasm-opt"));
  replaceFiles(staged, wasmOut);
  stamp("wasm", key);
  console.log(`✓ wasm: built (${dev ? "dev" : "release"}, ${kind} compiler)`);
}

/** Prints the size table; a Failure where a budget is exceeded. */
export async function checkSizes() {
  const rows = await measure();
  console.log(sizeTable(rows));
  const over = overBudget(rows).map(({ name }) => name);
  if (over.length > 0) {
    throw new Failure(
      `over the size budget: ${over.join(", ")}`,
      "Make it smaller, or move the budget in scripts/lib/sizes.mjs and say why.",
    );
  }
}

/**
 * Timers, database events and tasks of an instance that was replaced after a crash still fire. They concern
 * nobody any more: the glue would throw there, outside of every call, which ends a Node.js process.
 *
 * @param {string} glue
 */
function quietStaleClosures(glue) {
  const loud = "throw new Error('Cannot invoke closure from previous WASM instance');";
  const text = fs.readFileSync(glue, "utf8");
  if (!text.includes(loud)) {
    throw new Failure(
      "core.js does not hold the check of stale closures",
      "wasm-bindgen changed its glue: see quietStaleClosures in scripts/wasm.mjs.",
    );
  }
  fs.writeFileSync(glue, text.replaceAll(loud, "return undefined;"));
}

/**
 * The published module names no folder of the machine that built it, and holds SHA-256 as a loop: its records are
 * small.
 */
function rustFlags() {
  const sources = path.join(
    process.env.CARGO_HOME ?? path.join(os.homedir(), ".cargo"),
    "registry",
    "src",
  );
  const registries = fs.existsSync(sources) ? fs.readdirSync(sources) : [];
  const folders = [...registries.map((name) => path.join(sources, name)), root];
  const remapped = folders.map(
    (folder) => `--remap-path-prefix=${folder}=${folder === root ? "mnemograph" : "crates"}`,
  );
  return [...remapped, '--cfg=sha2_backend_soft="compact"'].join("\x1f");
}

const binaryenVersion = () => JSON.parse(readText("node_modules/binaryen/package.json")).version;

/**
 * Puts the files of one folder in the place of another's, without a moment in which a file is missing.
 *
 * @param {string} from
 * @param {string} to
 */
function replaceFiles(from, to) {
  fs.mkdirSync(to, { recursive: true });
  const fresh = fs.readdirSync(from);
  for (const name of fresh) {
    fs.copyFileSync(path.join(from, name), path.join(to, `${name}.new`));
    fs.renameSync(path.join(to, `${name}.new`), path.join(to, name));
  }
  for (const name of fs.readdirSync(to)) {
    if (!fresh.includes(name)) fs.rmSync(path.join(to, name), { recursive: true });
  }
}

if (isMain(import.meta.url)) {
  const dev = process.argv.includes("--dev");
  await script(async () => {
    await buildWasm({ dev });
    if (!dev) await checkSizes();
  });
}
