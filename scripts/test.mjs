// `npm test`: sets up what is missing, then runs every check and test, phase by phase. Stops at the
// first phase that fails. `npm test -- --only native,sdk` runs some phases, for development.
import fs from "node:fs";
import path from "node:path";
import { browser, checkTypeScript, native, runChecks } from "./check.mjs";
import { testFaults } from "./faults.mjs";
import { chromiumArgs, findChromedriver, findChromium } from "./lib/browser.mjs";
import { countPassed } from "./lib/count.mjs";
import { testWithCoverage } from "./lib/coverage.mjs";
import { at, toolsDir, wasmTarget } from "./lib/paths.mjs";
import { Failure, isMain, npm, run, script } from "./lib/run.mjs";
import { wasmToolchain } from "./lib/wasm-target.mjs";
import { setup } from "./setup.mjs";
import { buildWasm, checkSizes } from "./wasm.mjs";

/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {string} what
 * @property {() => Promise<string | void>} work what the test runner printed, where it is a test phase
 * @property {boolean} [tests] fails where no test ran
 */

/** @type {Phase[]} */
const phases = [
  { name: "setup", what: "tools, packages, browser", work: () => setup({ browser: true }) },
  { name: "check", what: "format, lints, types, dependencies, docs", work: runChecks },
  { name: "scripts", what: "tests of the scripts", work: testScripts, tests: true },
  {
    name: "native",
    what: "Rust tests, coverage",
    work: () => testWithCoverage(native),
    tests: true,
  },
  { name: "browser", what: "Rust tests in Chromium", work: testInBrowser, tests: true },
  { name: "wasm", what: "the release module", work: () => buildWasm() },
  { name: "typescript", what: "the package built, types checked", work: checkTypeScript },
  { name: "sdk", what: "tests of the npm package", work: () => testWorkspace("pkg"), tests: true },
  {
    name: "playground",
    what: "tests of the playground's pure parts",
    work: () => testWorkspace("www"),
    tests: true,
  },
  { name: "pages", what: "tests of pages in Chromium", work: testPages, tests: true },
  {
    name: "faults",
    what: "kills, full disks, damaged stores: the short form",
    work: () => testFaults(),
    tests: true,
  },
  { name: "sizes", what: "what a page has to load", work: checkSizes },
];

function testScripts() {
  const files = fs.readdirSync(at("scripts", "test")).map((name) => at("scripts", "test", name));
  return run(process.execPath, ["--test", "--test-reporter=spec", ...files], { tee: true });
}

function testInBrowser() {
  const { cargo, args, env } = wasmToolchain();
  const capabilities = at("target", "webdriver.json");
  const chrome = { binary: findChromium(), args: ["--headless=new", ...chromiumArgs] };
  fs.writeFileSync(capabilities, JSON.stringify({ "goog:chromeOptions": chrome }));
  return run(cargo, ["test", "--target", wasmTarget, ...args, ...browser, "--all-targets"], {
    tee: true,
    env: {
      ...env,
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: "wasm-bindgen-test-runner",
      PATH: [path.join(toolsDir, "bin"), process.env.PATH].join(path.delimiter),
      CHROMEDRIVER: findChromedriver(),
      WASM_BINDGEN_TEST_TIMEOUT: "300",
      WASM_BINDGEN_TEST_WEBDRIVER_JSON: capabilities,
    },
  });
}

const testWorkspace = (/** @type {string} */ name) =>
  run(...npm(["test", "--workspace", name]), { tee: true });

async function testPages() {
  await run(...npm(["run", "build", "--workspace", "www"]));
  return testWorkspace("tests");
}

/** The phases that `--only a,b` names, or all. */
function chosen() {
  const at = process.argv.indexOf("--only");
  if (at < 0) return phases;
  const names = (process.argv[at + 1] ?? "").split(",");
  const unknown = names.filter((name) => !phases.some((phase) => phase.name === name));
  if (unknown.length > 0) {
    const list = phases.map(({ name, what }) => `${name.padEnd(11)} ${what}`).join("\n  ");
    throw new Failure(`unknown phase: ${unknown.join(", ")}`, `The phases:\n  ${list}`);
  }
  return phases.filter(({ name }) => names.includes(name));
}

async function main() {
  /** @type {{name: string, seconds: number, passed: number | undefined, failed?: boolean}[]} */
  const rows = [];
  try {
    for (const { name, what, work, tests } of chosen()) {
      console.log(`\n━━ ${name}: ${what}`);
      const started = performance.now();
      const row = {
        name,
        seconds: 0,
        passed: /** @type {number | undefined} */ (undefined),
        failed: true,
      };
      rows.push(row);
      try {
        const output = await work();
        if (tests) row.passed = countPassed(output ?? "");
        if (row.passed === 0)
          throw new Failure(`${name}: no test ran`, "A phase without tests shows nothing.");
        row.failed = false;
      } finally {
        row.seconds = (performance.now() - started) / 1000;
      }
    }
  } finally {
    console.log(`\n${summary(rows)}`);
  }
}

/** @param {{name: string, seconds: number, passed: number | undefined, failed?: boolean}[]} rows */
function summary(rows) {
  const line = (
    /** @type {string} */ name,
    /** @type {string} */ time,
    /** @type {string} */ tests,
  ) => `${name.padEnd(14)}${time.padStart(8)}${tests.padStart(8)}`;
  const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  const passed = rows.reduce((sum, row) => sum + (row.passed ?? 0), 0);
  const failed = rows.filter((row) => row.failed).map(({ name }) => name);
  return [
    line("phase", "seconds", "passed"),
    ...rows.map((row) =>
      line(
        `${row.failed ? "✗" : "✓"} ${row.name}`,
        row.seconds.toFixed(1),
        String(row.passed ?? ""),
      ),
    ),
    line("all", total.toFixed(1), String(passed)),
    ...closing(),
  ].join("\n");

  function closing() {
    if (failed.length > 0) return [`failed in: ${failed.join(", ")}`];
    return passed > 0 ? [`${passed} passed, 0 failed`] : [];
  }
}

if (isMain(import.meta.url)) await script(main);
