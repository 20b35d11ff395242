import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

test("a signal stops a run in mid-stream: the answer so far is kept, marked, and sent next time", async () => {
  const page = await site.open();
  const seen = await page.evaluate(async () => {
    const { open, scriptedModel, brief, until } = window.kit;
    let told: AbortSignal | undefined;
    const model = scriptedModel((_request, { signal }) => {
      told = signal;
      return (async function* () {
        yield "Half ";
        yield "an ";
        await new Promise(() => {});
      })();
    });
    const { graph, runtime } = await open({ models: { default: model } });
    const aborter = new AbortController();
    const run = graph.run({ text: "Tell me all", thread: "t", signal: aborter.signal });
    await until(run, ({ type }) => type === "token");
    aborter.abort(new Error("enough"));
    const { status, error } = await run.result;
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    const after = scriptedModel("Sure.");
    const next = await open({ models: { default: after } });
    await next.graph.invoke({ text: "Go on", thread: "t" });
    return {
      status,
      code: error?.code,
      aborted: told?.aborted,
      last: types.at(-1),
      stored: messages.map((message) => `${message.status} ${brief(message)}`),
      sent: after.requests[0]?.messages.map(brief),
      transcript: (await runtime.threads.transcript("t")).map((entry) => entry.status),
    };
  });
  expect(seen).toMatchObject({
    status: "cancelled",
    aborted: true,
    last: "run_cancelled",
    transcript: ["aborted", "complete"],
  });
  expect(seen.stored[1]).toMatch(/^aborted assistant: Half /);
  expect(seen.sent?.slice(0, 2)).toEqual(["system: Be brief.", "user: Tell me all"]);
  expect(seen.sent?.[2]).toMatch(/^assistant: Half /);
  expect(seen.sent?.at(-1)).toBe("user: Go on");
});

test("a signal stops a run during a tool's call: the open call is closed for the model", async () => {
  const page = await site.open();
  const seen = await page.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel(
      { tool_calls: [{ call_id: "c1", name: "weather", args: { city: "Oslo" } }] },
      "Fine.",
    );
    let toolAborted = false;
    let begun = () => {};
    const tool = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { graph } = await open({
      models: { default: model },
      tools: {
        weather: {
          description: "Never answers",
          parameters: { type: "object" },
          execute: (_args, { signal }) =>
            new Promise((_resolve, reject) => {
              begun();
              signal.addEventListener("abort", () => {
                toolAborted = true;
                reject(signal.reason);
              });
            }),
        },
      },
    });
    const run = graph.run({ text: "Weather?", thread: "t" });
    await tool;
    run.cancel("enough");
    const { status } = await run.result;
    await graph.invoke({ text: "Never mind", thread: "t" });
    return { status, toolAborted, sent: model.requests[1]?.messages.map(brief) };
  });
  expect(seen.status).toBe("cancelled");
  expect(seen.toolAborted).toBe(true);
  expect(seen.sent?.slice(0, 3)).toEqual([
    "system: Be brief.",
    "user: Weather?",
    'assistant: weather{"city":"Oslo"}',
  ]);
  expect(seen.sent?.[3]).toMatch(/^tool: no result was recorded/);
  expect(seen.sent?.slice(4)).toEqual(["user: Never mind"]);
});

describe("the journal is written", () => {
  test("before the model is called", async () => {
    const order = await journalAndCalls();
    expect(order.indexOf("question"), order.join()).toBeGreaterThan(-1);
    expect(order.indexOf("question"), order.join()).toBeLessThan(order.indexOf("model"));
  });

  test("with a finished tool's result, before the model is called again", async () => {
    const order = await journalAndCalls();
    expect(order.indexOf("result"), order.join()).toBeGreaterThan(-1);
    expect(order.indexOf("result"), order.join()).toBeLessThan(order.lastIndexOf("model"));
  });

  /** A run of two model calls with a tool's call between: what was in the journal when. */
  async function journalAndCalls(): Promise<string[]> {
    const page = await site.open();
    return page.evaluate(async () => {
      const { open, mapStorage, weatherModel } = window.kit;
      const order: string[] = [];
      const inner = mapStorage();
      const { graph } = await open({
        storage: {
          scan: (table, range, options) => inner.scan(table, range, options),
          async commit(batch) {
            // A storage that takes its time: whoever does not wait for it is ahead of it.
            for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setTimeout(next));
            const outcome = await inner.commit(batch);
            for (const { table, value } of batch.puts) {
              if (table !== "journal") continue;
              order.push(JSON.stringify(value).includes("rain in") ? "result" : "question");
            }
            return outcome;
          },
        },
        models: { default: weatherModel(() => void order.push("model")) },
      });
      await graph.invoke({ text: "Oslo", thread: "t" });
      return order;
    });
  }
});

test("a signal that is aborted before, and leaving the loop, do what they say", async () => {
  const page = await site.open();
  const seen = await page.evaluate(async () => {
    const { open, scriptedModel } = window.kit;
    const model = scriptedModel("one", "two");
    const { graph, runtime } = await open({ models: { default: model } });
    const never = await graph.run({ text: "x", thread: "t", signal: AbortSignal.abort() }).result;
    const asked = model.requests.length;
    const run = graph.run({ text: "y", thread: "t" });
    for await (const _event of run) break;
    const { status } = await run.result;
    await runtime.close();
    await runtime.close();
    const late = await graph.run({ text: "z", thread: "t" }).result.catch((error) => error.code);
    return { never: never.status, asked, status, late };
  });
  expect(seen).toEqual({ never: "cancelled", asked: 0, status: "succeeded", late: "E_CLOSED" });
});

test("without a network the demo model goes on, remembers, and streams word by word", async () => {
  const context = await site.context();
  const page = await site.open({
    in: context,
    expected: [/ERR_INTERNET_DISCONNECTED/],
  });
  await page.evaluate(async () => {
    const { open, demoModel } = window.kit;
    Object.assign(window, await open({ models: { default: demoModel({ delayMs: 0 }) } }));
  });
  await context.setOffline(true);
  const seen = await page.evaluate(async () => {
    const { graph } = window as unknown as Awaited<ReturnType<typeof window.kit.open>>;
    const reached = await fetch("/").then(
      () => true,
      () => false,
    );
    await graph.invoke({ text: "My name is Ada.", thread: "t" });
    const run = graph.run({ text: "What is my name?", thread: "t" });
    const tokens = await window.kit.tokens(run);
    const { text } = await run.result;
    // The module is there already: another runtime needs nothing of the network either.
    const { open, demoModel } = window.kit;
    const again = await open({ models: { default: demoModel({ delayMs: 0 }) } });
    const second = await again.graph.invoke({ text: "What is my name?", thread: "t" });
    return { reached, text, tokens, second: second.text };
  });
  expect(seen.reached).toBe(false);
  expect(seen.text).toContain("Ada");
  expect(seen.second).toContain("Ada");
  expect(seen.tokens.length).toBeGreaterThan(2);
  expect(seen.tokens.join("")).toBe(seen.text);
});

test("every fault of a callback has its code, and the next run works", async () => {
  const page = await site.open();
  const seen = await page.evaluate(async () => {
    const { open, scriptedModel } = window.kit;
    const call = (args: object) => ({
      tool_calls: [{ call_id: "c1", name: "weather", ...args }],
    });
    const codes: (string | undefined)[] = [];
    for (const answer of [
      () => {
        throw new Error("boom");
      },
      () => Promise.reject(null),
      () => 5,
      () => ({ tool_calls: "no" }),
      () => [{ type: "what" }],
      async function* () {
        yield "half";
        throw new Error("boom");
      },
      () => ({
        get text() {
          throw new Error("boom");
        },
      }),
    ]) {
      const model = scriptedModel(answer as never, "fine");
      const { graph, runtime } = await open({ models: { default: model } });
      const { error, status } = await graph.run({ text: "x", thread: "t" }).result;
      const next = await graph.invoke({ text: "y", thread: "t" });
      codes.push(
        status === "failed" && next.text === "fine" ? error?.code : `${status} ${next.text}`,
      );
      await runtime.close();
    }
    // A tool's faults are told to the model instead.
    const model = scriptedModel(call({ args: {} }), "told");
    const { graph } = await open({
      models: { default: model },
      tools: {
        weather: {
          description: "Fails",
          parameters: { type: "object" },
          execute: () => {
            throw new Error("no weather");
          },
        },
      },
    });
    const { text } = await graph.invoke({ text: "x", thread: "u" });
    const told = model.requests[1]?.messages.map(window.kit.brief).at(-1);
    return { codes, text, told };
  });
  expect(seen.codes).toEqual([
    "E_LLM",
    "E_LLM",
    "E_LLM_RESPONSE",
    "E_LLM_RESPONSE",
    "E_LLM_RESPONSE",
    "E_LLM",
    "E_LLM_RESPONSE",
  ]);
  expect(seen.text).toBe("told");
  expect(seen.told).toContain("no weather");
});
