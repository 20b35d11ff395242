// `npm run bench`: measures in Chromium on a profile on the disk, prints tables and keeps all numbers in
// tests/results/bench.json. Nothing here passes or fails but the sizes. `npm run bench -- NAME …` runs
// some of the benches; with `--built` it takes what is built already.
//
// There are two sorts. tests/bench/NAME.bench.ts runs in one page: its default export is
// `async (log) => ({title, tables: [{title, rows}], notes?})`, where rows are objects with the same keys,
// numbers or texts, and notes are lines. tests/bench/NAME/ is for what happens once in a page: each module in
// it is one way to do the same, runs in fresh pages by turns with the others, and gives `{step: milliseconds}`.
// `npm run bench:peers` is `--peers`: the bench beside other libraries, which it installs first.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { at } from "./lib/paths.mjs";
import { Failure, isMain, npm, run, script } from "./lib/run.mjs";
import { measure, sizeTable } from "./lib/sizes.mjs";
import { textTable } from "./lib/text-table.mjs";
import { setup } from "./setup.mjs";
import { buildWasm, checkSizes } from "./wasm.mjs";

const folder = at("tests", "bench");
const suffix = ".bench.ts";

/** Folders that are no bench: helpers, and the peers with what they install. */
const helpers = ["parts", "peers"];

const peers = path.join("peers", "peers.bench.js");

/** How many fresh pages each way gets. */
const PAGES = 9;

/** A page that is isolated has a timer with steps of 5 µs. */
const isolated = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

async function main() {
  const asked = process.argv.slice(2);
  const names = chosen(asked.filter((name) => !name.startsWith("--")));
  await setup({ browser: true });
  const besides = asked.includes("--peers");
  if (besides)
    await run(...npm(["ci", "--no-audit", "--no-fund"]), { cwd: path.join(folder, "peers") });
  if (!asked.includes("--built")) {
    await buildWasm();
    await run(...npm(["run", "build", "--workspace", "pkg"]));
  }
  const sizes = await measure();
  console.log(sizeTable(sizes));
  const benches = /** @type {Record<string, Result>} */ ({});
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-bench-"));
  const { launchProfile } = await import("../tests/lib/index.mjs");
  const context = await launchProfile(profile, {
    args: ["--disable-background-timer-throttling", "--disable-renderer-backgrounding"],
  });
  try {
    for (const name of besides ? ["peers"] : names) {
      console.log(`\n━━ ${name}`);
      const result = await ways(name)(context, name);
      benches[name] = result;
      show(result);
    }
    const made = {
      chromium: context.browser()?.version(),
      node: process.version,
      cpus: `${os.cpus().length} × ${os.cpus()[0]?.model}`,
      load: os.loadavg()[0],
    };
    const file = at("tests", "results", besides ? "bench-peers.json" : "bench.json");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ made, sizes, benches }, undefined, 2)}\n`);
    console.log(`\nAll numbers: ${path.relative(at(), file)}`);
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
  console.log();
  await checkSizes();
}

/** @param {string[]} asked */
function chosen(asked) {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  const all = entries.flatMap((entry) => {
    if (entry.isDirectory()) return helpers.includes(entry.name) ? [] : [entry.name];
    return entry.name.endsWith(suffix) ? [entry.name.slice(0, -suffix.length)] : [];
  });
  const unknown = asked.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Failure(`no such bench: ${unknown.join(", ")}`, `There are: ${all.join(", ")}`);
  }
  return asked.length > 0 ? asked : all.sort();
}

/**
 * @typedef {Record<string, string | number>} Row
 * @typedef {{title: string, tables: {title: string, rows: Row[]}[], notes?: string[]}} Result
 * @typedef {import("playwright-core").BrowserContext} Context
 */

/**
 * How a bench is run.
 *
 * @param {string} name
 * @returns {(context: Context, name: string) => Promise<Result>}
 */
function ways(name) {
  if (name === "peers") return besidePeers;
  return fs.existsSync(path.join(folder, name)) ? inFreshPages : inOnePage;
}

/**
 * @param {Context} context
 * @param {string} name
 * @returns {Promise<Result>}
 */
const inOnePage = (context, name) => page(context, `${name}${suffix}`, 15 * 60_000);

/**
 * Rivet reaches a package that needs Node, though not in what is measured.
 *
 * @param {Context} context
 * @returns {Promise<Result>}
 */
const besidePeers = (context) =>
  page(context, peers, 30 * 60_000, {
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    alias: { "google-auth-library": path.join(folder, "peers", "node-only.js") },
  });

/**
 * @param {Context} context
 * @param {string} name
 * @returns {Promise<Result>}
 */
async function inFreshPages(context, name) {
  const ways = fs.readdirSync(path.join(folder, name)).sort();
  const samples = /** @type {Map<string, Record<string, number>[]>} */ (new Map());
  for (let i = 0; i <= PAGES; i += 1) {
    for (const way of i % 2 === 0 ? ways : [...ways].reverse()) {
      const sample = await page(context, path.join(name, way), 60_000);
      // The first page of each warms the browser up.
      if (i > 0) samples.set(way, [...(samples.get(way) ?? []), sample]);
    }
  }
  const steps = Object.keys(samples.get(ways[0] ?? "")?.[0] ?? {});
  const rows = steps.flatMap((step) =>
    ways.map((way) => {
      const values = (samples.get(way) ?? []).map((sample) => sample[step] ?? Number.NaN);
      const [p10, ms, p95] = [0.1, 0.5, 0.95].map((part) => quantile(values, part));
      return { step, way: path.basename(way, ".ts"), ms: ms ?? 0, p10: p10 ?? 0, p95: p95 ?? 0 };
    }),
  );
  return { title: `${name}: ${PAGES} fresh pages each`, tables: [{ title: "times", rows }] };
}

/**
 * @param {number[]} values
 * @param {number} part
 */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}

/**
 * @param {Context} context
 * @param {string} file
 * @param {number} timeout
 * @param {import("esbuild").BuildOptions} [bundling]
 */
async function page(context, file, timeout, bundling) {
  const { runInPage } = await import("../tests/lib/index.mjs");
  const begun = performance.now();
  const onLog = (/** @type {string} */ line) => {
    const seconds = (performance.now() - begun) / 1_000;
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${line}`);
  };
  return runInPage(context, path.join(folder, file), {
    timeout,
    headers: isolated,
    onLog,
    ...(bundling ? { bundling } : {}),
  });
}

/** @param {Result} result */
function show({ title, tables, notes = [] }) {
  console.log(`\n${title}`);
  for (const table of tables) console.log(`\n${table.title}\n${textTable(table.rows)}`);
  if (notes.length > 0) console.log();
  for (const note of notes) console.log(note);
}

if (isMain(import.meta.url)) await script(main);
