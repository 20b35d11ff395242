import fs from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { at } from "../../scripts/lib/paths.mjs";
import { launchChromium, openPage, serve } from "../lib/index.mjs";
import { errorReply, startOpenAiServer } from "../servers/openai.js";

const require = createRequire(import.meta.url);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  browser = await launchChromium();
  site = await serve(at("www", "dist"));
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

let context: BrowserContext;
let checks: (() => void)[];
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  checks = [];
});
/** After each test: no error on a console, nothing asked beyond this machine. */
afterEach(async () => {
  await context.close();
  for (const check of checks) check();
});

async function open(expected: RegExp[] = []): Promise<Page> {
  const { page, assertClean } = await openPage(context, `${site.origin}/`, { expected });
  checks.push(assertClean);
  await ready(page);
  return page;
}

const ready = (page: Page): Promise<void> =>
  page.locator('[data-testid="connection-badge"][data-status="ready"]').waitFor();

const turns = (page: Page, status: string): Locator =>
  page.locator(`[data-testid="turn"][data-status="${status}"]`);

/** Says something and waits for the whole answer, whose text it gives. */
async function say(page: Page, text: string): Promise<string> {
  const before = await turns(page, "complete").count();
  await send(page, text);
  await turns(page, "complete").nth(before).waitFor();
  return (await page.getByTestId("answer").last().textContent()) ?? "";
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function stored(page: Page): Promise<string[]> {
  await page.getByRole("tab", { name: "State" }).click();
  return page.getByTestId("stored-message").allInnerTexts();
}

test("a conversation is remembered over a reload, and a second tab has it too", async () => {
  const page = await open();
  expect(await say(page, "My name is Ada.")).toContain("Ada");
  await page.reload();
  await ready(page);
  await turns(page, "complete").first().waitFor();
  expect(await say(page, "What is my name?")).toContain("Ada");

  const other = await open();
  await turns(other, "complete").nth(1).waitFor();
  expect(await say(other, "What is my name?")).toContain("Ada");
  // The first tab hears of it.
  await turns(page, "complete").nth(2).waitFor();
});

test("an answer comes word by word, and the trace tells of it", async () => {
  const page = await open();
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    const look = (): void => {
      const answers = document.querySelectorAll('[data-testid="answer"]');
      seen.add(answers[answers.length - 1]?.textContent ?? "");
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  await say(page, "My name is Ada.");
  const states = await page.evaluate(() => (window as unknown as { seen: Set<string> }).seen.size);
  expect(states).toBeGreaterThan(4);

  await page.getByRole("tab", { name: "Trace" }).click();
  await page.locator('[data-testid="trace-run"][data-ending]').first().waitFor();
  const types = await page
    .getByTestId("trace-event")
    .evaluateAll((events) => events.map((event) => event.getAttribute("data-type")));
  expect(types).toEqual(
    expect.arrayContaining(["run_started", "memory_read", "memory_written", "run_finished"]),
  );
});

test("the State tab shows the messages; Clear state empties the next prompt", async () => {
  const page = await open();
  await say(page, "My name is Ada.");
  const before = await stored(page);
  expect(before).toHaveLength(2);
  expect(before[0]).toContain("My name is Ada.");

  await page.getByTestId("clear-state").click();
  await page.getByTestId("confirm-dialog").getByRole("button", { name: "Clear state" }).click();
  await page.getByTestId("stored-message").first().waitFor({ state: "detached" });
  expect(await say(page, "What is my name?")).toContain("not told me");
  expect(await stored(page)).toHaveLength(2);
});

test("a long conversation goes on from notes, which the State tab shows", async () => {
  const page = await open();
  await page
    .getByRole("combobox", { name: "Example" })
    .selectOption({ label: "Long conversation" });
  await ready(page);
  for (const text of ["My name is Ada.", "I like sailing.", "Hello.", "Thanks."]) {
    await say(page, text);
  }
  await page.getByRole("tab", { name: "State" }).click();
  const notes = page.getByTestId("state-summary");
  await notes.waitFor();
  expect(await notes.textContent()).toContain("My name is Ada.");
  expect(await page.getByTestId("state-count").textContent()).toContain("8 messages, 2 in view");

  await page.reload();
  await ready(page);
  await turns(page, "complete").nth(3).waitFor();
  expect(await say(page, "What is my name?")).toContain("Ada");
});

test("a notebook is kept over a reload, shown in the State tab and cleared there", async () => {
  const page = await open();
  await page
    .getByRole("combobox", { name: "Example" })
    .selectOption({ label: "Agent with a notebook" });
  await ready(page);
  await say(page, "My name is Ada.");
  await page.reload();
  await ready(page);
  await turns(page, "complete").first().waitFor();
  expect(await say(page, "What is my name?")).toContain("Ada");
  await page.getByRole("tab", { name: "State" }).click();
  const kept = page.getByTestId("state-dictionary");
  await kept.waitFor();
  expect(await kept.textContent()).toContain('name"Ada"');

  await page.getByTestId("clear-state").click();
  await page.getByTestId("confirm-dialog").getByRole("button", { name: "Clear state" }).click();
  await kept.waitFor({ state: "detached" });
  expect(await say(page, "What is my name?")).toContain("not told me");
});

test("a round that is deleted is missing in the next prompt, and so is what followed one", async () => {
  const page = await open();
  for (const text of ["Hello.", "My name is Ada.", "Thanks."]) await say(page, text);
  expect(await stored(page)).toHaveLength(6);
  const remove = async (name: string, place: number, left: number): Promise<void> => {
    await page.getByRole("button", { name, exact: true }).nth(place).press("Enter");
    await page.getByTestId("confirm-dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByTestId("stored-message").nth(left).waitFor({ state: "detached" });
  };
  await remove("Delete round", 1, 4);
  expect((await stored(page)).join()).not.toContain("Ada");
  expect(await say(page, "What is my name?")).toContain("not told me");
  await remove("Delete what follows", 0, 2);
  expect(await stored(page)).toHaveLength(2);
  expect(await page.getByRole("button", { name: "Delete what follows" }).count()).toBe(0);
});

test("tools are called and shown, also after a reload", async () => {
  const page = await open();
  await page
    .getByRole("combobox", { name: "Example" })
    .selectOption({ label: "Assistant with tools" });
  await ready(page);
  await say(page, "What is 12.5 * 4 + 2?");
  const card = page.locator('[data-testid="tool-card"][data-state="done"]');
  await card.waitFor();
  expect(await page.getByTestId("answer").last().textContent()).toContain("52");
  await page.reload();
  await ready(page);
  await card.waitFor();
});

test("a tool that needs a person's word waits over a reload, and goes on once it is given", async () => {
  const page = await open();
  await page
    .getByRole("combobox", { name: "Example" })
    .selectOption({ label: "Tool with approval" });
  await ready(page);
  await send(page, "What is the weather in Oslo?");
  await turns(page, "waiting").waitFor();
  await page.reload();
  await ready(page);
  await page.getByRole("button", { name: "Approve" }).click();
  await turns(page, "complete").waitFor();
  expect(await page.getByTestId("answer").last().textContent()).toContain("Oslo");
  expect(await stored(page)).toHaveLength(4);
});

test("an answer that is stopped stays, marked, and the next one comes", async () => {
  const page = await open();
  await send(page, "Tell me what you can do.");
  await page.locator('[data-testid="answer"] p').first().waitFor();
  await page.getByRole("button", { name: "Stop answering" }).click();
  await turns(page, "aborted").waitFor();
  await page.getByTestId("interrupted").waitFor();
  expect(await say(page, "My name is Ada.")).toContain("Ada");
  expect(await say(page, "What is my name?")).toContain("Ada");
});

test("the demo goes on without a network", async () => {
  const page = await open();
  await context.setOffline(true);
  await say(page, "My name is Ada.");
  expect(await say(page, "What is my name?")).toContain("Ada");
});

test("another conversation knows nothing of this one", async () => {
  const page = await open();
  await say(page, "My name is Ada.");
  await page.getByTestId("new-conversation").first().click();
  await page.getByTestId("welcome").waitFor();
  expect(await say(page, "What is my name?")).toContain("not told me");
});

test("a tab that is only looked at shows what another tab was answered and what it cleared", async () => {
  const writer = await open();
  await say(writer, "My name is Ada.");
  const reader = await open();
  await turns(reader, "complete").waitFor();
  expect(await say(writer, "What is my name?")).toContain("Ada");
  await turns(reader, "complete").nth(1).waitFor();

  await reader.getByRole("tab", { name: "State" }).click();
  await reader.getByTestId("stored-message").nth(3).waitFor();
  await writer.getByRole("tab", { name: "State" }).click();
  await writer.getByTestId("clear-state").click();
  await writer.getByTestId("confirm-dialog").getByRole("button", { name: "Clear state" }).click();
  await reader.getByTestId("state-empty").waitFor();
});

test("a person whose key is refused is told where it is, in the chat and in the settings", async () => {
  const server = await startOpenAiServer(() => errorReply(401, "Incorrect API key provided"));
  try {
    const page = await open([/401/]);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByTestId("model-openai").check();
    await page.getByTestId("base-url").fill(server.url);
    await page.getByTestId("model-name").fill("m");
    await page.getByTestId("api-key").fill("sk-wrong-and-secret");
    await send(page, "Hello");
    const inChat = (await page.getByTestId("turn-error").textContent()) ?? "";
    await page.getByTestId("test-model").click();
    await page.getByTestId("test-outcome").getByText("E_LLM").waitFor();
    const inSettings = (await page.getByTestId("test-outcome").textContent()) ?? "";
    for (const text of [inChat, inSettings]) {
      expect(text).toContain("check it in Settings");
      expect(text).not.toContain("headers");
      expect(text).not.toContain("secret");
    }
  } finally {
    await server.close();
  }
});

test("the keyboard is enough", async () => {
  const page = await open();
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.type("My name is Ada.");
  await page.keyboard.press("Enter");
  await turns(page, "complete").waitFor();
  await page.getByRole("tab", { name: "Graph" }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await page.getByRole("tab", { name: "Trace" }).getAttribute("aria-selected")).toBe("true");
});

test.each(["light", "dark"] as const)("axe finds nothing in %s", async (colorScheme) => {
  const page = await open();
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // Not as a script element: the page's policy allows none.
  await page.evaluate(axe);
  const faults: string[] = await violations(page, "empty");
  await say(page, "My name is Ada.");
  for (const tab of ["Graph", "Trace", "State", "Settings"]) {
    await page.getByRole("tab", { name: tab }).click();
    faults.push(...(await violations(page, tab)));
  }
  await page.getByRole("tab", { name: "State" }).click();
  await page.getByTestId("clear-state").click();
  await page.getByTestId("confirm-dialog").waitFor();
  faults.push(...(await violations(page, "dialog")));
  expect(faults).toEqual([]);
});

function violations(page: Page, place: string): Promise<string[]> {
  return page.evaluate(async (place) => {
    const { axe } = window as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${place}: ${id}: ${html} ${failureSummary ?? ""}`),
    );
  }, place);
}
