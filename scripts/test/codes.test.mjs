// Every code that the product can answer with is named by a test of what answers it.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The texts of the tests: Rust, TypeScript and the vectors that both run. */
function testTexts() {
  const files = ["crates", "pkg/test", "tests", "www/test"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => path.join(folder, file)),
  );
  return files
    .filter((file) => /\.(rs|ts|json)$/.test(file) && !/node_modules|[\\/]src[\\/]/.test(file))
    .map((file) => fs.readFileSync(path.join(root, file), "utf8"));
}

test("each code of the generated list is named by a test", () => {
  const list = fs.readFileSync(path.join(root, "pkg/src/generated/codes.ts"), "utf8");
  const codes = new Set(Array.from(list.matchAll(/"([EW]_[A-Z_]+)"/g), ([, code]) => code));
  assert.ok(codes.size > 80, "the list has been read");
  const texts = testTexts();
  const untested = Array.from(codes).filter(
    (code) => !texts.some((text) => text.includes(`"${code}"`)),
  );
  assert.deepEqual(untested, []);
});
