import { expect, test } from "vitest";
import { demoModel } from "../src/models/demo.js";
import { demoAnswer } from "../src/models/demo-script.js";
import { toServerMessages } from "../src/models/openai-map.js";
import type { ChatChunk, ChatRequest, Message, Part, ToolSpec } from "../src/wire.js";
import { collect } from "./support/events.js";

function message(role: Message["role"], ...parts: (Part | string)[]): Message {
  const full = parts.map(
    (part): Part => (typeof part === "string" ? { type: "text", text: part } : part),
  );
  return { v: 1, id: "m", role, status: "complete", parts: full };
}

const dialect = { systemRole: "system", toolImages: "placeholder", sendReasoning: false } as const;

test("F1: a call message with two calls, their results, one of them an error", () => {
  const view = [
    message("system", "Be short."),
    message("user", "Both?"),
    message(
      "assistant",
      { type: "reasoning", text: "secret thoughts" },
      "Checking.",
      {
        type: "tool_call",
        call_id: "x",
        name: "one",
        args: { id: 1 },
        args_raw: '{"id": 12345678901234567890}',
      },
      { type: "tool_call", call_id: "y", name: "two", args_raw: "{oops" },
    ),
    message("tool", {
      type: "tool_result",
      call_id: "x",
      name: "one",
      is_error: false,
      content: [
        { type: "text", text: "1" },
        { type: "json", json: { a: 1 } },
      ],
    }),
    message("tool", {
      type: "tool_result",
      call_id: "y",
      name: "two",
      is_error: true,
      content: [{ type: "text", text: "no luck" }],
    }),
    message("assistant", "Done."),
  ];
  expect(toServerMessages(view, dialect)).toEqual([
    { role: "system", content: "Be short." },
    { role: "user", content: "Both?" },
    {
      role: "assistant",
      content: "Checking.",
      tool_calls: [
        {
          id: "x",
          type: "function",
          function: { name: "one", arguments: '{"id": 12345678901234567890}' },
        },
        { id: "y", type: "function", function: { name: "two", arguments: "{oops" } },
      ],
    },
    { role: "tool", tool_call_id: "x", content: '1\n{"a":1}' },
    { role: "tool", tool_call_id: "y", content: "Error: no luck" },
    { role: "assistant", content: "Done." },
  ]);
});

test.each<[unknown, string]>([
  [null, "null"],
  [{}, "{}"],
  [undefined, "{}"],
  [0, "0"],
])("arguments %j go back as %s", (args, written) => {
  const call = { type: "tool_call", call_id: "x", name: "one", args } as Part;
  expect(toServerMessages([message("assistant", call)], dialect)).toMatchObject([
    { tool_calls: [{ function: { arguments: written } }] },
  ]);
});

const image: Part = {
  type: "image",
  source: { kind: "inline", base64: "AAAA" },
  media_type: "image/png",
  detail: "low",
};

test.each<[string, Message, unknown]>([
  [
    "an image of bytes",
    message("user", "See", image),
    {
      role: "user",
      content: [
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
      ],
    },
  ],
  [
    "an image of an address",
    message("user", { ...image, source: { kind: "url", url: "https://x/y.png" } } as Part),
    {
      role: "user",
      content: [{ type: "image_url", image_url: { url: "https://x/y.png", detail: "low" } }],
    },
  ],
  [
    "sound",
    message("user", {
      type: "file",
      source: { kind: "inline", base64: "AA" },
      media_type: "audio/mpeg",
    }),
    {
      role: "user",
      content: [{ type: "input_audio", input_audio: { data: "AA", format: "mp3" } }],
    },
  ],
  [
    "a stored file",
    message("user", {
      type: "file",
      source: { kind: "file_id", provider: "openai", id: "f1" },
      media_type: "application/pdf",
    }),
    { role: "user", content: [{ type: "file", file: { file_id: "f1" } }] },
  ],
  [
    "a file of bytes",
    message("user", {
      type: "file",
      source: { kind: "inline", base64: "AA" },
      media_type: "application/pdf",
      filename: "a.pdf",
    }),
    {
      role: "user",
      content: [
        { type: "file", file: { file_data: "data:application/pdf;base64,AA", filename: "a.pdf" } },
      ],
    },
  ],
  [
    "a speaker",
    { ...message("user", "Hi"), name: "ada" },
    { role: "user", name: "ada", content: "Hi" },
  ],
  [
    "a speaker's odd name",
    { ...message("user", "Hi"), name: "Ada L." },
    { role: "user", content: "Hi" },
  ],
  [
    "calls alone",
    message("assistant", { type: "tool_call", call_id: "x", name: "t", args: {} }),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "x", type: "function", function: { name: "t", arguments: "{}" } }],
    },
  ],
  [
    "a refusal",
    message("assistant", { type: "refusal", text: "No." }),
    { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
  ],
  [
    "an error that says so",
    message("tool", {
      type: "tool_result",
      call_id: "x",
      name: "t",
      is_error: true,
      content: [{ type: "text", text: "ERROR 5" }],
    }),
    { role: "tool", tool_call_id: "x", content: "ERROR 5" },
  ],
])("to the server: %s", (_name, given, expected) => {
  expect(toServerMessages([given], dialect)).toEqual([expected]);
});

test("images in results follow as a message of the user, after all results of the turn", () => {
  const shot: Part = {
    type: "tool_result",
    call_id: "x",
    name: "t",
    is_error: false,
    content: [{ type: "image", source: { kind: "url", url: "u" }, media_type: "image/png" }],
  };
  const other: Part = { ...shot, call_id: "y", content: [] } as Part;
  const roles = toServerMessages(
    [message("tool", shot), message("tool", other), message("user", "ok")],
    { ...dialect, toolImages: "user_message" },
  );
  expect(roles.map(({ role }) => role)).toEqual(["tool", "tool", "user", "user"]);
  expect(roles[0]).toMatchObject({ content: "[image: image/png]" });
});

// The demo.

const tool = (name: string, properties: object = {}, required: string[] = []): ToolSpec => ({
  name,
  description: "",
  parameters: { type: "object", properties, required },
});
const tools = [
  tool("weather", { city: { type: "string" }, unit: { enum: ["c", "f"] } }, ["city", "unit"]),
  tool("clock"),
  tool("calculator", { expression: { type: "string" } }),
];

function chat(offered: ToolSpec[], ...said: string[]): ReturnType<typeof demoAnswer> {
  const messages = said
    .flatMap((text) => [message("user", text), message("assistant", "ok")])
    .slice(0, -1);
  return demoAnswer({ messages, tools: offered, params: {}, stream: true });
}

test.each<[string, string[], RegExp]>([
  ["greets by name", ["My name is Ada Lovelace."], /Nice to meet you, Ada Lovelace\./],
  ["knows the name", ["I'm called Ada", "What is my name?"], /Ada/],
  ["knows the last name told", ["My name is Ada", "Call me Bob", "Who am I?"], /Bob/],
  ["does not know the name", ["What's my name?"], /not told me your name/],
  ["a question tells nothing", ["Is my name Ada?", "What is my name?"], /not told me/],
  [
    "knows what is mine",
    ["My favourite colour is dark blue.", "What is my favourite colour?"],
    /favourite colour is dark blue/,
  ],
  [
    "knows where I live",
    ["I live in Oslo and my dog is Rex.", "Where do I live?"],
    /live in Oslo\./,
  ],
  [
    "knows two facts of one sentence",
    ["I live in Oslo and my dog is Rex.", "What is my dog?"],
    /dog is Rex/,
  ],
  ["knows what I like", ["I really love tea!", "What do I like?"], /like tea/],
  [
    "knows all",
    ["My name is Ada.", "I like tea.", "What do you know about me?"],
    /name is Ada, and you like tea/,
  ],
  ["knows nothing", ["What do you remember about me?"], /not told me anything/],
  [
    "keeps notes",
    ["Remember that my train leaves at nine", "What did I tell you?"],
    /your train leaves at nine|train/,
  ],
  ["says what it is", ["Hello"], /demo model/],
  ["says what it is to anything", ["Explain monads"], /demo model/],
  ["has no tool", ["What is the weather in Oslo?"], /weather tool/],
  ["survives nothing", [""], /no text/],
])("the demo %s", (_name, said, expected) => {
  expect(chat([], ...said).text).toMatch(expected);
});

test.each<[string, unknown]>([
  ["What's the weather in New York?", [{ name: "weather", args: { city: "New York", unit: "c" } }]],
  ["What time is it?", [{ name: "clock", args: {} }]],
  ["How much is 12 * 3.5 + 1?", [{ name: "calculator", args: { expression: "12 * 3.5 + 1" } }]],
  [
    "What time is it, and the weather in Rome?",
    [
      { name: "weather", args: { city: "Rome", unit: "c" } },
      { name: "clock", args: {} },
    ],
  ],
  ["Hello", []],
])("the demo uses the tools it is offered: %s", (text, calls) => {
  expect(chat(tools, text).calls).toEqual(calls);
});

test("the demo says what the tools answered", () => {
  const result = (content: Part & { type: "tool_result" }) =>
    demoAnswer({
      messages: [message("user", "?"), message("assistant", "…"), message("tool", content)],
      tools,
      params: {},
      stream: true,
    });
  const good = result({
    type: "tool_result",
    call_id: "x",
    name: "weather",
    is_error: false,
    content: [{ type: "text", text: '{"city":"Oslo","celsius":3}' }],
  });
  expect(good).toEqual({ text: "The weather tool says: city Oslo, celsius 3.", calls: [] });
  const bad = result({
    type: "tool_result",
    call_id: "x",
    name: "weather",
    is_error: true,
    content: [{ type: "text", text: "no net" }],
  });
  expect(bad.text).toBe("The weather tool failed: no net.");
});

test("the demo streams word by word, calls in pieces, and can be stopped", async () => {
  const request: ChatRequest = {
    messages: [message("user", "What time is it?")],
    tools,
    params: {},
    stream: true,
  };
  const ask = (signal: AbortSignal, delayMs = 0) =>
    demoModel({ delayMs })(request, {
      signal,
      run_id: "r",
      node: "n",
      purpose: "agent",
    }) as AsyncIterable<ChatChunk>;
  const chunks = await collect(ask(new AbortController().signal));
  expect(chunks.map(({ type }) => type).join(" ")).toMatch(/^(text )+tool_call tool_call finish$/);
  expect(await collect(ask(new AbortController().signal))).toEqual(chunks);
  const reason = new Error("enough");
  await expect(collect(ask(AbortSignal.abort(reason)))).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = collect(ask(controller.signal, 60_000));
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
