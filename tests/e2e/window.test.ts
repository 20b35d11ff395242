import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** A page of its own says something in thread `t`: the history that the model is sent, and what the State tab shows. */
async function say(page: Page, text: string, window?: number) {
  await page.reload();
  await kitReady(page);
  return page.evaluate(
    async ([text, window]) => {
      const { open, weatherModel, brief } = globalThis.window.kit;
      const model = weatherModel();
      const sent: string[][] = [];
      const { runtime, graph } = await open(
        {
          models: {
            default: (request, context) => {
              sent.push(request.messages.slice(1).map(brief));
              return model(request, context);
            },
          },
        },
        window === undefined ? {} : { window },
      );
      await graph.invoke({ text, thread: "t" });
      const { count, messages } = await runtime.state.inspect({
        graph,
        node: "memory",
        thread: "t",
      });
      await runtime.close();
      return { sent: sent[0] ?? [], count, in_view: messages.map(({ in_view }) => in_view) };
    },
    [text, window] as const,
  );
}

const round = (text: string): string[] => [
  `user: ${text}`,
  `assistant: weather{"city":"${text}"}`,
  `tool: rain in ${text}`,
  `assistant: done with ${text}`,
];

test("a window sends whole exchanges of a thread that stays whole, over reloads", async () => {
  const page = await site.open();
  for (const text of ["one", "two"]) await say(page, text, 6);
  const third = await say(page, "three", 6);
  expect(third.sent).toEqual([...round("two"), "user: three"]);
  expect(third.count).toBe(12);
  expect(third.in_view).toEqual([...Array(8).fill(false), ...Array(4).fill(true)]);

  const wider = await say(page, "four", 40);
  const before = ["one", "two", "three"].flatMap(round);
  expect(wider.sent).toEqual([...before, "user: four"]);
  expect(wider.in_view).toEqual(Array(16).fill(true));

  // Another type of memory in the same place begins anew, and the window's thread is still there after it.
  expect((await say(page, "five")).sent).toEqual(["user: five"]);
  expect((await say(page, "six", 0)).sent).toEqual(["user: six"]);
  expect((await say(page, "seven", 4)).count).toBe(24);
});
