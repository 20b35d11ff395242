import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LABS } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { lost, torn } from "./judge.js";
import { inLab, type Lab, type Pages, startPages, within } from "./lab.js";
import { emptyRow, faultsOf, type Row } from "./table.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

/** The longest that an opening or a call may take, in milliseconds: ten seconds and some for a busy machine. */
const DEADLINE = 15_000;

/** What somebody is told who finds the database held. */
const TELLING = ["E_STORE_BLOCKED", "E_STORE_TIMEOUT"];

interface Timed {
  code: string;
  took: number;
}

const hung: Timed = { code: "hung", took: DEADLINE };

const opening = (page: Page): Promise<Timed> =>
  page.evaluate(() =>
    window.faults.timed(async () => {
      const { runtime } = await window.faults.openChat();
      await runtime.close();
    }),
  );

function judge(row: Row, { code, took }: Timed, allowed: string[]): void {
  row.cases += 1;
  if (code === "hung" || took > DEADLINE) row.hung += 1;
  else if (!allowed.includes(code)) row.unreported += 1;
  expect.soft(allowed).toContain(code);
}

/** Some rounds, of a runtime that is closed then. */
const rounds = (page: Page, writer: string) =>
  page.evaluate(async (writer) => {
    const { openChat, write, audit } = window.faults;
    const { runtime, graph } = await openChat();
    const { stored } = await write(graph, writer, 3);
    const found = await audit(runtime, graph);
    await runtime.close();
    return { stored, found };
  }, writer);

/** Goes on, and looks whether all that was stored before is there. */
async function goOn(
  row: Row,
  lab: Lab,
  page: Page,
  { stored, writer }: { stored: string[]; writer: string },
): Promise<void> {
  const after = await rounds(page, writer);
  const [broken, gone] = [torn(after.found), lost(after.found, [...stored, ...after.stored])];
  expect.soft({ broken, gone }).toEqual({ broken: [], gone: [] });
  row.torn += broken.length;
  row.lost += gone.length + (3 - after.stored.length);
  row.where = lab.backend();
}

describe.for(LABS)("on $backend", (engine) => {
  test("F-BLOCK: who opens behind a tab that does not make way is told, and goes on when it is gone", {
    timeout: 240_000,
  }, async ({ task }) => {
    const row = emptyRow("F-BLOCK", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      for (let trial = 0; trial < (IS_LONG ? 3 : 1); trial += 1) {
        const [holder, one, two] = [await lab.open(), await lab.open(), await lab.open()];
        const { stored } = await rounds(one, `before${trial}`);
        await holder.evaluate(() => window.faults.hold());
        await two.evaluate(() => window.faults.wantDeleted());
        const opened = [one, two].map((page) => within(2 * DEADLINE, opening(page), hung));
        for (const each of await Promise.all(opened)) judge(row, each, TELLING);
        const tools = await lab.tools(holder);
        const over = holder.waitForEvent("crash");
        tools.send("Page.crash").catch(() => {});
        await over;
        // The database was deleted in the end: what it held comes from the copy.
        judge(row, await within(2 * DEADLINE, opening(one), hung), [""]);
        await goOn(row, lab, two, { stored, writer: `after${trial}` });
        for (const page of [holder, one, two]) await page.close();
      }
      row.note = "behind a delete";
    });
    expect(faultsOf(row)).toEqual([]);
  });

  test("F-BLOCK: a runtime makes way for newer code, and says so from then on", async ({
    task,
  }) => {
    const row = emptyRow("F-BLOCK", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      const [page, newer] = [await lab.open(), await lab.open()];
      await page.evaluate(async () => {
        const { openChat, write } = window.faults;
        const chat = await openChat();
        await write(chat.graph, "old", 2);
        Object.assign(window, { chat });
      });
      const upgraded = newer.evaluate(() => window.faults.timed(window.faults.upgrade));
      judge(row, await within(DEADLINE, upgraded, hung), [""]);
      const next = page.evaluate(() => {
        const { chat, faults } = window as unknown as Here;
        return faults.timed(() => chat.runtime.threads.list());
      });
      judge(row, await within(2 * DEADLINE, next, hung), ["E_STORE_VERSION"]);
      judge(row, await within(2 * DEADLINE, opening(newer), hung), ["E_STORE_VERSION"]);
      row.where = lab.backend();
      row.note = "newer code";
    });
    expect(faultsOf(row)).toEqual([]);
  });

  // It takes as long as the deadlines of calls.
  if (!IS_LONG) return;
  test("F-BLOCK: calls behind a transaction that never ends are told of it", {
    timeout: 240_000,
  }, async ({ task }) => {
    const row = emptyRow("F-BLOCK", "");
    task.meta.rows = [row];
    await inLab(pages, engine, async (lab) => {
      const [page, other] = [await lab.open(), await lab.open()];
      const { stored } = await rounds(page, "before");
      await page.evaluate(async () => {
        Object.assign(window, { chat: await window.faults.openChat() });
      });
      await other.evaluate(() => window.faults.hang());
      const calls = page.evaluate(async () => {
        const { chat, faults } = window as unknown as Here;
        return Promise.all([
          faults.timed(() => chat.runtime.threads.list()),
          faults.timed(() => chat.runtime.threads.create({ id: "other" })),
        ]);
      });
      for (const each of await within(2 * DEADLINE, calls, [hung, hung])) {
        judge(row, each, ["E_STORE_TIMEOUT"]);
      }
      await other.evaluate(() => window.faults.letGo());
      const again = page.evaluate(() => {
        const { chat, faults } = window as unknown as Here;
        return faults.timed(() => chat.runtime.threads.list());
      });
      judge(row, await within(DEADLINE, again, hung), [""]);
      await goOn(row, lab, page, { stored, writer: "after" });
      row.note = "behind a transaction";
    });
    expect(faultsOf(row)).toEqual([]);
  });
});

interface Here {
  chat: Awaited<ReturnType<Window["faults"]["openChat"]>>;
  faults: Window["faults"];
}
