// Coverage of the pure crates, measured by the same test run whose results count.
import fs from "node:fs";
import path from "node:path";
import { pure } from "./dependencies.mjs";
import { at, root } from "./paths.mjs";
import { ask, Failure, run, which } from "./run.mjs";

const folder = at("target", "coverage");

/**
 * Runs `cargo test` with these arguments and returns what it printed; then prints the coverage, or why
 * there is none.
 *
 * @param {string[]} args
 */
export async function testWithCoverage(args) {
  const tools = await findTools();
  if (typeof tools === "string") {
    const output = await run("cargo", ["test", ...args], { tee: true });
    console.log(`\ncoverage skipped: ${tools}`);
    return output;
  }
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const env = {
    RUSTC_WORKSPACE_WRAPPER: at("scripts", "lib", "rustc-coverage.sh"),
    LLVM_PROFILE_FILE: path.join(folder, "%p-%m.profraw"),
  };
  const programs = build(args, env);
  const output = await run("cargo", ["test", ...args], { env, tee: true });
  report(tools, programs);
  return output;
}

/** llvm-profdata and llvm-cov of the compiler in use, or why there are none. */
async function findTools() {
  if (process.platform === "win32") return "it needs a Unix shell";
  const sysroot = ask("rustc", ["--print", "sysroot"]);
  const host = ask("rustc", ["-vV"])?.match(/^host: (.*)$/m)?.[1];
  if (!sysroot || !host) return "rustc does not tell where it is installed";
  const inTools = (/** @type {string} */ name) =>
    path.join(sysroot, "lib", "rustlib", host, "bin", name);
  const tools = { profdata: inTools("llvm-profdata"), cov: inTools("llvm-cov") };
  const there = () => fs.existsSync(tools.profdata) && fs.existsSync(tools.cov);
  if (!there() && which("rustup"))
    await run("rustup", ["component", "add", "llvm-tools"]).catch(() => undefined);
  return there() ? tools : "rustup's component llvm-tools cannot be had here";
}

/**
 * Builds the test programs and returns their paths.
 *
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function build(args, env) {
  const command = ["test", ...args, "--no-run", "--message-format=json-render-diagnostics"];
  const messages = ask("cargo", command, { env, show: true });
  if (messages === undefined) throw new Failure("the tests do not build");
  return messages
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.executable && message.profile?.test)
    .map((message) => /** @type {string} */ (message.executable));
}

/**
 * @param {{profdata: string, cov: string}} tools
 * @param {string[]} programs
 */
function report(tools, programs) {
  const profiles = fs.readdirSync(folder).map((name) => path.join(folder, name));
  const merged = path.join(folder, "all.profdata");
  const list = path.join(folder, "profiles.txt");
  fs.writeFileSync(list, profiles.join("\n"));
  const ok = ask(tools.profdata, ["merge", "-sparse", `--input-files=${list}`, "-o", merged]);
  const objects = programs.flatMap((program, i) => (i === 0 ? [program] : ["-object", program]));
  const text =
    ok === undefined
      ? undefined
      : ask(tools.cov, ["export", "-summary-only", `-instr-profile=${merged}`, ...objects]);
  if (!text) {
    console.log("\ncoverage skipped: the LLVM tools do not read the profiles of this compiler");
    return;
  }
  const { files } = JSON.parse(text).data[0];
  console.log(`\n${coverageTable(files, root, pure)}`);
}

/**
 * Line and function coverage by crate.
 *
 * @param {{filename: string, summary: Record<string, {count: number, covered: number}>}[]} files
 * @param {string} root
 * @param {string[]} crates
 */
export function coverageTable(files, root, crates) {
  const percent = (/** @type {typeof files} */ some, /** @type {string} */ kind) => {
    const covered = some.reduce((sum, { summary }) => sum + (summary[kind]?.covered ?? 0), 0);
    const count = countOf(some, kind);
    return count === 0 ? "-" : `${((100 * covered) / count).toFixed(1)} %`;
  };
  const countOf = (/** @type {typeof files} */ some, /** @type {string} */ kind) =>
    some.reduce((sum, { summary }) => sum + (summary[kind]?.count ?? 0), 0);
  const row = (/** @type {string} */ name, /** @type {typeof files} */ some) => [
    name,
    percent(some, "lines"),
    percent(some, "functions"),
    String(countOf(some, "lines")),
  ];
  const of = (/** @type {string} */ crate) =>
    files.filter(({ filename }) =>
      path.relative(root, filename).startsWith(path.join("crates", crate, "src")),
    );
  const known = crates.filter((crate) => of(crate).length > 0);
  const rows = [
    ...known.map((crate) => row(crate, of(crate))),
    row("all pure crates", known.flatMap(of)),
  ];
  return [["coverage", "lines", "functions", "of lines"], ...rows]
    .map(([name, ...cells]) =>
      [name?.padEnd(18), ...cells.map((cell) => cell.padStart(12))].join(""),
    )
    .join("\n");
}
