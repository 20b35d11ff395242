import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  chunk,
  completion,
  errorReply,
  type OpenAiServer,
  type Reply,
  startOpenAiServer,
  textReply,
  toolReply,
  usageChunk,
} from "../../tests/servers/openai.js";
import type { MnemographError } from "../src/errors.js";
import { type OpenAiChatOptions, openaiChat } from "../src/models/openai.js";
import type { ChatChunk, ChatRequest } from "../src/wire.js";

let server: OpenAiServer;

beforeAll(async () => {
  server = await startOpenAiServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.queue.length = 0;
});

const request: ChatRequest = {
  messages: [
    { v: 1, id: "m1", role: "user", status: "complete", parts: [{ type: "text", text: "Hi" }] },
  ],
  tools: [],
  params: {},
  stream: true,
};

async function ask(
  reply: Reply,
  options: Partial<OpenAiChatOptions> = {},
  signal = new AbortController().signal,
  asked: Partial<ChatRequest> & { response_format?: Record<string, unknown> } = {},
): Promise<ChatChunk[]> {
  server.queue.push(reply);
  const model = openaiChat({ baseURL: server.url, model: "test", ...options });
  const answer = model(
    { ...request, ...asked },
    { signal, run_id: "r", node: "n", purpose: "agent" },
  );
  const chunks: ChatChunk[] = [];
  for await (const piece of answer as AsyncIterable<ChatChunk>) chunks.push(piece);
  return chunks;
}

function text(chunks: ChatChunk[]): string {
  return chunks.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

async function fault(promise: Promise<unknown>): Promise<MnemographError> {
  return promise.then(
    () => expect.fail("it should have failed"),
    (error: MnemographError) => error,
  );
}

test("a stream gives its text, then why it ended, the tokens and the model", async () => {
  const chunks = await ask(textReply("Hello there, you."));
  expect(text(chunks)).toBe("Hello there, you.");
  expect(chunks.at(-1)).toEqual({
    type: "finish",
    reason: "stop",
    usage: { input: 12, output: 3, cached_input: 4 },
    model: { provider: "openai", api: "chat", id: "test-model" },
  });
});

const odd = "Größe 😀 “quoted” \\n \u2028 ok";

test.each([
  ["one byte at a time", { chunk: 1 }],
  ["CRLF, one byte at a time", { chunk: 1, newline: "\r\n" as const }],
  ["bare CR, one byte at a time", { chunk: 1, newline: "\r" as const }],
  ["comments and other fields", { chunk: 3, comments: true }],
  ["comments with CRLF", { chunk: 2, comments: true, newline: "\r\n" as const }],
  ["no [DONE] after a finish reason", { done: false }],
])("a stream is read whole: %s", async (_name, wire) => {
  const chunks = await ask(textReply(odd, wire));
  expect(text(chunks)).toBe(odd);
  expect(chunks.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});

test("every byte border inside an event is a safe place to cut", async () => {
  const events = [chunk({ content: "é😀" }), chunk({}, "stop")];
  const size = Buffer.byteLength(`data: ${JSON.stringify(events[0])}\n\n`);
  for (let cut = 2; cut <= size; cut += 1) {
    const chunks = await ask({ kind: "stream", events, wire: { chunk: cut } });
    expect(text(chunks), `cut at ${cut}`).toBe("é😀");
  }
});

test("parallel tool calls are told apart by their index", async () => {
  const chunks = await ask(
    toolReply([
      { id: "c1", name: "weather", args: '{"city": "Oslo"}' },
      { id: "c2", name: "clock", args: "{}" },
    ]),
  );
  expect(joinCalls(chunks)).toEqual([
    { call_id: "c1", name: "weather", args: '{"city": "Oslo"}' },
    { call_id: "c2", name: "clock", args: "{}" },
  ]);
  expect(chunks.at(-1)).toMatchObject({ reason: "tool_calls" });
});

test("servers that give every call the index 0, or none, or an object as arguments", async () => {
  const call = (id: string, name: string, args: unknown, index?: number): unknown => ({
    ...(index === undefined ? {} : { index }),
    id,
    function: { name, arguments: args },
  });
  const events = [
    chunk({ tool_calls: [call("a", "one", '{"x":1}', 0)] }),
    chunk({ tool_calls: [call("b", "two", '{"y":2}', 0)] }),
    chunk({ tool_calls: [call("c", "three", { z: 3 })] }),
    chunk({}, "tool_calls"),
  ];
  expect(joinCalls(await ask({ kind: "stream", events }))).toEqual([
    { call_id: "a", name: "one", args: '{"x":1}' },
    { call_id: "b", name: "two", args: '{"y":2}' },
    { call_id: "c", name: "three", args: '{"z":3}' },
  ]);
});

test("reasoning, refusals and unknown finish reasons", async () => {
  const events = [
    chunk({ reasoning_content: "Hm." }),
    chunk({ reasoning: " Yes." }),
    chunk({ refusal: "I cannot." }),
    chunk({}, "stop"),
  ];
  const chunks = await ask({ kind: "stream", events });
  expect(chunks.slice(0, 3)).toEqual([
    { type: "reasoning", text: "Hm." },
    { type: "reasoning", text: " Yes." },
    { type: "text", text: "I cannot." },
  ]);
  expect(chunks.at(-1)).toMatchObject({ reason: "content_filter" });
  const strange = await ask({ kind: "stream", events: [chunk({ content: "x" }, "eos")] });
  expect(strange.at(-1)).toMatchObject({ reason: "other" });
});

test("a server that ignores `stream` and answers JSON", async () => {
  const message = {
    content: "Look:",
    tool_calls: [{ id: "c1", type: "function", function: { name: "clock", arguments: '{"a":1}' } }],
  };
  const chunks = await ask(completion(message, "tool_calls"));
  expect(text(chunks)).toBe("Look:");
  expect(joinCalls(chunks)).toEqual([{ call_id: "c1", name: "clock", args: '{"a":1}' }]);
  expect(chunks.at(-1)).toMatchObject({ reason: "tool_calls", usage: { input: 7, output: 3 } });
});

test("a request without streaming asks for no stream", async () => {
  await ask(completion({ content: "ok" }), {}, undefined, { stream: false });
  expect(server.requests[0]?.body).toMatchObject({ stream: false });
  expect(server.requests[0]?.body).not.toHaveProperty("stream_options");
});

test("params, tools, the schema of the answer and the function's headers are sent", async () => {
  await ask(
    completion({ content: "{}" }),
    {
      headers: async () => ({ authorization: "Bearer secret-key-1" }),
      params: { temperature: 1, top_p: 0.5 },
    },
    undefined,
    {
      params: { temperature: 0, model: "smuggled" },
      tools: [{ name: "clock", description: "Tells the time", parameters: { type: "object" } }],
      response_format: { title: "My answer", type: "object" },
    },
  );
  const [seen] = server.requests;
  expect(seen?.headers.authorization).toBe("Bearer secret-key-1");
  expect(seen?.body).toMatchObject({
    model: "test",
    temperature: 0,
    top_p: 0.5,
    tools: [{ type: "function", function: { name: "clock" } }],
    response_format: { type: "json_schema", json_schema: { name: "My_answer" } },
    stream_options: { include_usage: true },
  });
});

const KEY = "sk-proj-abcdef123456";

test.each<[string, Reply, Record<string, unknown>]>([
  [
    "400",
    errorReply(400, "bad", "invalid_request_error"),
    { retryable: false, details: { status: 400, provider_code: "invalid_request_error" } },
  ],
  [
    "401",
    errorReply(401, `Incorrect API key provided: ${KEY}`),
    { retryable: false, details: { status: 401 } },
  ],
  [
    "429",
    errorReply(429, "slow down", "rate_limit", { "retry-after": "2" }),
    { retryable: true, details: { status: 429, retry_after_ms: 2000 } },
  ],
  [
    "429 in ms",
    errorReply(429, "slow down", "rate_limit", { "retry-after-ms": "150" }),
    { retryable: true, details: { retry_after_ms: 150 } },
  ],
  ["429 without credit", errorReply(429, "no credit", "insufficient_quota"), { retryable: false }],
  ["500", errorReply(500, "oops"), { retryable: true, details: { status: 500 } }],
  [
    "500 as a page",
    { kind: "raw", status: 502, body: "<html>Bad gateway</html>" },
    { retryable: true, details: { status: 502 } },
  ],
  ["200 as a page", { kind: "raw", body: "<!doctype html><p>Welcome" }, { retryable: false }],
  ["200 as other JSON", { kind: "json", body: { hello: 1 } }, { retryable: false }],
  [
    "error object with 200",
    { kind: "json", body: { error: { message: "overloaded", code: 503 } } },
    { retryable: true, details: { status: 503 } },
  ],
  [
    "error inside the stream",
    {
      kind: "stream",
      events: [chunk({ content: "a" }), { error: { message: "overloaded", code: 529 } }],
    },
    { retryable: true, details: { status: 529 } },
  ],
  [
    "malformed stream",
    { kind: "stream", events: [chunk({ content: "a" }), "{oops"] },
    { retryable: false },
  ],
  [
    "no end",
    { kind: "stream", events: [chunk({ content: "a" })], wire: { done: false } },
    { retryable: true },
  ],
  [
    "broken connection",
    {
      kind: "stream",
      events: [chunk({ content: "a" }), chunk({}, "stop")],
      wire: { breakAfter: 60 },
    },
    { retryable: true },
  ],
  ["hang up", { kind: "hang_up" }, { retryable: true }],
])("fails with E_LLM: %s", async (_name, reply, expected) => {
  const error = await fault(ask(reply, { headers: { authorization: `Bearer ${KEY}` } }));
  expect(error).toMatchObject({ code: "E_LLM", ...expected });
  expect(JSON.stringify(error.toJSON())).not.toContain(KEY);
});

test("an address where nobody listens, with a key in it", async () => {
  const error = await fault(
    ask({ kind: "silence" }, { baseURL: "http://127.0.0.1:1/v1?key=hidden-value" }),
  );
  expect(error).toMatchObject({ code: "E_LLM", retryable: true });
  expect(JSON.stringify(error.toJSON())).not.toContain("hidden-value");
});

test("aborting closes the connection in the middle of a stream", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const gate = (index: number): Promise<void> | void => {
    if (index < 2) return;
    controller.abort(reason);
    return new Promise(() => {});
  };
  const error = await fault(ask(textReply("a b c d", { gate }), {}, controller.signal));
  expect(error).toBe(reason);
  await server.requests[0]?.closed;
});

test("aborting ends the waiting for a server that says nothing", async () => {
  const controller = new AbortController();
  const asked = fault(ask({ kind: "silence" }, {}, controller.signal));
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort(new Error("enough"));
  expect((await asked).message).toBe("enough");
});

test("usage without a choice and empty data lines are no pieces", async () => {
  const events = [usageChunk(1, 1), " ", chunk({ content: "x" }, "stop")];
  expect(await ask({ kind: "stream", events })).toHaveLength(2);
});

function joinCalls(chunks: ChatChunk[]): unknown[] {
  const calls: Record<string, string>[] = [];
  for (const piece of chunks) {
    if (piece.type !== "tool_call") continue;
    const { type: _type, index, args = "", ...rest } = piece;
    const before = calls[index] ?? {};
    calls[index] = { ...before, ...rest, args: (before.args ?? "") + args };
  }
  return calls;
}
