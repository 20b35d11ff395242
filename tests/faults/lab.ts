/** Browsers with profiles on the disk, driven by Playwright, beside the pages of the suite. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { at } from "../../scripts/lib/paths.mjs";
import { servePages } from "../e2e/site.js";
import { launchProfile, openPage } from "../lib/index.mjs";
import { backendOf, type Chromium } from "./browsers.js";
import type { Tell } from "./tells.js";
import { Told } from "./told.js";

const script = (name: string): string => at("tests", "faults", "pages", `${name}.ts`);

export interface Pages {
  origin: string;
  told: Told<Tell>;
  close(): Promise<void>;
}

/** Serves the pages of the suite. */
export async function startPages(): Promise<Pages> {
  const told = new Told<Tell>();
  const names = ["life", "faults", "writer", "callbacks", "panic"];
  const scripts = Object.fromEntries(names.map((name) => [name, script(name)]));
  const { origin, close } = await servePages({ scripts, told: told.hear });
  return { origin, told, close };
}

export interface Lab {
  context: BrowserContext;
  profile: string;
  /** A page with `window.faults`, or with another script of the suite. Errors on its console belong to the test. */
  open(init?: () => void, script?: "faults" | "callbacks" | "panic"): Promise<Page>;
  /** What the browser's own tools can do to a page and its origin. */
  tools(page: Page): Promise<CDPSession>;
  /** What the databases were found to lie on. */
  backend(): string;
}

/** Gives a browser on a fresh profile to a test, and takes it away again. */
export async function inLab(
  pages: Pages,
  engine: Chromium,
  use: (lab: Lab) => Promise<void>,
  args: string[] = [],
): Promise<void> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-faults-"));
  const context = await launchProfile(profile, {
    args: [...engine.features, ...args],
  });
  try {
    await use({
      context,
      profile,
      async open(init, script = "faults") {
        const { page } = await openPage(context, `${pages.origin}/${script}.html`, {
          expected: [/./],
          ...(init && { init }),
        });
        await page.waitForFunction((script) => script in window, script);
        return page;
      },
      tools: (page) => context.newCDPSession(page),
      backend: () => `${engine.name}, ${backendOf(engine, profile)}`,
    });
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}

/** Waits for what must come within a time, and gives what is said where it does not. */
export async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
