import fs from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at } from "../../scripts/lib/paths.mjs";
import { type Site, startSite } from "./site.js";

// The vectors that the native tests read, here through the module in the browser.

let site: Site;
let page: Page;
beforeAll(async () => {
  site = await startSite();
  page = await site.open({ path: "/inside.html" });
  await page.evaluate(() => window.inside.open({ storage: "memory" }));
});
afterAll(() => site.close());

/** The vector files of an area that have a case which fits. */
const files = (
  area: string,
  fits: (vector: { given?: object }) => boolean = () => true,
): string[] =>
  fs.readdirSync(at("tests", "conformance", area)).filter((name) => {
    if (!name.endsWith(".json")) return false;
    const text = fs.readFileSync(at("tests", "conformance", area, name), "utf8");
    return (JSON.parse(text) as { given?: object }[]).some(fits);
  });

// Cases of several steps need a storage; the module's pure functions have none.
const isView = ({ given }: { given?: object }): boolean =>
  given !== undefined && "messages" in given;

interface Failed {
  name: string;
  expected: unknown;
  actual: unknown;
}

describe("memory", () => {
  test.each(files("memory", isView))("views of %s", async (file) => {
    const { count, failed } = await page.evaluate(async (file) => {
      const { core } = window.inside;
      interface Case {
        name: string;
        given: { messages?: unknown; policy?: unknown; target?: unknown; summary?: unknown };
        expected: { messages?: unknown; compress?: number };
      }
      interface View {
        messages: unknown;
        in_view: unknown;
        warnings: { code: string }[];
      }
      const cases = (await (await fetch(`/conformance/memory/${file}`)).json()) as Case[];
      const views = cases.filter(({ given }) => given.messages !== undefined);
      const failed: Failed[] = [];
      const compare = (name: string, expected: unknown, actual: unknown): void => {
        if (!window.inside.equal(actual, expected)) failed.push({ name, expected, actual });
      };
      for (const { name, given, expected } of views) {
        const { messages, policy, target, summary } = given;
        // Where it would be cut is told by no function of the module.
        const { compress: _, ...shown } = expected;
        const reader = target === undefined ? {} : { target };
        const view = core.memory_view(messages, {
          ...(policy === undefined ? {} : { policy }),
          ...(summary === undefined ? {} : { summary }),
          ...reader,
        }) as View;
        compare(name, shown, { ...view, warnings: view.warnings.map(({ code }) => code) });
        // What is repaired stays as it is.
        const again = core.memory_view(view.messages, reader) as View;
        compare(`${name}, repaired again`, view.messages, again.messages);
        if (policy === undefined && target === undefined) {
          const repaired = core.memory_repair(messages) as View;
          compare(`${name}, as repair`, expected.messages, repaired.messages);
        }
      }
      return { count: views.length, failed };
    }, file);
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});

describe("graph", () => {
  test.each(files("graph"))("%s", async (file) => {
    const { count, failed } = await page.evaluate(async (file) => {
      const { core } = window.inside;
      interface Problem {
        code: string;
        graph?: string;
        node?: string;
        port?: string;
        path?: string;
      }
      interface Case {
        name: string;
        graph?: unknown;
        text?: string;
        problems: Problem[];
        hash?: string;
      }
      const cases = (await (await fetch(`/conformance/graph/${file}`)).json()) as Case[];
      const failed: Failed[] = [];
      for (const { name, graph, text, problems, hash } of cases) {
        const checked = core.check_document(text ?? JSON.stringify(graph)) as {
          ok: boolean;
          problems: Problem[];
          hash?: string;
        };
        // The vectors have the order of the document; what the module gives has errors before warnings.
        const isError = ({ code }: Problem): boolean => code.startsWith("E_");
        const sorted = [
          ...problems.filter(isError),
          ...problems.filter((problem) => !isError(problem)),
        ];
        const actual = {
          ok: checked.ok,
          problems: checked.problems.map(({ code, graph, node, port, path }, index) => ({
            code,
            ...(graph === undefined ? {} : { graph }),
            ...(node === undefined ? {} : { node }),
            ...(port === undefined ? {} : { port }),
            ...(sorted[index]?.path === undefined ? {} : { path }),
          })),
          ...(hash === undefined ? {} : { hash: checked.hash }),
        };
        const expected = {
          ok: !problems.some(isError),
          problems: sorted,
          ...(hash === undefined ? {} : { hash }),
        };
        if (!window.inside.equal(actual, expected)) failed.push({ name, expected, actual });
      }
      return { count: cases.length, failed };
    }, file);
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
