import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

/** Runs rounds of four messages on the thread `t`, one after the other, as soon as all tabs are there. */
function converse(page: Page, tab: string, rounds: number): Promise<string[]> {
  return page.evaluate(
    async ([tab, rounds]) => {
      const model = window.kit.weatherModel();
      const { graph } = await window.kit.open({ models: { default: model } });
      await window.kit.meet(2);
      const statuses: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const run = graph.run({ text: `${tab}${round}`, thread: "t" });
        statuses.push((await run.result).status);
      }
      return statuses;
    },
    [tab, rounds] as const,
  );
}

/** Every stored message in one line, with its place and round. */
async function stored(page: Page): Promise<{ line: string; seq: number; round: string }[]> {
  return page.evaluate(async () => {
    const { runtime, graph } = await window.kit.open({});
    const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    return messages.map((message) => ({
      line: window.kit.brief(message),
      seq: message.seq ?? -1,
      round: message.round ?? "",
    }));
  });
}

/** Throws unless the messages are whole rounds, one after the other; returns what each was about, in order. */
function wholeRounds(messages: Awaited<ReturnType<typeof stored>>): string[] {
  const subjects: string[] = [];
  for (let at = 0; at < messages.length; at += 4) {
    const round = messages.slice(at, at + 4);
    const subject = round[0]?.line.replace("user: ", "") ?? "";
    expect(round.map(({ line }) => line)).toEqual([
      `user: ${subject}`,
      `assistant: weather{"city":"${subject}"}`,
      `tool: rain in ${subject}`,
      `assistant: done with ${subject}`,
    ]);
    expect(new Set(round.map(({ round }) => round)).size).toBe(1);
    const place = round[0]?.seq ?? 0;
    expect(place).toBeGreaterThan(messages[at - 1]?.seq ?? 0);
    expect(round.map(({ seq }) => seq)).toEqual([0, 1, 2, 3].map((offset) => place + offset));
    subjects.push(subject);
  }
  return subjects;
}

const withoutLocks = (): void => {
  Object.defineProperty(navigator, "locks", { value: undefined });
};

describe.each([
  ["with Web Locks", {}],
  ["without Web Locks", { init: withoutLocks }],
])("%s", (_name, options) => {
  test("two tabs that write one thread at once lose no round and mix none", async () => {
    const context = await site.context();
    const pages = [
      await site.open({ in: context, ...options }),
      await site.open({ in: context, ...options }),
    ] as const;
    const [a, b] = await Promise.all([converse(pages[0], "a", 20), converse(pages[1], "b", 20)]);
    expect([...a, ...b]).toEqual(Array(40).fill("succeeded"));

    const subjects = wholeRounds(await stored(pages[0]));
    for (const tab of ["a", "b"]) {
      // Each tab's rounds stand in the order in which it ran them.
      expect(subjects.filter((subject) => subject.startsWith(tab))).toEqual(
        Array.from({ length: 20 }, (_, round) => `${tab}${round}`),
      );
    }
    const transcript = await pages[1].evaluate(async () => {
      const { runtime } = await window.kit.open({});
      return runtime.threads.transcript("t", { limit: 100 });
    });
    expect(transcript).toHaveLength(40);
    expect(new Set(transcript.map(({ status }) => status))).toEqual(new Set(["complete"]));
    await context.close();
  });
});

test("without locks a slow round lands whole behind those that overtook it", async () => {
  const context = await site.context();
  const slow = await site.open({ in: context, init: withoutLocks });
  const fast = await site.open({ in: context, init: withoutLocks });
  await slow.evaluate(async () => {
    const { open, weatherModel, gate } = window.kit;
    const hold = gate();
    const { graph } = await open({ models: { default: weatherModel(() => hold.opened) } });
    const run = graph.run({ text: "slow", thread: "t" });
    await window.kit.until(run, ({ type }) => type === "memory_read");
    Object.assign(window, { hold, run });
  });
  expect(await fast.evaluate(rounds, ["fast0", "fast1"])).toEqual(["succeeded", "succeeded"]);
  const status = await slow.evaluate(async () => {
    const { hold, run } = window as unknown as {
      hold: { open(): void };
      run: { result: Promise<{ status: string }> };
    };
    hold.open();
    return (await run.result).status;
  });
  expect(status).toBe("succeeded");
  expect(wholeRounds(await stored(fast))).toEqual(["fast0", "fast1", "slow"]);
  await context.close();
});

test("with locks a tab waits for the other's run, and is told E_BUSY where it will not wait", async () => {
  const context = await site.context();
  const holder = await site.open({ in: context });
  const waiter = await site.open({ in: context });
  await holder.evaluate(async () => {
    const { open, weatherModel, gate } = window.kit;
    const hold = gate();
    const { graph } = await open({ models: { default: weatherModel(() => hold.opened) } });
    const run = graph.run({ text: "first", thread: "t" });
    await window.kit.until(run, ({ type }) => type === "memory_read");
    Object.assign(window, { hold });
  });
  const refused = await waiter.evaluate(async () => {
    const { open, weatherModel } = window.kit;
    const { graph } = await open({ models: { default: weatherModel() } });
    const error = await graph
      .run({ text: "no", thread: "t", onBusy: "reject" })
      .result.catch((error: unknown) => error);
    // Another thread is free.
    const other = await graph.invoke({ text: "other", thread: "u", onBusy: "reject" });
    Object.assign(window, { waiting: graph.run({ text: "second", thread: "t" }) });
    return { code: (error as { code?: string }).code, other: other.status };
  });
  expect(refused).toEqual({ code: "E_BUSY", other: "succeeded" });
  await holder.evaluate(() => (window as unknown as { hold: { open(): void } }).hold.open());
  const second = await waiter.evaluate(async () => {
    const { waiting } = window as unknown as { waiting: { result: Promise<{ status: string }> } };
    return (await waiting.result).status;
  });
  expect(second).toBe("succeeded");
  expect(wholeRounds(await stored(waiter))).toEqual(["first", "second"]);
  await context.close();
});

test("cancel_previous stops the run in the other tab", async () => {
  const context = await site.context();
  const old = await site.open({ in: context });
  const next = await site.open({ in: context });
  await old.evaluate(async () => {
    const { open, weatherModel } = window.kit;
    const never = new Promise<void>(() => {});
    const { graph } = await open({ models: { default: weatherModel(() => never) } });
    const run = graph.run({ text: "old", thread: "t" });
    await window.kit.until(run, ({ type }) => type === "memory_read");
    Object.assign(window, { run });
  });
  const status = await next.evaluate(async () => {
    const { open, weatherModel } = window.kit;
    const { graph } = await open({ models: { default: weatherModel() } });
    return (await graph.run({ text: "new", thread: "t", onBusy: "cancel_previous" }).result).status;
  });
  const cancelled = await old.evaluate(async () => {
    const { run } = window as unknown as { run: { result: Promise<{ status: string }> } };
    return (await run.result).status;
  });
  expect([status, cancelled]).toEqual(["succeeded", "cancelled"]);
  await context.close();
});

describe("a tab that is closed while its model is asked", () => {
  test("leaves its question: the next run on the thread is sent it", async () => {
    const { sent, stored } = await closeAndGoOn();
    expect(stored[0]).toBe("aborted user: Is it late?");
    expect(stored.slice(-2)).toEqual(["complete user: And now?", "complete assistant: It is."]);
    expect(sent).toEqual(["system: Be brief.", "user: Is it late?", "user: And now?"]);
  });

  test("leaves no turn behind that seems to run for ever", async () => {
    const { transcript } = await closeAndGoOn();
    expect(transcript).toEqual(["aborted", "complete"]);
  });

  async function closeAndGoOn() {
    const context = await site.context();
    const closed = await site.open({ in: context });
    await closed.evaluate(async () => {
      const { graph } = await window.kit.open({
        models: { default: () => new Promise(() => {}) },
      });
      graph.run({ text: "Is it late?", thread: "t" });
      await window.kit.journalWritten();
    });
    await closed.close();

    const page = await site.open({ in: context });
    const after = await page.evaluate(async () => {
      const { open, scriptedModel, brief } = window.kit;
      const model = scriptedModel("It is.");
      const { graph, runtime } = await open({ models: { default: model } });
      await graph.invoke({ text: "And now?", thread: "t" });
      const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
      return {
        sent: model.requests[0]?.messages.map(brief),
        stored: messages.map((message) => `${message.status} ${brief(message)}`),
        transcript: (await runtime.threads.transcript("t")).map(({ status }) => status),
      };
    });
    await context.close();
    return after;
  }
});

test("a worker that is ended as soon as its run has ended loses nothing", async () => {
  const page = await site.open();
  for (let round = 0; round < 5; round += 1) {
    const status = await page.evaluate(
      (text) =>
        new Promise((resolve, reject) => {
          const worker = new Worker("/worker.js", { type: "module" });
          worker.onerror = ({ message }) => reject(new Error(message));
          worker.onmessage = ({ data }) => {
            worker.terminate();
            resolve(data);
          };
          worker.postMessage({ text, thread: "t" });
        }),
      `worker${round}`,
    );
    expect(status).toBe("succeeded");
  }
  await page.reload();
  await kitReady(page);
  expect((await stored(page)).map(({ line }) => line)).toEqual(
    [0, 1, 2, 3, 4].flatMap((round) => [
      `user: worker${round}`,
      `assistant: answer to worker${round}`,
    ]),
  );
});

/** Runs in the page: one round for each text. */
async function rounds(texts: string[]): Promise<string[]> {
  const { open, weatherModel } = window.kit;
  const { graph } = await open({ models: { default: weatherModel() } });
  const statuses: string[] = [];
  for (const text of texts) {
    statuses.push((await graph.run({ text, thread: "t" }).result).status);
  }
  return statuses;
}
