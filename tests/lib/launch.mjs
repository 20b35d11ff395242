// Starting Chromium so that nothing but this machine can be reached.
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
