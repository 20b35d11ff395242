import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileFor, serve } from "../lib/serve.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "serve-test-"));
const site = path.join(folder, "site");
const lib = path.join(folder, "lib");
for (const dir of [site, path.join(site, "sub"), lib]) fs.mkdirSync(dir);
for (const file of [
  "site/index.html",
  "site/core_bg.wasm",
  "site/sub/index.html",
  "lib/a.js",
  "secret.txt",
]) {
  fs.writeFileSync(path.join(folder, file), file);
}
after(() => fs.rmSync(folder, { recursive: true }));

const mounts = [
  { prefix: "/lib/", folder: lib },
  { prefix: "/", folder: site },
];

/** @type {[string, string | undefined][]} */
const paths = [
  ["/", "site/index.html"],
  ["/?query#hash", "site/index.html"],
  ["/sub/", "site/sub/index.html"],
  ["/sub", undefined],
  ["/lib/a.js", "lib/a.js"],
  ["/lib/", undefined],
  ["/none.js", undefined],
  ["/../secret.txt", undefined],
  ["/%2e%2e/secret.txt", undefined],
  ["/..%2fsecret.txt", undefined],
  ["/lib/../../secret.txt", undefined],
  ["/%00", undefined],
  ["/%", undefined],
];

for (const [url, file] of paths) {
  test(`${url} is ${file ?? "not served"}`, () => {
    assert.equal(fileFor(url, mounts), file && path.join(folder, file));
  });
}

test("wasm has its type, and the headers asked for are sent", async () => {
  const { origin, requests, close } = await serve(site, {
    csp: "default-src 'self'",
    headers: { "x-more": "1" },
  });
  const response = await fetch(`${origin}/core_bg.wasm`);
  assert.equal(response.headers.get("content-type"), "application/wasm");
  assert.equal(response.headers.get("content-security-policy"), "default-src 'self'");
  assert.equal(response.headers.get("x-more"), "1");
  assert.equal(await response.text(), "site/core_bg.wasm");
  assert.equal((await fetch(`${origin}/none`)).status, 404);
  assert.equal((await fetch(origin, { method: "POST" })).status, 405);
  assert.deepEqual(requests, ["/core_bg.wasm", "/none"]);
  await close();
  await assert.rejects(fetch(origin));
});

test("a taken port gives way to the next one", async () => {
  const first = await serve(site);
  const port = Number(new URL(first.origin).port);
  const second = await serve(site, { ports: [port, 0] });
  assert.notEqual(second.origin, first.origin);
  await assert.rejects(serve(site, { ports: [port] }), { code: "EADDRINUSE" });
  await Promise.all([first.close(), second.close()]);
});

test("what a page posts to /told is handed on, where somebody asked for it", async () => {
  /** @type {string[]} */
  const heard = [];
  const { origin, close } = await serve(site, { told: (text) => heard.push(text) });
  const post = (/** @type {string} */ path) =>
    fetch(origin + path, { method: "POST", body: "stored: ä" });
  assert.equal((await post("/told")).status, 204);
  assert.equal((await post("/index.html")).status, 405);
  assert.deepEqual(heard, ["stored: ä"]);
  await close();
});
