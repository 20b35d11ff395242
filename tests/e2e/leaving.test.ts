import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToKill, openPage } from "../lib/index.mjs";
import { gate } from "./pages/open.js";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const crashed = [/the page crashed/];

/** Ends the page's process at once: no event, no last word. */
async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const over = page.waitForEvent("crash");
  session.send("Page.crash").catch(() => {});
  await over;
  await page.close();
}

/** What a later page of the profile finds, and what its model is sent. */
async function goOn(page: Page): Promise<{ sent: string[] | undefined; stored: string[] }> {
  return page.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel("fine");
    const { graph, runtime } = await open({ models: { default: model } });
    await graph.invoke({ text: "go on", thread: "t" });
    const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    return {
      sent: model.requests[0]?.messages.map(brief),
      stored: messages.map((message) => `${message.status} ${brief(message)}`),
    };
  });
}

const withAnswer = (text: string) => ({
  sent: ["system: Be brief.", "user: a story", `assistant: ${text}`, "user: go on"],
  stored: [
    "aborted user: a story",
    `aborted assistant: ${text}`,
    "complete user: go on",
    "complete assistant: fine",
  ],
});

describe("a page that goes in mid-stream", () => {
  test("leaves what had streamed when two seconds had passed, though it is given no time", async () => {
    const context = await site.context();
    const page = await site.open({ in: context, expected: crashed });
    await page.evaluate(async () => {
      const { open, gate, until, journalHolds } = window.kit;
      let now = Date.now();
      const [heard, noted] = [gate(), gate()];
      const { graph } = await open({
        host: { now: () => now },
        models: {
          default: async function* () {
            yield "Once ";
            await heard.opened;
            now += 2_000;
            yield "upon ";
            await noted.opened;
            yield "a time";
            await new Promise(() => {});
          },
        },
      });
      const run = graph.run({ text: "a story", thread: "t" });
      await until(run, ({ type }) => type === "token");
      heard.open();
      await journalHolds("Once upon ");
      noted.open();
      await until(run, ({ data }) => "text" in data && data.text.includes("a time"));
    });
    await crash(page);
    expect(await goOn(await site.open({ in: context }))).toEqual(withAnswer("Once upon "));
  });

  test("leaves all of it when it was hidden before", async () => {
    const context = await site.context();
    const page = await site.open({ in: context, expected: crashed });
    await streaming(page);
    await page.evaluate(async () => {
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
      await window.kit.journalHolds("Once upon");
    });
    await crash(page);
    expect(await goOn(await site.open({ in: context }))).toEqual(withAnswer("Once upon"));
  });

  test("leaves all of it when the person goes to another page, before that one is there", async () => {
    const context = await site.context();
    const [page, other] = [await site.open({ in: context }), await site.open({ in: context })];
    await streaming(page);
    await page.route("**/next.html", async (route) => {
      await other.evaluate(() => window.kit.journalHolds("Once upon"));
      await route.fulfill({ contentType: "text/html", body: "the next page" });
    });
    await page.goto(`${site.origin}/next.html`);
    expect(await goOn(other)).toEqual(withAnswer("Once upon"));
  });

  async function streaming(page: Page): Promise<void> {
    await page.evaluate(async () => {
      const { graph } = await window.kit.open({
        models: {
          default: async function* () {
            yield "Once ";
            yield "upon";
            await new Promise(() => {});
          },
        },
      });
      const run = graph.run({ text: "a story", thread: "t" });
      await window.kit.until(run, ({ data }) => "text" in data && data.text.includes("upon"));
    });
  }
});

test("a browser that is killed on a profile on the disk loses no round that it had acknowledged", async () => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-profile-"));
  const acknowledged: string[] = [];
  try {
    for (let kill = 0; kill < 3; kill += 1) {
      await untilKilled(profile, async (page) => {
        const enough = gate();
        await page.exposeFunction("acknowledge", (text: string) => {
          acknowledged.push(text);
          if (acknowledged.length >= 10 * (kill + 1)) enough.open();
        });
        const writing = page.evaluate(converseForEver, `${kill}-`);
        await Promise.race([enough.opened, writing]);
        writing.catch(() => {});
      });
    }
    const rounds = await untilKilled(profile, (page) => page.evaluate(storedRounds));
    const whole = (subject: string) => [
      `user: ${subject}`,
      `assistant: weather{"city":"${subject}"}`,
      `tool: rain in ${subject}`,
      `assistant: done with ${subject}`,
    ];
    const subjects = rounds.map(([first]) => first?.replace("user: ", "") ?? "");
    expect(rounds).toEqual(subjects.map(whole));
    expect(subjects).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(subjects).size).toBe(subjects.length);
  } finally {
    fs.rmSync(profile, { recursive: true, force: true });
  }
}, 180_000);

/** Uses a page of a browser on this profile, then kills the browser in whatever it is doing. */
async function untilKilled<T>(profile: string, use: (page: Page) => Promise<T>): Promise<T> {
  const browser = await launchToKill(profile);
  try {
    const { page } = await openPage(browser.context, `${site.origin}/index.html`);
    await kitReady(page);
    return await use(page);
  } finally {
    await browser.kill();
  }
}

/** Runs in the page: one round after the other; each is told once its result is there. */
async function converseForEver(prefix: string): Promise<void> {
  const { open, weatherModel } = window.kit;
  const { acknowledge } = window as unknown as { acknowledge(text: string): void };
  const { graph } = await open({ models: { default: weatherModel() } });
  for (let round = 0; ; round += 1) {
    const text = `${prefix}${round}`;
    await graph.invoke({ text, thread: "t" });
    acknowledge(text);
  }
}

/** Runs in the page: the messages of each complete round. */
async function storedRounds(): Promise<string[][]> {
  const { runtime, graph } = await window.kit.open({});
  const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
  const rounds = new Map<string, string[]>();
  for (const message of messages) {
    if (message.status !== "complete") continue;
    const lines = rounds.get(message.round ?? "") ?? [];
    rounds.set(message.round ?? "", [...lines, window.kit.brief(message)]);
  }
  return [...rounds.values()];
}
