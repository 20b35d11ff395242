import type { Change } from "mnemograph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

declare global {
  interface Window {
    heard: Change[];
  }
}

test("what a worker of another tab writes is told once, with revisions that grow", async () => {
  const context = await site.context();
  const [writer, reader] = [await site.open({ in: context }), await site.open({ in: context })];
  await reader.evaluate(async () => {
    const { runtime } = await window.kit.open({});
    window.heard = [];
    runtime.subscribe({ thread: "t" }, (change) => window.heard.push(change));
    const stranger = await window.kit.open({ namespace: "other" });
    stranger.runtime.subscribe({}, (change) => window.heard.push(change));
  });
  for (const thread of ["another", "t"]) {
    const status = await writer.evaluate(
      (thread) =>
        new Promise((resolve, reject) => {
          const worker = new Worker("/worker.js", { type: "module" });
          worker.onerror = ({ message }) => reject(new Error(message));
          worker.onmessage = ({ data }) => resolve(data);
          worker.postMessage({ text: "hello", thread });
        }),
      thread,
    );
    expect(status).toBe("succeeded");
  }
  const heard = () => reader.evaluate(() => window.heard);
  await expect.poll(async () => (await heard()).length).toBe(3);
  const changes = await heard();
  expect(changes.map(({ thread_id, what, elsewhere }) => [thread_id, what, elsewhere])).toEqual([
    ["t", "transcript", true],
    ["t", "memory", true],
    ["t", "transcript", true],
  ]);
  const revisions = changes.map(({ revision }) => revision);
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
});

describe("the health of IndexedDB", () => {
  const read = () =>
    window.kit.open({}).then(async ({ runtime }) => {
      const health = await runtime.storage.health();
      await runtime.close();
      return health;
    });

  test("says what the browser says, and knows a database that was made anew", async () => {
    const page = await site.open();
    const first = await page.evaluate(read);
    const persisted = await page.evaluate(() => navigator.storage.persisted());
    expect(first).toMatchObject({
      backend: "indexeddb",
      persistence: persisted ? "persistent" : "best_effort",
      evictable: !persisted,
      partitioned: false,
      usage: expect.any(Number),
      quota: expect.any(Number),
      quota_errors: 0,
    });
    await page.reload();
    await kitReady(page);
    expect((await page.evaluate(read)).generation).toBe(first.generation);
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const deletion = indexedDB.deleteDatabase("mnemograph");
          deletion.onsuccess = resolve;
          deletion.onerror = () => reject(deletion.error);
        }),
    );
    expect((await page.evaluate(read)).generation).not.toBe(first.generation);
  });

  test("counts what found no room, and the run says so; with room the thread goes on", async () => {
    const page = await site.open();
    const session = await page.context().newCDPSession(page);
    const { origin } = site;
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
    const opened = await page.evaluateHandle(() =>
      window.kit.open({ models: { default: () => "hello" } }),
    );
    const full = await opened.evaluate(async ({ runtime, graph }) => {
      const { status, error } = await graph.run({ text: "x".repeat(5_000_000), thread: "t" })
        .result;
      return { status, code: error?.code, errors: (await runtime.storage.health()).quota_errors };
    });
    expect(full).toMatchObject({ status: "failed", code: "E_STORE_QUOTA" });
    expect(full.errors).toBeGreaterThan(0);
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    const { text } = await opened.evaluate(({ graph }) => graph.invoke({ text: "x", thread: "t" }));
    expect(text).toBe("hello");
  });
});
