// What a page has to load, and whether it is small enough.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { at, wasmOut } from "./paths.mjs";

/**
 * Budgets in bytes after gzip. A budget moves only in a commit that says why. The goal for the whole of
 * graph, templates, engine, memory and storage is 160 kB; this one keeps what is reached from growing.
 */
export const budgets = { "wasm + glue": 724_000 };

/**
 * @typedef {{name: string, raw: number, gzip: number, brotli: number}} Size
 */

/**
 * @param {string} name
 * @param {Uint8Array} bytes
 * @returns {Size}
 */
export function sizeOf(name, bytes) {
  const quality = { [zlib.constants.BROTLI_PARAM_QUALITY]: zlib.constants.BROTLI_MAX_QUALITY };
  return {
    name,
    raw: bytes.length,
    gzip: zlib.gzipSync(bytes, { level: 9 }).length,
    brotli: zlib.brotliCompressSync(bytes, { params: quality }).length,
  };
}

/**
 * The sum of sizes, as one row.
 *
 * @param {string} name
 * @param {Size[]} sizes
 * @returns {Size}
 */
export const sumOf = (name, sizes) => ({
  name,
  raw: sizes.reduce((sum, size) => sum + size.raw, 0),
  gzip: sizes.reduce((sum, size) => sum + size.gzip, 0),
  brotli: sizes.reduce((sum, size) => sum + size.brotli, 0),
});

/** The rows of the size table: the module, its minified glue, both, and the package's entry points. */
export async function measure() {
  const { transform } = await import("esbuild");
  const wasm = sizeOf("core_bg.wasm", fs.readFileSync(path.join(wasmOut, "core_bg.wasm")));
  const source = fs.readFileSync(path.join(wasmOut, "core.js"), "utf8");
  const { code } = await transform(source, { minify: true, format: "esm", target: "es2022" });
  const glue = sizeOf("core.js (minified)", Buffer.from(code));
  const rows = [wasm, glue, sumOf("wasm + glue", [wasm, glue])];
  const dist = at("pkg", "dist");
  if (fs.existsSync(dist)) {
    for (const file of fs
      .readdirSync(dist)
      .filter((name) => name.endsWith(".js"))
      .sort()) {
      rows.push(sizeOf(`pkg/dist/${file}`, fs.readFileSync(path.join(dist, file))));
    }
  }
  return rows;
}

/**
 * The table as text, with the budgets that hold.
 *
 * @param {Size[]} rows
 */
export function sizeTable(rows) {
  const kB = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1).padStart(9);
  const width = Math.max(...rows.map(({ name }) => name.length), 4);
  const head = `${"size, kB".padEnd(width)} ${"raw".padStart(9)} ${"gzip".padStart(9)} ${"brotli".padStart(9)}`;
  const lines = rows.map(({ name, raw, gzip, brotli }) => {
    const budget = budgets[/** @type {keyof typeof budgets} */ (name)];
    const note = budget
      ? `   budget ${budget / 1000} gzip${gzip > budget ? ": EXCEEDED" : ""}`
      : "";
    return `${name.padEnd(width)} ${kB(raw)} ${kB(gzip)} ${kB(brotli)}${note}`;
  });
  return [head, ...lines].join("\n");
}

/**
 * The rows over their budget.
 *
 * @param {Size[]} rows
 */
export const overBudget = (rows) =>
  rows.filter(({ name, gzip }) => {
    const budget = budgets[/** @type {keyof typeof budgets} */ (name)];
    return budget !== undefined && gzip > budget;
  });
