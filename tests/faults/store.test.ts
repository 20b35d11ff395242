import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, LABS } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { lost, torn } from "./judge.js";
import { inLab, type Pages, startPages, within } from "./lab.js";
import { emptyRow, faultsOf } from "./table.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

/** What a dead connection throws, and what a broken database does. */
const NAMES = IS_LONG ? ["InvalidStateError", "UnknownError", "AbortError"] : ["InvalidStateError"];

/** What a round that could not be stored may say. */
const TELLING = ["E_STORE_UNAVAILABLE", "E_MEMORY_WRITE"];

describe.for(LABS)("on $backend", (engine) => {
  test.for(NAMES)(
    "F-CLOSE: a connection that dies at any call (%s) is opened again, once",
    {
      timeout: 300_000,
    },
    async (name, { task }) => {
      const row = emptyRow("F-CLOSE", "");
      task.meta.rows = [row];
      await inLab(pages, engine, async (lab) => {
        const page = await lab.open();
        await page.evaluate(openHere);
        const acknowledged: string[] = [];
        // At every call of a round: once, which nobody is to notice, and twice, which somebody must be told of.
        for (const length of [1, 2]) {
          for (let n = 1; ; n += 1) {
            const fault = { name, n, length };
            const late = { stored: [], refused: ["hung"], met: true };
            const had = await within(30_000, roundWith(page, fault), late);
            acknowledged.push(...had.stored);
            if (!had.met) break;
            row.cases += 1;
            if (had.refused.includes("hung")) row.hung += 1;
            const allowed = length === 1 ? [] : TELLING;
            const wrong = had.refused.filter((code) => !allowed.includes(code));
            expect.soft(wrong, JSON.stringify(fault)).toEqual([]);
            row.unreported += wrong.length;
          }
        }
        const found = await page.evaluate(auditHere);
        const [broken, gone] = [torn(found), lost(found, acknowledged)];
        expect.soft({ broken, gone }).toEqual({ broken: [], gone: [] });
        row.torn = broken.length;
        row.lost = gone.length;
        row.where = lab.backend();
        row.note = name;
      });
      expect(faultsOf(row)).toEqual([]);
    },
  );

  test("F-CORRUPT: a damaged round is set aside and told of; all others are read, and it stays", {
    timeout: 300_000,
  }, async ({ task }) => {
    const row = emptyRow("F-CORRUPT", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      const page = await lab.open();
      const names = await page.evaluate(() => window.faults.damageNames());
      const places = IS_LONG ? [0, 1, 2, 3] : [1];
      for (const name of names.filter((_, at) => IS_LONG || at % 4 === 0)) {
        for (const place of places) {
          const seen = await within(60_000, damaged(page, name, place), undefined);
          row.cases += 1;
          if (seen === undefined) {
            row.hung += 1;
            continue;
          }
          const others = [0, 1, 2, 3].filter((each) => each !== place).map((each) => `d-${each}`);
          const gone = lost(seen.found, [...others, ...seen.stored]);
          // The one that is damaged is counted by its head; what is wrong must be no more than that.
          const wrong = [
            ...seen.refused,
            ...(seen.quarantined === 1 ? [] : [`${seen.quarantined} were reported`]),
            ...(seen.warned ? [] : ["the run said nothing"]),
            ...(seen.kept ? [] : ["the damaged record is gone"]),
          ];
          expect.soft({ gone, wrong }, `${name}, round ${place}`).toEqual({ gone: [], wrong: [] });
          row.lost += gone.length + (seen.kept ? 0 : 1);
          row.unreported += wrong.length;
        }
      }
      row.where = lab.backend();
    });
    expect(faultsOf(row)).toEqual([]);
  });

  test("F-ERASE: what was being erased when the browser's tab died is all there or all gone", {
    timeout: 300_000,
  }, async ({ task }) => {
    const row = emptyRow("F-ERASE", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      for (let kill = 0; kill < (IS_LONG ? 20 : 2); kill += 1) {
        const page = await lab.open();
        await page.evaluate(openHere);
        const { stored } = await page.evaluate(writeHere, [`e${kill}`, 3, 0] as const);
        const tools = await lab.tools(page);
        const over = page.waitForEvent("crash");
        // Every other time it is known to be erased, else it may be in the midst of it.
        const erasing = page.evaluate(() => {
          const { chat } = window as unknown as Here;
          return chat.runtime.threads.delete("t");
        });
        const isErased = kill % 2 === 1;
        if (isErased) await erasing;
        else erasing.catch(() => {});
        tools.send("Page.crash").catch(() => {});
        await over;
        await page.close();

        const next = await lab.open();
        await next.evaluate(openHere);
        const found = await next.evaluate(auditHere);
        const canary = await next.evaluate((text) => window.faults.rowsWith(text), `e${kill}-`);
        const isGone = found.rounds.length === 0 && canary === 0;
        const isWhole = lost(found, stored).length === 0 && torn(found).length === 0;
        row.cases += 1;
        if (isErased ? !isGone : !isGone && !isWhole) row.torn += 1;
        // Wiped after an erasure, nothing of it may come back from the copy.
        if (isErased) {
          const back = await next.evaluate(loseAndFind, `e${kill}-`);
          if (back > 0) row.unreported += 1;
        } else await next.evaluate(() => (window as unknown as Here).chat.runtime.close());
        await next.close();
      }
      row.where = lab.backend();
    });
    expect(faultsOf(row)).toEqual([]);
  });
});

test("F-ERASE: a database that is erased as a whole leaves no copy, and is not told of as lost", async ({
  task,
}) => {
  const row = emptyRow("F-ERASE", "");
  task.meta.rows = [row];
  await inLab(pages, LABS[0] as Chromium, async (lab) => {
    const [page, other] = [await lab.open(), await lab.open()];
    await page.evaluate(openHere);
    await page.evaluate(writeHere, ["erased", 2, 0] as const);
    // Another tab has it open, and makes way.
    await other.evaluate(openHere);
    const seen = await page.evaluate(async () => {
      const { chat, faults } = window as unknown as Here;
      await faults.journalHas("erased-1");
      await chat.runtime.storage.erase();
      const { runtime, graph } = await faults.openChat();
      let wiped = 0;
      runtime.on("storewiped", () => {
        wiped += 1;
      });
      const found = await faults.audit(runtime, graph);
      const left = (await faults.rowsWith("erased")) + (await faults.copiesWith("erased"));
      await runtime.close();
      return { rounds: found.rounds.length, left, wiped };
    });
    expect.soft(seen).toEqual({ rounds: 0, left: 0, wiped: 0 });
    row.cases = 1;
    row.torn = seen.rounds;
    row.unreported = seen.left + seen.wiped;
    row.where = lab.backend();
    row.note = "the whole database";
  });
  expect(faultsOf(row)).toEqual([]);
});

interface Here {
  chat: Awaited<ReturnType<Window["faults"]["openChat"]>>;
  faults: Window["faults"];
}

/** Runs in the page: a chat that stays open. */
async function openHere(): Promise<void> {
  Object.assign(window, { chat: await window.faults.openChat() });
}

/** Runs in the page. */
async function writeHere([writer, rounds, first]: readonly [string, number, number]) {
  const { chat, faults } = window as unknown as Here;
  return faults.write(chat.graph, writer, rounds, first);
}

/** Runs in the page. */
async function auditHere() {
  const { chat, faults } = window as unknown as Here;
  return faults.audit(chat.runtime, chat.graph);
}

/** Runs in the page: loses the database, and counts what comes back of a text. */
async function loseAndFind(text: string): Promise<number> {
  const { chat, faults } = window as unknown as Here;
  await chat.runtime.close();
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase("mnemograph");
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
  const { runtime } = await faults.openChat();
  const back = await faults.rowsWith(text);
  await runtime.close();
  return back;
}

/** One round with a fault planted, and whether it was met. */
const roundWith = (page: Page, fault: { name: string; n: number; length: number }) =>
  page.evaluate(async (fault) => {
    const { chat, faults } = window as unknown as Here;
    faults.plantFault(fault);
    const written = await faults.write(chat.graph, `${fault.length}x`, 1, fault.n);
    const met = faults.wasMet();
    faults.plantFault(undefined);
    return { ...written, met };
  }, fault);

/** Four rounds of which one is damaged, then another; what is seen of them all. */
const damaged = (page: Page, name: string, place: number) =>
  page.evaluate(
    async ([name, place]) => {
      const { openChat, write, audit, damage, isThere } = window.faults;
      const { runtime, graph } = await openChat();
      await runtime.threads.delete("t");
      await write(graph, "d", 4);
      const key = await damage(name, place);
      let warned = false;
      const stop = runtime.on("warning", ({ code }) => {
        if (code === "W_ROUND_QUARANTINED") warned = true;
      });
      const { stored, refused } = await write(graph, "d", 1, 4);
      stop();
      const found = await audit(runtime, graph);
      const kept = await isThere(key);
      await runtime.close();
      return { found, stored, refused, warned, kept, quarantined: found.quarantined };
    },
    [name, place] as const,
  );
