import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { StoreWiped } from "mnemograph";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUMS, LABS } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { lost, torn } from "./judge.js";
import { inLab, type Lab, type Pages, startPages, within } from "./lab.js";
import { emptyRow, faultsOf, type Row } from "./table.js";
import type { Audit } from "./tells.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

/** A way in which the database gets lost while no page has it open. */
interface Loss {
  name: string;
  lose(lab: Lab, page: Page): Promise<unknown>;
  /** Before the pages' scripts. */
  init?: () => void;
  /** The journal is lost with it, or there is none. */
  forGood?: boolean;
}

const CANARY = "mnemograph:mnemograph:canary";

const deleted = (_lab: Lab, page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase("mnemograph");
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }),
  );

const LOSSES: Loss[] = [
  { name: "deleted", lose: deleted },
  {
    name: "deleted, without a canary",
    async lose(lab, page) {
      await page.evaluate(() => localStorage.clear());
      await deleted(lab, page);
    },
  },
  {
    name: "deleted, no buckets",
    lose: deleted,
    forGood: true,
    init: () => Object.defineProperty(navigator, "storageBuckets", { value: undefined }),
  },
  {
    name: "databases cleared",
    forGood: true,
    lose: async (lab, page) =>
      (await lab.tools(page)).send("Storage.clearDataForOrigin", {
        origin: pages.origin,
        storageTypes: "indexeddb",
      }),
  },
];

describe.for(LABS)("on $backend", (engine) => {
  test.for(IS_LONG ? LOSSES : LOSSES.slice(1, 2))(
    "F-WIPE: a database that is lost ($name) is told of, and put back",
    async ({ name, lose, init, forGood = false }, { task }) => {
      const row = emptyRow("F-WIPE", "");
      task.meta.rows = [row];
      await inLab(pages, engine, async (lab) => {
        const page = await lab.open(init);
        const { stored } = await session(page, "before", 5);
        const canary = await page.evaluate((name) => localStorage.getItem(name), CANARY);
        await lose(lab, page);
        const after = await session(page, "after", 2);
        row.cases = 1;
        row.note = name;
        row.where = lab.backend();
        const expected = forGood ? after.stored : [...stored, ...after.stored];
        judge(row, after, expected);
        const restored = forGood ? 0 : 5;
        expect(after.wiped).toMatchObject([
          {
            restored: { threads: forGood ? 0 : 1, rounds: restored },
            missing: { threads: forGood ? 1 : 0, rounds: 5 - restored },
          },
        ]);
        // What was put back is told once.
        expect((await session(page, "later", 1)).wiped).toEqual([]);
        if (forGood) return;
        // Nor is it told anew if the browser had no time to write the canary that came after.
        await page.evaluate(([name, old]) => localStorage.setItem(name, old), [
          CANARY,
          canary ?? "",
        ] as const);
        expect((await session(page, "still", 1)).wiped).toEqual([]);
      });
      expect(faultsOf(row)).toEqual([]);
    },
  );

  test("F-WIPE: a database that is deleted while it is open is told of, and put back", async ({
    task,
  }) => {
    const row = emptyRow("F-WIPE", "");
    task.meta.rows = [row];
    await inLab(
      pages,
      engine,
      async (lab) => {
        const [page, other] = [await lab.open(), await lab.open()];
        await page.evaluate(openHere);
        // What nobody holds is collected now: the journal must go on all the same.
        await page.evaluate(writeHere, ["warm", 1, 0] as const);
        await page.evaluate(copied, "warm-0");
        await page.evaluate(() => (globalThis as unknown as { gc(): void }).gc());
        const first = await page.evaluate(writeHere, ["open", 4, 0] as const);
        const isCopied = page.evaluate(copied, "open-3").then(() => true);
        if (!(await within(8_000, isCopied, false))) row.hung += 1;
        await deleted(lab, other);
        const heard = page.evaluate(() => (window as unknown as Here).heard);
        // It is the next call that finds the database gone.
        await page.evaluate(() => (window as unknown as Here).chat.runtime.threads.list());
        const report = await within<StoreWiped | undefined>(10_000, heard, undefined);
        const next = await page.evaluate(writeHere, ["open", 2, 4] as const);
        const found = await page.evaluate(() => {
          const { chat, faults } = window as unknown as Here;
          return faults.audit(chat.runtime, chat.graph);
        });
        row.cases = 1;
        row.where = lab.backend();
        row.note = "while it was open";
        const stored = ["warm-0", ...first.stored, ...next.stored];
        judge(row, { found, wiped: report ? [report] : [] }, stored);
        expect(report?.restored).toEqual({ threads: 1, rounds: 5 });
      },
      ["--js-flags=--expose-gc"],
    );
    expect(faultsOf(row)).toEqual([]);
  });
});

interface Here {
  faults: Window["faults"];
  chat: Awaited<ReturnType<Window["faults"]["openChat"]>>;
  heard: Promise<StoreWiped>;
}

/** Runs in the page: a chat that stays open. */
async function openHere(): Promise<void> {
  const chat = await window.faults.openChat();
  const heard = new Promise((resolve) => chat.runtime.on("storewiped", resolve));
  Object.assign(window, { chat, heard });
}

/** Runs in the page. */
async function writeHere([writer, rounds, first]: readonly [string, number, number]) {
  const { chat, faults } = window as unknown as Here;
  return faults.write(chat.graph, writer, rounds, first);
}

/** Runs in the page: resolves when the journal has the round about this. */
async function copied(subject: string): Promise<void> {
  await window.faults.journalHas(subject);
}

interface Session {
  found: Audit;
  wiped: StoreWiped[];
}

/** Opens a chat, has rounds, reads what there is, and closes it. */
const session = (page: Page, writer: string, rounds: number) =>
  page.evaluate(
    async ([writer, rounds]) => {
      const { openChat, write, audit } = window.faults;
      const { runtime, graph } = await openChat();
      const wiped: StoreWiped[] = [];
      runtime.on("storewiped", (report) => void wiped.push(report));
      const { stored, refused } = await write(graph, writer, rounds);
      const found = await audit(runtime, graph);
      await runtime.close();
      return { stored, refused, found, wiped };
    },
    [writer, rounds] as const,
  );

function judge(row: Row, { found, wiped }: Session, expected: string[]): void {
  const [broken, gone] = [torn(found), lost(found, expected)];
  expect.soft({ broken, gone }).toEqual({ broken: [], gone: [] });
  row.torn += broken.length;
  row.lost += gone.length;
  if (wiped.length === 0) row.unreported += 1;
}

test("F-BOMB: a log that a kill has left half written wipes LevelDB at the start after next", {
  timeout: 300_000,
}, async ({ task }) => {
  const [engine] = CHROMIUMS;
  const row = emptyRow("F-BOMB", `${engine?.name}, ${engine?.backend}`);
  task.meta.rows = [row];
  let life = 1_000;
  for (let bomb = 0; bomb < (IS_LONG ? 5 : 1); bomb += 1) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-faults-"));
    const first = life + 1;
    const live = async (rounds: number): Promise<void> => {
      life += 1;
      const browser = engine?.open(profile, `${pages.origin}/life.html?life=${life}&copies`);
      try {
        await pages.told.until(() => pages.told.all("found", life)[0], 60_000);
        if (rounds === 0) return;
        // The journal has what was acknowledged a round ago.
        await pages.told.until(() => pages.told.all("copied", life)[rounds - 1], 60_000);
      } finally {
        await browser?.kill();
      }
    };
    try {
      await live(6);
      plant(path.join(profile, engine?.databases ?? ""));
      await live(6);
      const stored = pages.told.all("copied", first, life).map(({ subject }) => subject);
      await live(0);
      const [found] = pages.told.all("found", life);
      const wiped = pages.told.all("wiped", life);
      row.cases += 1;
      row.unreported += wiped.length === 1 ? 0 : 1;
      if (found === undefined) continue;
      const [broken, gone] = [torn(found), lost(found, stored)];
      expect.soft({ broken, gone }).toEqual({ broken: [], gone: [] });
      row.torn += broken.length;
      row.lost += gone.length;
      row.note = `${stored.length} rounds in the journal`;
    } finally {
      fs.rmSync(profile, { recursive: true, force: true });
    }
  }
  expect(faultsOf(row)).toEqual([]);
});

/** Appends the header of a record to the log, as a kill between its two writes leaves it. */
function plant(databases: string): void {
  const files = fs.readdirSync(databases, { recursive: true, encoding: "utf8" });
  const logs = files.filter((file) => file.endsWith(".log")).sort();
  const log = path.join(databases, logs.at(-1) ?? "");
  fs.appendFileSync(log, fs.readFileSync(log).subarray(0, 7));
}
