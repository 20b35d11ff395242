import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LABS } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { gapped, lost, torn } from "./judge.js";
import { inLab, type Lab, type Pages, startPages, within } from "./lab.js";
import type { Written } from "./pages/write.js";
import { emptyRow, faultsOf } from "./table.js";
import type { Audit } from "./tells.js";

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

const withoutLocks = (): void => {
  Object.defineProperty(navigator, "locks", { value: undefined });
};

describe.for(LABS)("on $backend", (engine) => {
  test.for([
    ["with Web Locks", undefined],
    ["without Web Locks", withoutLocks],
  ] as const)(
    "F-TABS: two tabs and a worker %s store all they had acknowledged on one thread",
    { timeout: 900_000 },
    async ([how, init], { task }) => {
      await inLab(pages, engine, async (lab) => {
        const each = IS_LONG ? 667 : 8;
        const row = emptyRow("F-TABS", "");
        task.meta.rows = [row];
        const [one, two] = [await lab.open(init), await lab.open(init)];
        const written = await Promise.all([
          inTab(one, "one", each),
          inTab(two, "two", each),
          inWorker(one, init === undefined ? "" : "?without-locks", each),
        ]);
        const acknowledged = written.flatMap(({ stored }) => stored);
        const refused = written.flatMap(({ refused }) => refused);
        const found = await audit(two);
        row.where = lab.backend();
        row.cases = each * written.length;
        const broken = [...torn(found), ...(init === undefined ? gapped(found) : [])];
        const gone = lost(found, acknowledged);
        expect.soft({ broken, gone }).toEqual({ broken: [], gone: [] });
        row.torn = broken.length;
        row.lost = gone.length;
        row.hung = row.cases - acknowledged.length - refused.length;
        row.note = `${how}, ${acknowledged.length} stored`;
        // Where nothing keeps tabs apart, a round may lose the race for its place eight times, and says so.
        expect([...new Set(refused)]).toEqual(refused.length > 0 && init ? ["E_MEMORY_WRITE"] : []);
      });
      expect(task.meta.rows?.flatMap(faultsOf)).toEqual([]);
    },
  );

  test("F-TAB: a tab that crashes loses nothing acknowledged and does not hold up another", {
    timeout: 300_000,
  }, async ({ task }) => {
    await inLab(pages, engine, async (lab) => {
      const row = emptyRow("F-TAB", "");
      task.meta.rows = [row];
      const survivor = await lab.open();
      await survivor.evaluate(async () => {
        Object.assign(window, { chat: await window.faults.openChat() });
      });
      const acknowledged: string[] = [];
      for (let crash = 0; crash < (IS_LONG ? 40 : 2); crash += 1) {
        acknowledged.push(...(await crashed(lab, `tab${crash}`, 2 + ((crash * 5) % 11))));
        const next = survivor.evaluate(async (writer) => {
          const { chat, faults } = window as unknown as Opened;
          return faults.write(chat.graph, writer, 1);
        }, `survivor${crash}`);
        const { stored } = await within(10_000, next, { stored: [], refused: [] });
        if (stored.length === 0) row.hung += 1;
        acknowledged.push(...stored);
        row.cases += 1;
      }
      const found = await audit(survivor);
      row.where = lab.backend();
      row.torn = torn(found).length;
      row.lost = lost(found, acknowledged).length;
    });
    expect(task.meta.rows?.flatMap(faultsOf)).toEqual([]);
  });
});

interface Opened extends Window {
  chat: Awaited<ReturnType<Window["faults"]["openChat"]>>;
}

/** A tab that has rounds until, after the n-th was acknowledged, its process dies. What it had acknowledged. */
async function crashed(lab: Lab, writer: string, n: number): Promise<string[]> {
  const page = await lab.open();
  const acknowledged: string[] = [];
  let enough = (): void => {};
  const isEnough = new Promise<void>((resolve) => {
    enough = resolve;
  });
  await page.exposeFunction("acknowledge", (subject: string) => {
    acknowledged.push(subject);
    if (acknowledged.length >= n) enough();
  });
  const writing = page.evaluate(async (writer) => {
    const { openChat } = window.faults;
    const { acknowledge } = window as unknown as { acknowledge(subject: string): void };
    const { graph } = await openChat();
    for (let round = 0; ; round += 1) {
      const text = `${writer}-${round}`;
      await graph.invoke({ text, thread: "t" });
      acknowledge(text);
    }
  }, writer);
  await Promise.race([isEnough, writing]);
  writing.catch(() => {});
  const tools = await lab.tools(page);
  const over = page.waitForEvent("crash");
  tools.send("Page.crash").catch(() => {});
  await over;
  await page.close();
  return acknowledged;
}

const inTab = (page: Page, writer: string, rounds: number): Promise<Written> =>
  page.evaluate(
    async ([writer, rounds]) => {
      const { openChat, write } = window.faults;
      return write((await openChat()).graph, writer, rounds);
    },
    [writer, rounds] as const,
  );

const inWorker = (page: Page, how: string, rounds: number): Promise<Written> =>
  page.evaluate(
    ([how, rounds]) =>
      new Promise<Written>((resolve, reject) => {
        const worker = new Worker(`/writer.js${how}`, { type: "module" });
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.onmessage = ({ data }: MessageEvent<Written>) => {
          resolve(data);
        };
        worker.postMessage({ writer: "worker", rounds });
      }),
    [how, rounds] as const,
  );

const audit = (page: Page): Promise<Audit> =>
  page.evaluate(async () => {
    const { openChat, audit } = window.faults;
    const { runtime, graph } = await openChat();
    return audit(runtime, graph);
  });
