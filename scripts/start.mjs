// `npm start`: sets up what is missing, builds what changed, serves the playground.
// Options: --dev (Vite's development server), --port N, --no-open.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, root } from "./lib/paths.mjs";
import { bin, Failure, isMain, npm, run, script } from "./lib/run.mjs";
import { serve } from "./lib/serve.mjs";
import { digest, isStamped, stamp } from "./lib/stamps.mjs";
import { setup } from "./setup.mjs";
import { buildWasm } from "./wasm.mjs";

const www = at("www");

async function main() {
  const dev = process.argv.includes("--dev");
  await setup();
  await buildWasm();
  await once("package", at("pkg", "dist"), [at("pkg")], () =>
    run(...npm(["run", "build", "--workspace", "pkg"])),
  );
  if (dev) {
    await run(...bin("vite", ["--host", "127.0.0.1"], "vite", www), { cwd: www });
    return;
  }
  await once("playground", at("www", "dist"), [at("pkg", "dist"), www], () =>
    run(...bin("vite", ["build", "--logLevel", "warn"], "vite", www), { cwd: www }),
  );
  // The same port each time: the browser keeps conversations by origin.
  const named = process.argv.indexOf("--port");
  const port = named < 0 ? undefined : Number(process.argv[named + 1]);
  if (port !== undefined && !(port > 0 && port < 65536))
    throw new Failure("--port needs a number from 1 to 65535");
  const ports = port ? [port] : [4173, 4174, 4175, 0];
  const { origin } = await serve(at("www", "dist"), { ports }).catch((error) => {
    throw error.code === "EADDRINUSE" ? new Failure(`port ${port} is in use`) : error;
  });
  console.log(`\nThe playground is at ${origin}/   (stop with Ctrl-C)`);
  openBrowser(`${origin}/`);
}

/**
 * Builds unless the sources are the same as last time.
 *
 * @param {string} name
 * @param {string} result
 * @param {string[]} sources folders
 * @param {() => Promise<unknown>} build
 */
async function once(name, result, sources, build) {
  const key = digest(
    sources.flatMap((folder) => listing(folder, path.relative(root, folder).endsWith("dist"))),
  );
  if (fs.existsSync(result) && isStamped(name, key)) {
    console.log(`✓ ${name}: up to date`);
    return;
  }
  await build();
  stamp(name, key);
  console.log(`✓ ${name}: built`);
}

/**
 * Names, sizes and times of the files that a build can depend on.
 *
 * @param {string} folder
 * @param {boolean} built is the folder itself a result?
 * @returns {string[]}
 */
function listing(folder, built) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name === "node_modules" || (!built && entry.name === "dist")) return [];
    if (entry.isDirectory()) return listing(file, built);
    const { size, mtimeMs } = fs.statSync(file);
    return [`${file} ${size} ${mtimeMs}`];
  });
}

/**
 * Opens a browser where a person sits in front of one.
 *
 * @param {string} url
 */
function openBrowser(url) {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const { platform } = process;
  const screen = platform === "darwin" || platform === "win32" || DISPLAY || WAYLAND_DISPLAY;
  if (CI || !screen || !process.stdout.isTTY || process.argv.includes("--no-open")) return;
  const [command, args] =
    platform === "darwin"
      ? ["open", [url]]
      : platform === "win32"
        ? ["cmd", ["/c", "start", "", url]]
        : ["xdg-open", [url]];
  spawn(/** @type {string} */ (command), /** @type {string[]} */ (args), {
    stdio: "ignore",
    detached: true,
  })
    .on("error", () => {})
    .unref();
}

if (isMain(import.meta.url)) await script(main);
