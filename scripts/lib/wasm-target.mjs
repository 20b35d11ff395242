// How this machine compiles Rust to wasm: with rustup's target, or with Debian's compiler, which
// brings the sources of std and builds it once. MNEMOGRAPH_WASM_TOOLCHAIN=debian leaves rustup's alone.
import fs from "node:fs";
import path from "node:path";
import { wasmTarget, wasmTargetDir } from "./paths.mjs";
import { ask, Failure, run, which } from "./run.mjs";

const debianPackages = ["rustc-web", "cargo-web", "rust-web-src"];
const debianCargo = "/usr/bin/cargo";
const debianRustc = "/usr/bin/rustc";

/**
 * @typedef {object} WasmToolchain
 * @property {"rustup" | "debian"} kind
 * @property {string} cargo
 * @property {string[]} args what every cargo command for wasm needs
 * @property {Record<string, string>} env
 */

/**
 * The way to build that is ready to use now, or `undefined`.
 *
 * @returns {WasmToolchain | undefined}
 */
export function findWasmToolchain() {
  const forced = process.env.MNEMOGRAPH_WASM_TOOLCHAIN;
  return (forced === "debian" ? undefined : byRustup()) ?? byDebian();
}

/** The way to build that is ready to use; a Failure where there is none. */
export function wasmToolchain() {
  const found = findWasmToolchain();
  if (!found) throw new Failure("no compiler for wasm32 was found", "Run `npm run setup`.");
  return found;
}

/** Can apt-get be used here without asking anybody? */
export const aptIsOurs = () =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  fs.existsSync("/etc/debian_version") &&
  which("apt-get") !== undefined;

/**
 * Installs Debian packages.
 *
 * @param {string[]} packages
 */
export async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const advice = `Install by hand: apt-get install --no-install-recommends ${packages.join(" ")}`;
  await run("apt-get", ["update", "-q"], { env, advice });
  await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], {
    env,
    advice,
  });
}

/** Makes a wasm compiler available. */
export async function installWasmToolchain() {
  const rustup = process.env.MNEMOGRAPH_WASM_TOOLCHAIN === "debian" ? undefined : which("rustup");
  if (rustup) {
    try {
      await run(rustup, ["target", "add", wasmTarget]);
      if (findWasmToolchain()) return;
    } catch {
      console.log(`  rustup cannot add ${wasmTarget} here; trying Debian's packages`);
    }
  }
  if (aptIsOurs()) {
    await aptInstall(findLinker() ? debianPackages : [...debianPackages, "lld"]);
    if (findWasmToolchain()) return;
  }
  throw new Failure(
    `Rust's target ${wasmTarget} is missing`,
    [
      `With rustup: rustup target add ${wasmTarget}`,
      `  On Debian, as root: apt-get install --no-install-recommends ${debianPackages.join(" ")} lld`,
    ].join("\n"),
  );
}

function byRustup() {
  const sysroot = ask("rustc", ["--print", "sysroot"]);
  if (!sysroot || !fs.existsSync(path.join(sysroot, "lib", "rustlib", wasmTarget, "lib"))) {
    return undefined;
  }
  return /** @type {WasmToolchain} */ ({
    kind: "rustup",
    cargo: "cargo",
    args: [],
    env: { CARGO_TARGET_DIR: wasmTargetDir },
  });
}

function byDebian() {
  if (process.platform !== "linux" || !fs.existsSync(debianRustc)) return undefined;
  const sysroot = ask(debianRustc, ["--print", "sysroot"]);
  if (!sysroot || !fs.existsSync(debianCargo)) return undefined;
  if (!fs.existsSync(path.join(sysroot, "lib/rustlib/src/rust/library/std/Cargo.toml"))) {
    return undefined;
  }
  const linker = findLinker();
  if (!linker) return undefined;
  return /** @type {WasmToolchain} */ ({
    kind: "debian",
    cargo: debianCargo,
    args: ["-Z", "build-std=std,panic_abort"],
    env: {
      CARGO_TARGET_DIR: wasmTargetDir,
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
      RUSTC: debianRustc,
      RUSTC_BOOTSTRAP: "1",
    },
  });
}

/** Debian's rustc asks for rust-lld and has none: rustup's compiler has one, Debian's lld is another. */
function findLinker() {
  const sysroot = ask("rustc", ["--print", "sysroot"]);
  const host = ask("rustc", ["-vV"])?.match(/^host: (.*)$/m)?.[1];
  if (sysroot && host) {
    const lld = path.join(sysroot, "lib", "rustlib", host, "bin", "rust-lld");
    if (fs.existsSync(lld)) return lld;
  }
  return which("rust-lld", "wasm-ld");
}
