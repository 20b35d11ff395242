import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

test.each(["panic", "overflow", "memory"])(
  "after a crash (%s) all who wait are told, and the next run goes on with the same memory",
  async (how) => {
    const page = await site.open({ path: "/inside.html", expected: [/^uncaught: /, /^console: /] });
    const seen = await page.evaluate(async (how) => {
      const { open, scriptedModel, brief, core, gate } = window.inside;
      const asked = gate();
      const model = scriptedModel(
        "Hello Ada.",
        () => {
          asked.open();
          return new Promise<string>(() => {});
        },
        "You are Ada.",
        "Still Ada.",
      );
      const { graph, runtime } = await open({ models: { default: model as never } });
      await graph.invoke({ text: "my name is Ada", thread: "t" });
      const run = graph.run({ text: "pending", thread: "t" });
      await asked.opened;
      const crashed = gate();
      runtime.on("crashed", crashed.open);
      const waiting = runtime.threads.list().catch((error: unknown) => error);
      // As a task of the module would: nobody is there to catch it.
      setTimeout(() => core.__crash(how));
      await crashed.opened;
      const { status, error } = await run.result;
      const types: string[] = [];
      for await (const { type } of run) types.push(type);
      const listed = (await waiting) as { code?: string };
      const next = await graph.invoke({ text: "what is my name?", thread: "t" });
      const sent = model.requests.at(-1)?.messages.map((message) => brief(message as never));
      // A runtime that is opened now is as good.
      const other = await open({ models: { default: model as never } });
      const last = await other.graph.invoke({ text: "and now?", thread: "t" });
      return {
        ended: [status, error?.code, types.at(-1)],
        listed: listed.code,
        texts: [next.text, last.text],
        sent,
      };
    }, how);
    expect(seen.ended).toEqual(["failed", "E_RUNTIME_CRASHED", "run_failed"]);
    expect(seen.listed).toBe("E_RUNTIME_CRASHED");
    expect(seen.texts).toEqual(["You are Ada.", "Still Ada."]);
    expect(seen.sent?.slice(0, 3)).toEqual([
      "system: Be brief.",
      "user: my name is Ada",
      "assistant: Hello Ada.",
    ]);
    expect(seen.sent?.at(-1)).toBe("user: what is my name?");
    await page.close();
  },
);
