import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { differing } from "../types.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "types-test-"));
after(() => fs.rmSync(folder, { recursive: true }));

/**
 * @param {string} name
 * @param {Record<string, string>} files
 */
function made(name, files) {
  const dir = path.join(folder, name);
  fs.mkdirSync(dir);
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, file), text);
  return dir;
}

test("changed, missing and surplus files are told", () => {
  const fresh = made("fresh", { "a.ts": "1", "b.ts": "2", "c.ts": "3" });
  const stale = made("stale", { "a.ts": "1", "b.ts": "old", "d.ts": "4" });
  assert.deepEqual(differing(fresh, stale), ["b.ts", "c.ts", "d.ts"]);
  assert.deepEqual(differing(fresh, fresh), []);
  assert.deepEqual(differing(fresh, path.join(folder, "none")), ["a.ts", "b.ts", "c.ts"]);
});
