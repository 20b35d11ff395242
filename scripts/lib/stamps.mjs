// Stamps: what a finished step was made from, so that it can be skipped next time.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { at } from "./paths.mjs";

/**
 * A digest of texts, files' bytes and plain values.
 *
 * @param {...(string | Uint8Array | object)} parts
 */
export function digest(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes =
      typeof part === "string" || part instanceof Uint8Array ? part : JSON.stringify(part);
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest("hex");
}

const stampFile = (/** @type {string} */ name) => at("target", "stamps", name);

/**
 * Was the step finished with the same key?
 *
 * @param {string} name
 * @param {string} key
 */
export function isStamped(name, key) {
  try {
    return fs.readFileSync(stampFile(name), "utf8") === key;
  } catch {
    return false;
  }
}

/**
 * Remembers that the step is finished with this key.
 *
 * @param {string} name
 * @param {string} key
 */
export function stamp(name, key) {
  fs.mkdirSync(path.dirname(stampFile(name)), { recursive: true });
  fs.writeFileSync(stampFile(name), key);
}
