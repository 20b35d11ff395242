// `npm run test:faults`: kills browsers, fills their disks, damages what they store, and prints one table of what was torn,
// lost, unreported or hung. Fails unless all of it is 0. `-- --short` is the form that is part of `npm test`, `-- NAME …`
// runs the files of these names, and `--built` takes what is built already.

import { at } from "./lib/paths.mjs";
import { bin, isMain, npm, run, script } from "./lib/run.mjs";
import { setup } from "./setup.mjs";
import { buildWasm } from "./wasm.mjs";

/**
 * Runs the suite on what is built.
 *
 * @param {{long?: boolean, names?: string[]}} [options]
 * @returns {Promise<string>} what the test runner printed
 */
export function testFaults({ long = false, names = [] } = {}) {
  const args = ["run", "--config", "faults.config.ts", ...names];
  return run(...bin("vitest", args, "vitest", at("tests")), {
    cwd: at("tests"),
    env: { FAULTS: long ? "long" : "short" },
    tee: true,
  });
}

async function main() {
  const asked = process.argv.slice(2);
  const isAsked = (/** @type {string} */ option) => asked.includes(option);
  if (!isAsked("--built")) {
    await setup({ browser: true });
    await buildWasm();
    await run(...npm(["run", "build", "--workspace", "pkg"]));
  }
  const names = asked.filter((name) => !name.startsWith("--"));
  await testFaults({ long: !isAsked("--short"), names });
}

if (isMain(import.meta.url)) await script(main);
