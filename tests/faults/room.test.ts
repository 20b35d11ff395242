import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LABS } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { lost, torn } from "./judge.js";
import { inLab, type Pages, startPages, within } from "./lab.js";
import { emptyRow, faultsOf } from "./table.js";
import type { Audit } from "./tells.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

/** What the origin may store. */
const QUOTAS = IS_LONG ? [2_000_000, 64_000, 1_000] : [500_000];

describe.for(LABS)("on $backend", (engine) => {
  test("F-QUOTA: a full disk is told of, tears nothing, and what is stored can be read", {
    timeout: 300_000,
  }, async ({ task }) => {
    const row = emptyRow("F-QUOTA", "");
    task.meta.rows = [row];
    for (const quotaSize of QUOTAS) {
      await inLab(pages, engine, async (lab) => {
        const page = await lab.open();
        const tools = await lab.tools(page);
        const limit = (size?: number) =>
          tools.send("Storage.overrideQuotaForOrigin", {
            origin: pages.origin,
            ...(size !== undefined && { quotaSize: size }),
          });
        // Before anything is stored: for some time the browser trusts in the room that it has once seen.
        await limit(quotaSize);
        const full = await rounds(page, "full", quotaSize < 100_000 ? 5 : (2 * quotaSize) / 20_000);
        // Its last sign of life was a refusal, and reading needs no room.
        const acknowledged = full.stored;
        // Where there is no room for a database, there is nothing to be read.
        const found = full.opened ? await audit(page) : EMPTY;
        const broken = torn(found);
        const gone = lost(found, acknowledged);
        const wrong = full.refused.filter((code) => !TELLING.includes(code));
        if (full.refused.length === 0) wrong.push("the disk was never full");
        // Room again: what comes next is stored.
        await limit();
        const after = await rounds(page, "after", 2);
        const last = await audit(page);
        broken.push(...torn(last));
        gone.push(...lost(last, [...acknowledged, ...after.stored]));
        expect.soft({ broken, gone, wrong }).toEqual({ broken: [], gone: [], wrong: [] });
        expect.soft(after.refused).toEqual([]);
        row.where = lab.backend();
        row.cases += 1;
        row.torn += broken.length;
        row.lost += gone.length;
        row.unreported += wrong.length;
        row.hung += full.cut + after.cut;
      });
    }
    expect(faultsOf(row)).toEqual([]);
  });

  test("F-QUOTA: a database that cannot be made for want of room says so", async ({ task }) => {
    const row = emptyRow("F-QUOTA", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      const page = await lab.open();
      const tools = await lab.tools(page);
      await tools.send("Storage.overrideQuotaForOrigin", { origin: pages.origin, quotaSize: 1 });
      const code = await page.evaluate(async () => {
        const { createRuntime, codeOf } = window.faults;
        try {
          const runtime = await createRuntime({ database: "new" });
          await runtime.threads.create({ id: "t" });
          return "stored";
        } catch (error) {
          return codeOf(error);
        }
      });
      row.where = lab.backend();
      row.cases = 1;
      row.note = "opening";
      if (code !== "E_STORE_QUOTA") row.unreported = 1;
      expect(code).toBe("E_STORE_QUOTA");
    });
  });
});

const EMPTY: Audit = { rounds: [], disagreements: [], gaps: 0, quarantined: 0 };

/** What a run may end with, or warn of, when there is no room. */
const TELLING = ["E_STORE_QUOTA", "E_MEMORY_WRITE"];

/** Rounds of some kilobytes each. `cut` is 1 if they had no end in time. */
async function rounds(page: Page, writer: string, count: number) {
  const cut = { stored: [] as string[], refused: [] as string[], opened: false, cut: 1 };
  const written = page.evaluate(
    async ([writer, count]) => {
      const { openChat, write, codeOf } = window.faults;
      try {
        const { graph, runtime } = await openChat(20_000);
        const written = await write(graph, writer, count);
        await runtime.close();
        return { ...written, opened: true, cut: 0 };
      } catch (error) {
        return { stored: [], refused: [codeOf(error)], opened: false, cut: 0 };
      }
    },
    [writer, count] as const,
  );
  return within(120_000, written, cut);
}

const audit = (page: Page) =>
  page.evaluate(async () => {
    const { openChat, audit } = window.faults;
    const { runtime, graph } = await openChat();
    const found = await audit(runtime, graph);
    await runtime.close();
    return found;
  });
