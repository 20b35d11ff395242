import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  completion,
  errorReply,
  type OpenAiServer,
  startOpenAiServer,
  textReply,
  toolReply,
} from "../servers/openai.js";
import { type Site, startSite } from "./site.js";

let site: Site;
let server: OpenAiServer;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  server = await startOpenAiServer();
});
afterEach(() => server.close());

/** One turn with the model at the server. */
function ask(page: Page, text: string) {
  return page.evaluate(
    async ([baseURL, text]) => {
      const { open, openaiChat } = window.kit;
      const model = openaiChat({
        baseURL,
        model: "test-model",
        headers: () => ({ authorization: "Bearer sk-secret" }),
      });
      const { graph, runtime } = await open({ models: { default: model } });
      const run = graph.run({ text, thread: "t" });
      const tokens = await window.kit.tokens(run);
      const result = await run.result;
      await runtime.close();
      return { tokens, ...result };
    },
    [server.url, text] as const,
  );
}

/** A stream is let go after its last event, which Chromium calls an aborted request if the server is slower. */
const letGo = [/chat\/completions net::ERR_ABORTED/];

test("a streamed answer arrives in pieces, cut anywhere", async () => {
  const page = await site.open({ expected: letGo });
  server.queue.push(
    textReply("Grüße aus Ålesund 👩‍👩‍👧!", { chunk: 3, newline: "\r\n", comments: true }),
  );
  const { text, tokens, usage, status } = await ask(page, "Hello");
  expect(status).toBe("succeeded");
  expect(text).toBe("Grüße aus Ålesund 👩‍👩‍👧!");
  expect(tokens.length).toBeGreaterThan(1);
  expect(usage).toMatchObject({ input: 12, output: 4 });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer sk-secret");
  expect(server.requests[0]?.body).toMatchObject({
    model: "test-model",
    stream: true,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
  });
});

test("a tool is called, and the next turn sends the whole round to the server", async () => {
  const page = await site.open({ expected: letGo });
  server.queue.push(
    toolReply([{ id: "call_1", name: "weather", args: '{"city":"Oslo"}' }], { chunk: 7 }),
    textReply("Rain."),
    completion({ content: "You asked of Oslo." }),
  );
  expect((await ask(page, "Weather in Oslo?")).text).toBe("Rain.");
  expect((await ask(page, "What did I ask?")).text).toBe("You asked of Oslo.");
  expect(server.requests[0]?.body.tools?.map(({ function: { name } }) => name)).toEqual([
    "weather",
  ]);
  expect(server.requests[2]?.body.messages).toMatchObject([
    { role: "system" },
    { role: "user", content: "Weather in Oslo?" },
    {
      role: "assistant",
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "weather", arguments: '{"city":"Oslo"}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "rain in Oslo" },
    { role: "assistant", content: "Rain." },
    { role: "user", content: "What did I ask?" },
  ]);
});

describe("a fault of the server fails the run with its code, tells no key, and the next run works", () => {
  test.each([
    ["400", errorReply(400, "bad request sk-secret"), { status: 400, retryable: false }],
    ["401", errorReply(401, "wrong key sk-secret"), { status: 401, retryable: false }],
    [
      "429",
      errorReply(429, "slow down", "rate", { "retry-after": "7" }),
      { status: 429, retryable: true },
    ],
    ["500", errorReply(500, "oh no"), { status: 500, retryable: true }],
    ["a page instead", { kind: "raw", body: "<html>", status: 200 } as const, {}],
    ["a connection that is closed at once", { kind: "hang_up" } as const, { retryable: true }],
    ["a stream that breaks", textReply("One two three", { breakAfter: 300 }), { retryable: true }],
  ])("%s", async (_name, reply, error) => {
    const page = await site.open({
      expected: [/Failed to load resource/, /failed request: .*chat\/completions/],
    });
    // More than once: Chromium asks again by itself where a connection that it used before was closed.
    server.queue.push(reply, reply, reply);
    const failed = await ask(page, "Hello");
    expect(failed.status).toBe("failed");
    expect(failed.error).toMatchObject({ node: "agent", ...error });
    expect(failed.error?.code).toMatch(/^E_LLM/);
    expect(JSON.stringify(failed)).not.toContain("sk-secret");
    server.queue.splice(0, 3, textReply("Fine."));
    expect((await ask(page, "Hello again")).text).toBe("Fine.");
    await page.close();
  });
});

test("cancelling closes the connection to the server", async () => {
  const page = await site.open({ expected: [/ERR_ABORTED/] });
  server.queue.push(
    textReply("One two three", { gate: (at) => (at < 3 ? undefined : new Promise(() => {})) }),
  );
  const status = await page.evaluate(async (baseURL) => {
    const { open, openaiChat, until } = window.kit;
    const { graph } = await open({
      models: { default: openaiChat({ baseURL, model: "test-model" }) },
    });
    const run = graph.run({ text: "Hello", thread: "t" });
    await until(run, ({ type }) => type === "token");
    run.cancel();
    return (await run.result).status;
  }, server.url);
  expect(status).toBe("cancelled");
  await server.requests[0]?.closed;
});
