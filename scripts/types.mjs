// Writes pkg/src/generated from the Rust types; with --check, fails where it is not up to date.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at } from "./lib/paths.mjs";
import { bin, Failure, isMain, run, script } from "./lib/run.mjs";

const committed = at("pkg", "src", "generated");

/**
 * @param {{check?: boolean}} [options]
 */
export async function types({ check = false } = {}) {
  const folder = check ? at("target", "generated") : committed;
  fs.rmSync(folder, { recursive: true, force: true });
  await run("cargo", ["run", "--quiet", "--package", "mnemograph-typegen", "--", folder]);
  for (const name of fs.readdirSync(folder)) format(path.join(folder, name));
  if (!check) {
    console.log(`✓ types: written to ${path.relative(at(), folder)}`);
    return;
  }
  const stale = differing(folder, committed);
  if (stale.length > 0) {
    throw new Failure(
      `the generated TypeScript differs from the Rust types: ${stale.join(", ")}`,
      "Run `npm run types`, read the difference, and commit it.",
    );
  }
  console.log("✓ types: as generated");
}

/**
 * Formats a generated file, so that its differences can be read.
 *
 * @param {string} file
 */
function format(file) {
  const [command, args] = bin("@biomejs/biome", [
    "format",
    `--stdin-file-path=pkg/src/${path.basename(file)}`,
  ]);
  const answer = spawnSync(command, args, { cwd: at(), input: fs.readFileSync(file) });
  if (answer.status !== 0) throw new Failure(`biome does not format ${file}: ${answer.stderr}`);
  fs.writeFileSync(file, answer.stdout);
}

/**
 * The names of files that are not the same in two folders.
 *
 * @param {string} one
 * @param {string} other
 */
export function differing(one, other) {
  const list = (/** @type {string} */ dir) => (fs.existsSync(dir) ? fs.readdirSync(dir) : []);
  const text = (/** @type {string} */ dir, /** @type {string} */ name) =>
    fs.existsSync(path.join(dir, name)) ? fs.readFileSync(path.join(dir, name), "utf8") : undefined;
  return [...new Set([...list(one), ...list(other)])]
    .filter((name) => text(one, name) !== text(other, name))
    .sort();
}

if (isMain(import.meta.url)) {
  await script(() => types({ check: process.argv.includes("--check") }));
}
