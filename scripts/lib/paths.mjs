// Where things are in the repository. All other scripts ask here.
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * A path in the repository.
 *
 * @param {...string} parts
 */
export const at = (...parts) => path.join(root, ...parts);

/** wasm builds have their own target directory, since they may come from another compiler. */
export const wasmTargetDir = at("target", "wasm");

/** Tools built from source for this repository. */
export const toolsDir = at("target", "tools");

/** The wasm module and its glue, as the npm package imports them. */
export const wasmOut = at("pkg", "src", "wasm");

export const wasmTarget = "wasm32-unknown-unknown";
