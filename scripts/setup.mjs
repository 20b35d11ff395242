// Makes a fresh machine ready: each step says what it does, is skipped when it is done, and tells
// what to do when it fails. Needs nothing but Node.js and Rust.
import fs from "node:fs";
import { findChromedriver, findChromium } from "./lib/browser.mjs";
import { at, toolsDir } from "./lib/paths.mjs";
import { ask, Failure, isMain, npm, readText, run, script, which } from "./lib/run.mjs";
import { atLeast, lockedVersion, staleNpmPackage } from "./lib/versions.mjs";
import {
  aptInstall,
  aptIsOurs,
  findWasmToolchain,
  installWasmToolchain,
} from "./lib/wasm-target.mjs";

/** The version of wasm-bindgen's tools that fits the library in Cargo.lock. */
const bindgenVersion = () => lockedVersion(readText("Cargo.lock"), "wasm-bindgen");

const rustVersion = () => readText("Cargo.toml").match(/^rust-version = "(.*)"$/m)?.[1] ?? "0";

const installedTools = () =>
  fs.existsSync(`${toolsDir}/.crates.toml`)
    ? fs.readFileSync(`${toolsDir}/.crates.toml`, "utf8")
    : "";

const steps = [
  {
    name: "Rust",
    done: () => {
      const found = ask("cargo", ["--version"])?.match(/\d+\.\d+\.\d+/)?.[0];
      return found && atLeast(found, rustVersion()) && found;
    },
    work: async () => {
      throw new Failure(
        `Rust ${rustVersion()} or newer is needed`,
        "Install it with rustup, or run `rustup update`; then run this again.",
      );
    },
  },
  {
    name: "wasm target",
    done: () => {
      const found = findWasmToolchain();
      return (
        found && (found.kind === "rustup" ? "from rustup" : "Debian's compiler, std built here")
      );
    },
    work: installWasmToolchain,
  },
  {
    name: "wasm-bindgen",
    done: () => {
      const version = bindgenVersion();
      return installedTools().includes(`"wasm-bindgen-cli ${version} `) && version;
    },
    work: async () => {
      const version = bindgenVersion();
      console.log(`  building its command line tools ${version}: about two minutes, once`);
      await run(
        "cargo",
        ["install", "wasm-bindgen-cli", `--version=${version}`, "--root", toolsDir, "--force"],
        {
          env: { CARGO_TARGET_DIR: at("target", "tools-build") },
          advice: "The build needs a C compiler and the crates registry.",
        },
      );
      fs.rmSync(at("target", "tools-build"), { recursive: true, force: true });
    },
  },
  {
    name: "npm packages",
    done: () => (stalePackage() ? undefined : "as locked"),
    work: async () => {
      await run(...npm(["ci", "--no-audit", "--no-fund"]), {
        advice: "npm needs its registry for this step.",
      });
      const stale = stalePackage();
      if (stale) {
        throw new Failure(
          `npm ci leaves out ${stale}`,
          "package-lock.json and a workspace's package.json differ: run `npm install` and commit the lock.",
        );
      }
    },
  },
];

/** An npm package that is not installed as the lock says. */
function stalePackage() {
  const file = at("node_modules", ".package-lock.json");
  if (!fs.existsSync(file)) return "all of them";
  const installed = fs.readFileSync(file, "utf8");
  // An install that was broken off leaves the list complete and the folders not.
  const folders = Object.keys(JSON.parse(installed).packages);
  return (
    staleNpmPackage(readText("package-lock.json"), installed) ??
    folders.find((folder) => !fs.existsSync(at(folder)))
  );
}

const browserStep = {
  name: "test browser",
  done: () => findChromium() && findChromedriver() && findChromium(),
  work: async () => {
    for (const name of ["CHROME_PATH", "CHROMEDRIVER"]) {
      const file = process.env[name];
      if (file && !fs.existsSync(file))
        throw new Failure(`${name} names a file that is not there: ${file}`);
    }
    if (!aptIsOurs()) {
      const missing = findChromium() ? "chromedriver" : "Chromium or Chrome";
      throw new Failure(
        `tests need ${missing}, and none was found`,
        [
          "On Debian or Ubuntu: sudo apt-get install --no-install-recommends chromium chromium-driver",
          "  On macOS: brew install --cask google-chrome chromedriver",
          "  Elsewhere: set CHROME_PATH and CHROMEDRIVER to the two programs, of the same version.",
        ].join("\n"),
      );
    }
    await aptInstall(["chromium", "chromium-driver"]);
  },
};

/**
 * Does what is not done yet.
 *
 * @param {{browser?: boolean}} [options] `browser`: also what tests need
 */
export async function setup({ browser = false } = {}) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20)
    throw new Failure(
      `Node.js ${process.versions.node} is too old`,
      "Install Node.js 20 or newer.",
    );
  if (!which("cargo"))
    throw new Failure("cargo is not on the PATH", "Install Rust with rustup, then run this again.");
  for (const { name, done, work } of browser ? [...steps, browserStep] : steps) {
    let state = done();
    if (!state) {
      console.log(`• ${name}: to do`);
      await work();
      state = done();
      if (!state)
        throw new Failure(`${name}: the step ended well, but what it should bring is not there`);
    }
    console.log(`✓ ${name}: ${state}`);
  }
}

if (isMain(import.meta.url)) {
  await script(() => setup({ browser: !process.argv.includes("--no-browser") }));
}
