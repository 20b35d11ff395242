import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUMS, type Chromium } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { lost, torn } from "./judge.js";
import { inLab, type Pages, startPages, within } from "./lab.js";
import type { Ended, Stage } from "./pages/callbacks.js";
import { emptyRow, faultsOf, type Row } from "./table.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

const engine = CHROMIUMS[0] as Chromium;
const STAGES: Stage[] = ["answer", "piece", "tool"];

/** The limit of the pages, and a second. */
const LIMIT = 200 + 1_000;

interface Here {
  opened: Awaited<ReturnType<Window["callbacks"]["open"]>>;
}

type Opened = Here["opened"];

/** Does something with what misbehaves; what hangs is a run that never ended. */
async function ended(row: Row, work: Promise<Ended>): Promise<Ended | undefined> {
  const end = await within<Ended | undefined>(20_000, work, undefined);
  row.cases += 1;
  if (end === undefined) row.hung += 1;
  return end;
}

/** How a run may end: with an answer, or with a code of the package. */
const isTyped = ({ status, code, finishes }: Ended): boolean =>
  finishes === 1 && (status === "succeeded" || /^E_(LLM|TOOL|OUTPUT|SCHEMA|AGENT)/.test(code));

async function inPage(row: Row, use: (page: Page) => Promise<void>): Promise<void> {
  await inLab(pages, engine, async (lab) => {
    const page = await lab.open(undefined, "callbacks");
    await page.evaluate(async () => {
      Object.assign(window, { opened: await window.callbacks.open() });
    });
    await use(page);
    // What came before has not spoilt what comes after.
    const last = await page.evaluate(async () => {
      const { opened } = window as unknown as Here;
      const { stored } = await opened.write("last", 2);
      return { stored, found: await opened.audit(), unhandled: opened.unhandled };
    });
    const whole = last.found.rounds.filter(({ lines }) => lines[0]?.startsWith("user: last-"));
    const broken = torn({ ...last.found, rounds: whole });
    expect.soft({ broken, unhandled: last.unhandled }).toEqual({ broken: [], unhandled: [] });
    row.torn += broken.length;
    row.lost += 2 - last.stored.length + lost(last.found, last.stored).length;
    row.unreported += last.unhandled.length;
    row.where = lab.backend();
  });
  expect(faultsOf(row)).toEqual([]);
}

const call = <A extends unknown[]>(page: Page, name: keyof Opened, ...given: A): Promise<Ended> =>
  page.evaluate(
    ([name, given]) => {
      const { opened } = window as unknown as Here;
      return (opened[name as "garbage"] as unknown as (...given: unknown[]) => Promise<Ended>)(
        ...given,
      );
    },
    [name, given] as const,
  );

test("R-GARBAGE: whatever callbacks give, runs end once and with a code", {
  timeout: 1_200_000,
}, async ({ task }) => {
  const row = emptyRow("R-GARBAGE", "");
  task.meta.rows = [row];
  await inPage(row, async (page) => {
    const shapes = await page.evaluate(() => window.callbacks.shapes);
    for (const stage of STAGES) {
      for (let at = 0; at < shapes; at += IS_LONG ? 1 : 31) {
        const end = await ended(row, call(page, "garbage", stage, at));
        if (end === undefined || isTyped(end)) continue;
        row.unreported += 1;
        expect.soft(end, `shape ${at} as ${stage}`).toBe("typed");
      }
    }
  });
});

test("R-HANG: callbacks that never answer are ended by their limits", async ({ task }) => {
  const row = emptyRow("R-HANG", "");
  task.meta.rows = [row];
  await inPage(row, async (page) => {
    for (const stage of STAGES) {
      const end = await ended(row, call(page, "hang", stage));
      if (end === undefined) continue;
      // The tool's failure is told to the model, which goes on.
      const expected = stage === "tool" ? "" : "E_LLM_TIMEOUT";
      if (end.code !== expected || !isTyped(end)) row.unreported += 1;
      expect.soft([stage, end.code]).toEqual([stage, expected]);
      if (end.took > LIMIT) row.hung += 1;
    }
  });
});

test("R-TWICE: callbacks that settle twice, or after their end, are heard once", async ({
  task,
}) => {
  const row = emptyRow("R-TWICE", "");
  task.meta.rows = [row];
  await inPage(row, async (page) => {
    for (const stage of STAGES) {
      for (const how of ["thenable", "late"]) {
        const end = await ended(row, call(page, "again", stage, how));
        if (end !== undefined && !isTyped(end)) {
          row.unreported += 1;
          expect.soft(end, `${how} as ${stage}`).toBe("typed");
        }
      }
    }
  });
});

test("R-PANIC: after the module's death all who wait are told, and nothing stored is lost", {
  timeout: 300_000,
}, async ({ task }) => {
  const row = emptyRow("R-PANIC", "");
  task.meta.rows = [row];
  // A module of a development build is larger than what a page may start anew at once.
  const large = ["--enable-features=WebAssemblyUnlimitedSyncCompilation"];
  await inLab(
    pages,
    engine,
    async (lab) => {
      const page = await lab.open(undefined, "panic");
      for (const how of ["panic", "overflow", "memory"]) {
        for (const where of ["model", "tool"] as const) {
          const seen = await within(60_000, crash(page, how, where), undefined);
          row.cases += 1;
          if (seen === undefined) {
            row.hung += 1;
            continue;
          }
          const gone = lost(seen.found, seen.stored);
          expect.soft({ code: seen.code, gone }, `${how} in ${where}`).toEqual({
            code: "E_RUNTIME_CRASHED",
            gone: [],
          });
          const broken = torn({
            ...seen.found,
            rounds: seen.found.rounds.filter(({ lines }) => !lines[0]?.includes("crash")),
          });
          row.torn += broken.length;
          row.lost += gone.length + (4 - seen.stored.length);
          if (seen.code !== "E_RUNTIME_CRASHED") row.unreported += 1;
        }
      }
      row.where = lab.backend();
    },
    large,
  );
  expect(faultsOf(row)).toEqual([]);
});

/** Two rounds, one in which the module dies, two more. */
const crash = (page: Page, how: string, where: "model" | "tool") =>
  page.evaluate(
    async ([how, where]) => {
      const { open, write, audit } = window.panic;
      const { runtime, graph, crashed } = await open(how, where);
      const before = await write(graph, `${how}${where}a`, 2);
      const { error } = await graph.run({ text: "crash-0", thread: "t" }).result;
      await crashed;
      const after = await write(graph, `${how}${where}b`, 2);
      const found = await audit(runtime, graph);
      await runtime.close();
      return { code: error?.code, stored: [...before.stored, ...after.stored], found };
    },
    [how, where] as const,
  );
