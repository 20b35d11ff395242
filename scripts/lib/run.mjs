// Running other programs: one way to start them, one way to fail.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { at, root } from "./paths.mjs";

/** An error whose message is all that a person needs: printed without a stack. */
export class Failure extends Error {
  /**
   * @param {string} message what failed
   * @param {string} [advice] what to do about it
   */
  constructor(message, advice) {
    super(message);
    this.name = "Failure";
    this.advice = advice;
  }
}

/**
 * Runs a program, showing what it prints. With `tee` its output is also returned.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string | undefined>, tee?: boolean, advice?: string}} [options]
 * @returns {Promise<string>}
 */
export function run(command, args, options = {}) {
  const { cwd = root, env = {}, tee = false, advice } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", tee ? "pipe" : "inherit", tee ? "pipe" : "inherit"],
    });
    let text = "";
    if (tee) {
      const copy = (/** @type {NodeJS.WriteStream} */ out) => (/** @type {Buffer} */ chunk) => {
        text += chunk.toString("utf8");
        out.write(chunk);
      };
      child.stdout?.on("data", copy(process.stdout));
      child.stderr?.on("data", copy(process.stderr));
    }
    const said = [path.basename(command), ...args].join(" ");
    child.on("error", (error) => reject(new Failure(`${said}: ${error.message}`, advice)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new Failure(`${said} ended with ${signal ?? `code ${code}`}`, advice));
    });
  });
}

/**
 * What a program prints, or `undefined` where it cannot be run or fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: Record<string, string | undefined>, cwd?: string, show?: boolean}} [options] `show`: what
 *   the program says on its error output is shown
 */
export function ask(command, args, options = {}) {
  const answer = spawnSync(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", options.show ? "inherit" : "ignore"],
  });
  return answer.status === 0 ? answer.stdout.trim() : undefined;
}

/**
 * The first of these programs found on the PATH, as a full path.
 *
 * @param {...string} names
 */
export function which(...names) {
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const name of names) {
    for (const dir of (process.env.PATH ?? "").split(path.delimiter)) {
      for (const suffix of suffixes) {
        const file = path.join(dir, name + suffix);
        if (dir && fs.existsSync(file)) return file;
      }
    }
  }
  return undefined;
}

/**
 * The command line of npm itself: the npm that runs us, else the one on the PATH.
 *
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
export function npm(args) {
  const self = process.env.npm_execpath;
  if (self?.endsWith(".js")) return [process.execPath, [self, ...args]];
  const found = which("npm");
  if (!found) throw new Failure("npm is not on the PATH", "Install Node.js 20 or newer with npm.");
  return [found, args];
}

/**
 * The command line of a program that came with an npm package.
 *
 * @param {string} name the package
 * @param {string[]} args
 * @param {string} [bin] the program, where it is not named like the package
 * @param {string} [from] the workspace whose version is meant
 * @returns {[string, string[]]}
 */
export function bin(name, args, bin = path.basename(name), from = root) {
  let dir;
  for (const base of createRequire(path.join(from, "package.json")).resolve.paths(name) ?? []) {
    if (fs.existsSync(path.join(base, name, "package.json"))) {
      dir = path.join(base, name);
      break;
    }
  }
  if (!dir) throw new Failure(`the npm package ${name} is not installed`, "Run `npm run setup`.");
  const { bin: bins } = JSON.parse(fs.readFileSync(path.join(dir, "package.json"), "utf8"));
  const file = typeof bins === "string" ? bins : bins[bin];
  return [process.execPath, [path.join(dir, file), ...args]];
}

/**
 * Runs the main function of a script: a Failure is told in two lines, anything else with its stack.
 *
 * @param {() => Promise<void>} main
 */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof Failure) {
      console.error(`\nfailed: ${error.message}`);
      if (error.advice) console.error(`  ${error.advice}`);
    } else {
      console.error(error);
    }
    process.exitCode = 1;
  }
}

/**
 * Is this module the one that Node was started with?
 *
 * @param {string} url `import.meta.url`
 */
export function isMain(url) {
  const started = process.argv[1];
  return (
    started !== undefined &&
    url.endsWith(path.basename(started)) &&
    fs.realpathSync(started) === fs.realpathSync(new URL(url))
  );
}

/** @param {string} file a file in the repository */
export const readText = (file) => fs.readFileSync(at(file), "utf8");
