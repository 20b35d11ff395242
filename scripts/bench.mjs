// `npm run bench`: runs each tests/bench/*.bench.ts in Chromium on a profile on the disk, prints its
// table and keeps its numbers in tests/results. `npm run bench -- NAME …` runs some of them.
//
// A bench is a module whose default export is `async (log) => ({title, rows, notes?})`: rows are
// objects with the same keys, numbers or texts; notes are lines.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { at } from "./lib/paths.mjs";
import { Failure, isMain, npm, run, script } from "./lib/run.mjs";
import { textTable } from "./lib/text-table.mjs";
import { setup } from "./setup.mjs";
import { buildWasm, checkSizes } from "./wasm.mjs";

async function main() {
  await setup({ browser: true });
  await buildWasm();
  await run(...npm(["run", "build", "--workspace", "pkg"]));
  await checkSizes();
  for (const name of chosen()) await bench(name);
}

function chosen() {
  const folder = at("tests", "bench");
  const suffix = ".bench.ts";
  const all = (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .sort();
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !all.includes(name));
  if (unknown.length > 0 || all.length === 0) {
    throw new Failure(
      `no such bench: ${unknown.join(", ") || folder}`,
      `There are: ${all.join(", ")}`,
    );
  }
  return asked.length > 0 ? asked : all;
}

/** @param {string} name */
async function bench(name) {
  const { launchProfile, runInPage } = await import("../tests/lib/index.mjs");
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-bench-"));
  const context = await launchProfile(profile, {
    args: ["--disable-background-timer-throttling", "--disable-renderer-backgrounding"],
  });
  try {
    console.log(`\n━━ ${name}`);
    const result = await runInPage(context, at("tests", "bench", `${name}.bench.ts`), {
      timeout: 15 * 60_000,
      onLog: (line) => console.log(`  ${line}`),
    });
    console.log(`\n${result.title}\n${textTable(result.rows)}`);
    for (const note of result.notes ?? []) console.log(note);
    const file = at("tests", "results", `${name}.json`);
    const made = {
      chromium: context.browser()?.version(),
      node: process.version,
      cpus: os.cpus()[0]?.model,
    };
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ ...result, made }, undefined, 2)}\n`);
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) await script(main);
