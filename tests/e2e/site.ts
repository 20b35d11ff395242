/**
 * The page of the browser tests: `window.kit` (pages/kit.ts) beside the package as it is shipped. The page of the
 * inside (`/inside.html`) has the package's sources and the module's own exports instead.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { at } from "../../scripts/lib/paths.mjs";
import { launchChromium, openPage, serve } from "../lib/index.mjs";

export interface Site {
  browser: Browser;
  origin: string;
  /** A browser profile of its own, closed with the site. */
  context(): Promise<BrowserContext>;
  /** A page with the kit in a profile of its own, or in the given one. */
  open(options?: OpenOptions): Promise<Page>;
  /** Throws if a page had an error on its console or asked something beyond this machine. Then closes all. */
  close(): Promise<void>;
}

export interface OpenOptions {
  in?: BrowserContext;
  /** `/index.html` or `/inside.html`. */
  path?: string;
  /** Runs before the page's scripts. */
  init?: () => void;
  /** Problems that belong to the test. */
  expected?: RegExp[];
}

export interface PagesOptions {
  /** More folders to serve, by prefix. */
  mounts?: Record<string, string>;
  /** More pages beside the package as it is shipped: their scripts by their names. */
  scripts?: Record<string, string>;
  /** Given what pages POST to `/told`. */
  told?: (text: string) => void;
}

/** Builds the pages and serves them. */
export async function servePages({ mounts = {}, scripts = {}, told }: PagesOptions = {}): Promise<{
  origin: string;
  close(): Promise<void>;
}> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-e2e-"));
  const page = (name: string): string => at("tests", "e2e", "pages", `${name}.ts`);
  await Promise.all([
    bundle(folder, { kit: page("kit"), worker: page("worker"), ...scripts }, [shipped]),
    bundle(folder, { inside: page("inside") }, []),
  ]);
  for (const script of ["kit", "inside", ...Object.keys(scripts)]) {
    const name = script === "kit" ? "index" : script;
    fs.writeFileSync(path.join(folder, `${name}.html`), html(script));
  }
  const folders = {
    "/": folder,
    "/mnemograph/": at("pkg", "dist"),
    "/wasm/": at("pkg", "src", "wasm"),
    "/conformance/": at("tests", "conformance"),
    ...mounts,
  };
  const { origin, close } = await serve(folders, told === undefined ? {} : { told });
  return {
    origin,
    async close() {
      await close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the pages, serves them and starts a browser. */
export async function startSite(mounts: Record<string, string> = {}): Promise<Site> {
  const server = await servePages({ mounts });
  const browser = await launchChromium();
  const contexts: BrowserContext[] = [];
  const checks: (() => void)[] = [];
  const context = async (): Promise<BrowserContext> => {
    const made = await browser.newContext();
    contexts.push(made);
    return made;
  };
  return {
    browser,
    origin: server.origin,
    context,
    async open({ in: given, path: file = "/index.html", init, expected = [] } = {}) {
      const where = given ?? (await context());
      const { page, assertClean } = await openPage(where, `${server.origin}${file}`, {
        expected,
        ...(init === undefined ? {} : { init }),
      });
      checks.push(assertClean);
      await kitReady(page);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
      for (const check of checks) check();
    },
  };
}

/** Waits until the page's script has run; needed after each reload too. */
export async function kitReady(page: Page): Promise<void> {
  await page.waitForFunction(() => "kit" in window);
}

function bundle(
  folder: string,
  entryPoints: Record<string, string>,
  plugins: Plugin[],
): Promise<unknown> {
  return build({
    entryPoints,
    outdir: folder,
    bundle: true,
    plugins,
    format: "esm",
    platform: "browser",
    target: "es2022",
    sourcemap: "inline",
    logLevel: "error",
  });
}

/** Imports of the package go to its own files, by address: workers know no import maps. */
const shipped: Plugin = {
  name: "shipped",
  setup(esbuild) {
    const { exports } = JSON.parse(fs.readFileSync(at("pkg", "package.json"), "utf8")) as {
      exports: Record<string, { default: string }>;
    };
    esbuild.onResolve({ filter: /^mnemograph(\/|$)/ }, ({ path: name }) => {
      const file = exports[name.replace("mnemograph", ".")]?.default;
      if (file === undefined) return { errors: [{ text: `${name} is not exported` }] };
      return { path: file.replace("./dist/", "/mnemograph/"), external: true };
    });
  },
};

const html = (script: string): string =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${script}</title>
<script type="module" src="/${script}.js"></script>`;
