// Starting Chromium so that nothing but this machine can be reached.
import { spawn } from "node:child_process";
import { once } from "node:events";
import readline from "node:readline";
import { chromium } from "playwright-core";
import { chromiumArgs, findChromium } from "../../scripts/lib/browser.mjs";

const offline = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";

/**
 * @param {string[]} args
 */
function options(args) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium was found: run `npm run setup`");
  return { executablePath, args: [...chromiumArgs, offline, ...args] };
}

/**
 * A Chromium whose contexts keep their data in memory. The caller closes it.
 *
 * @param {{args?: string[]}} [more]
 */
export const launchChromium = ({ args = [] } = {}) => chromium.launch(options(args));

/**
 * A Chromium on a profile folder: IndexedDB really goes to the disk, and is there after a restart.
 *
 * @param {string} folder
 * @param {{args?: string[]}} [more]
 */
export const launchProfile = (folder, { args = [] } = {}) =>
  chromium.launchPersistentContext(folder, options(args));

/**
 * How Chromium is started on a profile folder to be killed later.
 *
 * @param {string} folder
 * @param {string[]} more
 */
export function chromiumToKill(folder, more = []) {
  const { executablePath, args } = options([
    "--headless=new",
    "--remote-debugging-port=0",
    `--user-data-dir=${folder}`,
    ...more,
  ]);
  return { command: executablePath, args };
}

/**
 * A Chromium on a profile folder whose processes, all of them, can be killed in the midst of their work.
 *
 * @param {string} folder
 */
export async function launchToKill(folder) {
  const { command, args } = chromiumToKill(folder);
  const { stderr, kill } = spawnToKill(command, [...args, "about:blank"]);
  const browser = await chromium.connectOverCDP(await address(stderr));
  const context = browser.contexts()[0];
  if (!context) throw new Error("Chromium has no default context");
  return { context, kill };
}

/**
 * Starts a program in a process group of its own, which `kill` ends at once, whatever it is doing.
 *
 * @param {string} command
 * @param {string[]} args
 */
export function spawnToKill(command, args) {
  const child = spawn(command, args, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  return {
    stderr: child.stderr,
    async kill() {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (!isOver && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await exited;
    },
  };
}

/**
 * Where Chromium listens, as it says itself. Goes on reading: a full pipe would stop it.
 *
 * @param {import("node:stream").Readable} stderr
 * @returns {Promise<string>}
 */
function address(stderr) {
  const said = readline.createInterface({ input: stderr });
  return new Promise((resolve, reject) => {
    said.on("line", (line) => {
      const found = /listening on (ws:\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    said.on("close", () => reject(new Error("Chromium ended before it listened")));
  });
}
