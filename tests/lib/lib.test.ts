import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium, launchProfile, openPage, runInPage, serve } from "./index.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-lib-"));
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  fs.writeFileSync(path.join(folder, "good.html"), page("document.title = 'ran'"));
  fs.writeFileSync(path.join(folder, "bad.html"), page("console.error('one'); throw Error('two')"));
  fs.writeFileSync(
    path.join(folder, "far.html"),
    page("fetch('http://far.test/').catch(() => {})"),
  );
  browser = await launchChromium();
  site = await serve(folder);
});

afterAll(async () => {
  await browser.close();
  await site.close();
  fs.rmSync(folder, { recursive: true });
});

const page = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><title>page</title><script>${script}</script>`;

describe("openPage", () => {
  test("a good page is clean", async () => {
    const { page, assertClean } = await openPage(browser, `${site.origin}/good.html`);
    expect(await page.title()).toBe("ran");
    assertClean();
    await page.close();
  });

  test("console errors and uncaught errors are problems", async () => {
    const { page, problems, assertClean } = await openPage(browser, `${site.origin}/bad.html`);
    expect(problems).toEqual([
      expect.stringContaining("console: one"),
      expect.stringContaining("uncaught: Error: two"),
    ]);
    expect(assertClean).toThrow("the page had problems");
    await page.close();
  });

  test("a request that leaves the machine is a problem, and does not get there", async () => {
    const opened = await openPage(browser, `${site.origin}/far.html`);
    await expect.poll(() => opened.problems.length).toBeGreaterThanOrEqual(2);
    expect(opened.problems).toContain("foreign request: http://far.test/");
    expect(opened.problems.join()).toContain("ERR_NAME_NOT_RESOLVED");
    await opened.page.close();
  });

  test("expected problems are none", async () => {
    const expected = [/one/, /two/];
    const { page, assertClean } = await openPage(browser, `${site.origin}/bad.html`, { expected });
    assertClean();
    await page.close();
  });
});

describe("runInPage", () => {
  const entry = (text: string) => {
    const file = path.join(fs.mkdtempSync(path.join(folder, "entry-")), "entry.ts");
    fs.writeFileSync(file, text);
    return file;
  };

  test("brings back the result and the log", async () => {
    const lines: string[] = [];
    const file = entry(`export default async (log: (line: string) => void) => {
      log("begun");
      return { secure: isSecureContext, none: null };
    }`);
    const result = await runInPage(browser, file, { onLog: (line) => lines.push(line) });
    expect(result).toEqual({ secure: true, none: null });
    expect(lines).toEqual(["begun"]);
  });

  test("fails with the error of the page", async () => {
    const file = entry(`export default async () => { throw new Error("inside"); }`);
    await expect(runInPage(browser, file)).rejects.toThrow("inside");
  });

  test("does not wait for ever", async () => {
    const file = entry(`export default () => new Promise(() => {})`);
    await expect(runInPage(browser, file, { timeout: 50 })).rejects.toThrow("no result in 50 ms");
  });
});

test("a profile keeps IndexedDB over a restart", async () => {
  const profile = path.join(folder, "profile");
  const count = async () => {
    const context = await launchProfile(profile);
    const { page } = await openPage(context, `${site.origin}/good.html`);
    const version = await page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const asked = indexedDB.open("kept");
          asked.onerror = () => reject(asked.error);
          asked.onsuccess = () => {
            const { version } = asked.result;
            asked.result.close();
            const raised = indexedDB.open("kept", version + 1);
            raised.onsuccess = () => {
              raised.result.close();
              resolve(version);
            };
          };
        }),
    );
    await context.close();
    return version;
  };
  expect([await count(), await count()]).toEqual([1, 2]);
});
