// Runs a module in a real page, beside the package as it is shipped, and brings back what it returns.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { at } from "../../scripts/lib/paths.mjs";
import { serve } from "../../scripts/lib/serve.mjs";
import { openPage } from "./open-page.mjs";

/** Runs inside the page; a text, since test runners rewrite the `import` of functions. */
const runEntry = `import("/entry.js").then((entry) => entry.default((line) => console.log(line)))`;

/**
 * Bundles `entry`, whose default export is `async (log) => result`, opens a page with it, and resolves
 * to the result. Imports of `mnemograph` are not bundled: the page loads the built package's own files.
 *
 * @param {import("playwright-core").Browser | import("playwright-core").BrowserContext} where
 * @param {string} entry
 * @param {object} [options]
 * @param {number} [options.timeout] milliseconds, two minutes by default
 * @param {string} [options.csp] the page's Content-Security-Policy
 * @param {Record<string, string>} [options.headers]
 * @param {Record<string, string>} [options.mounts] more folders to serve, by prefix
 * @param {import("esbuild").BuildOptions} [options.bundling] more for esbuild
 * @param {RegExp[]} [options.expected] problems that belong to the test
 * @param {(line: string) => void} [options.onLog]
 * @returns {Promise<any>} whatever the module returns, as JSON
 */
export async function runInPage(where, entry, options = {}) {
  const {
    timeout = 120_000,
    csp,
    headers = {},
    mounts = {},
    bundling = {},
    expected = [],
    onLog,
  } = options;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-page-"));
  let server;
  let opened;
  let timer;
  try {
    await bundle(entry, folder, bundling);
    const folders = { "/": folder, "/mnemograph/": at("pkg", "dist"), ...mounts };
    server = await serve(folders, { headers, ...(csp === undefined ? {} : { csp }) });
    opened = await openPage(where, `${server.origin}/`, { expected });
    const { page, assertClean } = opened;
    if (onLog) {
      page.on("console", (message) => {
        if (message.type() === "log") onLog(message.text());
      });
    }
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${entry}: no result in ${timeout} ms`)), timeout);
    });
    const result = await Promise.race([page.evaluate(runEntry), late]);
    assertClean();
    return result;
  } catch (error) {
    const problems = opened?.problems ?? [];
    if (problems.length > 0 && error instanceof Error)
      error.message += `\n  ${problems.join("\n  ")}`;
    throw error;
  } finally {
    clearTimeout(timer);
    await opened?.page.close();
    await server?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} entry
 * @param {string} folder
 * @param {import("esbuild").BuildOptions} more
 */
async function bundle(entry, folder, more) {
  await build({
    ...more,
    entryPoints: { entry: path.resolve(entry) },
    outdir: folder,
    bundle: true,
    external: ["mnemograph", "mnemograph/*"],
    format: "esm",
    platform: "browser",
    target: "es2022",
    sourcemap: "inline",
    logLevel: "error",
  });
  const imports = JSON.stringify({ imports: importMap() });
  fs.writeFileSync(
    path.join(folder, "index.html"),
    `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>page</title>
<script type="importmap">${imports}</script>`,
  );
}

/** Where the page finds what the package exports. */
function importMap() {
  const { exports } = JSON.parse(fs.readFileSync(at("pkg", "package.json"), "utf8"));
  /** @type {Record<string, string>} */
  const imports = {};
  for (const [name, target] of Object.entries(exports)) {
    const file = typeof target === "string" ? target : target.default;
    if (typeof file === "string" && file.startsWith("./dist/")) {
      imports[`mnemograph${name.slice(1)}`] = `/mnemograph/${file.slice("./dist/".length)}`;
    }
  }
  return imports;
}
