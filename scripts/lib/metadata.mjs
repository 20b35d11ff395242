// What cargo knows of the workspace and its dependencies, asked once.
import { wasmTarget } from "./paths.mjs";
import { ask, Failure } from "./run.mjs";

/** @type {any} cargo's own format, read in a few places only */
let known;

/** `cargo metadata` for the wasm target. */
export function metadata() {
  if (!known) {
    const text = ask(
      "cargo",
      ["metadata", "--format-version=1", `--filter-platform=${wasmTarget}`],
      { show: true },
    );
    if (!text)
      throw new Failure(
        "cargo metadata failed",
        "Run it to see why: cargo metadata --format-version=1",
      );
    known = JSON.parse(text);
  }
  return known;
}
