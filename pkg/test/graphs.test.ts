// What graphs ask of the page beside models and tools, on the real module: functions, HTTP, schemas, people.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, expect, test } from "vitest";
import {
  createRuntime,
  type FunctionContext,
  type RunEvent,
  type Runtime,
  type RuntimeOptions,
} from "../src/index.js";
import { scriptedModel } from "../src/testing/index.js";
import { mapStorage } from "./support/map-storage.js";

interface NodeOf {
  id: string;
  type: string;
  settings?: object;
  [key: string]: unknown;
}

/** A chat whose steps follow one another, then a reply of this text. */
function chain(steps: NodeOf[], text: string, edges: object[] = []): object {
  const ids = ["chat", ...steps.map(({ id }) => id), "say"];
  return {
    format: "mnemograph",
    format_version: 1,
    id: "g",
    nodes: [
      { id: "chat", type: "chat_trigger" },
      ...steps,
      { id: "say", type: "reply", settings: { text } },
    ],
    edges: [
      ...ids.slice(1).map((id, place) => ({
        type: "run",
        from: `${ids[place]}.${steps[place - 1]?.exit ?? "out"}`,
        to: `${id}.in`,
      })),
      ...edges,
    ],
  };
}

const clean = (document: object): object =>
  JSON.parse(JSON.stringify(document, (key, value) => (key === "exit" ? undefined : value)));

const opened: Runtime[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((runtime) => runtime.close()));
});

async function open(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = await createRuntime({ storage: "memory", models: {}, ...options });
  opened.push(runtime);
  return runtime;
}

async function say(document: object, options: RuntimeOptions = {}) {
  const graph = await (await open(options)).load(clean(document));
  return graph.run({ text: "Ada", thread: "t" }).result;
}

const call: NodeOf = {
  id: "f",
  type: "call",
  settings: { function: "greet", args: { who: "{{ trigger.text }}" } },
};

test("a call node calls the page's function with its arguments", async () => {
  const seen: unknown[] = [];
  const functions = {
    greet: async (args: { who: string }, { node, thread_id, signal }: FunctionContext) => {
      seen.push(args, node, thread_id, signal.aborted);
      return { words: `Hello ${args.who}` };
    },
  };
  const { text } = await say(chain([call], "{{ nodes.f.result.words }}"), { functions });
  expect(text).toBe("Hello Ada");
  expect(seen).toEqual([{ who: "Ada" }, "f", "t", false]);
});

test("a function that is missing is told at load; one that throws or answers no JSON is E_CALL", async () => {
  const document = clean(chain([call], "x"));
  await expect((await open()).load(document)).rejects.toMatchObject({
    problems: [{ code: "E_REQUIRES" }],
  });
  for (const greet of [
    () => {
      throw new Error("no");
    },
    () => {
      const round: { me?: object } = {};
      round.me = round;
      return round;
    },
  ]) {
    const { error } = await say(document, { functions: { greet } });
    expect(error).toMatchObject({ code: "E_CALL", node: "f" });
  }
});

let origin = "";
beforeAll(() => {
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    if (pathname === "/away") return response.writeHead(302, { location: "/" }).end();
    if (pathname === "/busy") return response.writeHead(503).end("busy");
    if (pathname === "/long") return response.end("x".repeat(5_000));
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () =>
      response.end(JSON.stringify({ q: searchParams.get("q"), method: request.method, body })),
    );
    return response;
  });
  return new Promise<() => void>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      resolve(() => server.close());
    });
  });
});

const fetching = (path: string, settings: object = {}): object =>
  chain(
    [{ id: "h", type: "http_request", settings: { url: `${origin}${path}`, ...settings } }],
    "{{ nodes.h.body }}",
  );

test("http_request fetches what the page allows, with query and body", async () => {
  const allowed = { http: { allow: [origin] } };
  const sent = fetching("/echo", {
    method: "POST",
    query: { q: "{{ trigger.text }}" },
    body_type: "json",
    body: { a: [1] },
  });
  expect(JSON.parse((await say(sent, allowed)).text)).toEqual({
    q: "Ada",
    method: "POST",
    body: '{"a":[1]}',
  });
});

test.each([
  ["nothing is allowed", "/", {}, {}, "E_HTTP_BLOCKED"],
  ["another path is allowed", "/other", {}, { path: "/api" }, "E_HTTP_BLOCKED"],
  ["a redirect", "/away", {}, { path: "" }, "E_HTTP_BLOCKED"],
  ["a status that is none of success", "/busy", {}, { path: "" }, "E_HTTP_STATUS"],
  ["an answer that is too long", "/long", { max_bytes: 1_000 }, { path: "" }, "E_HTTP_NETWORK"],
])("http_request: %s", async (_name, path, settings, allow, code) => {
  const options =
    "path" in allow && allow.path !== undefined
      ? { http: { allow: [`${origin}${allow.path}`] } }
      : {};
  expect((await say(fetching(path, settings), options)).error?.code).toBe(code);
});

test("a server that is not there is E_HTTP_NETWORK, and its error names no text of the chat", async () => {
  const dead = "http://127.0.0.1:9";
  const document = chain([{ id: "h", type: "http_request", settings: { url: dead } }], "x");
  const { error } = await say(document, { http: { allow: [dead] } });
  expect(error).toMatchObject({ code: "E_HTTP_NETWORK", retryable: true });
  expect(JSON.stringify(error)).not.toContain("Ada");
});

test("an answer that does not fit its schema is asked for once more, then it is E_SCHEMA", async () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const document = chain(
    [{ id: "ask", type: "llm_response", settings: { output_schema: schema } }],
    "{{ nodes.ask.json.n }}",
    [{ type: "link_llm", from: "model.llm", to: "ask.llm" }],
  ) as { nodes: object[] };
  document.nodes.push({ id: "model", type: "llm_model", settings: { model: "default" } });
  const model = scriptedModel('{"n": "secret"}', '```json\n{"n": 7}\n```');
  expect((await say(document, { models: { default: model } })).text).toBe("7");
  expect(model.requests[0]?.response_format).toEqual(schema);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("n does not fit");
  const stubborn = scriptedModel('{"n": "secret"}', '{"n": "secret"}');
  const { error } = await say(document, { models: { default: stubborn } });
  expect(error?.code).toBe("E_SCHEMA");
  expect(JSON.stringify(error)).not.toContain("secret");
});

const approval = chain(
  [{ id: "ask", type: "human_approval", settings: { prompt: "Pay?" }, exit: "approve" }],
  "paid {{ nodes.ask.data.comment }}",
);

test("an approval asked by one runtime is answered by another, once", async () => {
  const storage = mapStorage();
  const first = await open({ storage });
  const graph = await first.load(clean(approval));
  const run = graph.run({ text: "x", thread: "t" });
  const types: string[] = [];
  for await (const { type } of run) types.push(type);
  expect(types.at(-1)).toBe("interrupt");
  const waiting = await run.result;
  expect(waiting).toMatchObject({ status: "waiting", interrupts: [{ prompt: "Pay?" }] });
  await expect(graph.run({ text: "y", thread: "t" }).result).rejects.toMatchObject({
    code: "E_BUSY",
    details: { run_id: run.id, interrupts: [{ prompt: "Pay?" }] },
  });
  await first.close();

  const second = await open({ storage });
  const [found] = await second.waiting({ thread: "t" });
  const interrupt = found?.interrupts[0]?.id ?? "";
  await expect(second.resume(run.id, { interrupt })).rejects.toMatchObject({
    code: "E_GRAPH_CHANGED",
  });
  await second.load(clean(approval));
  const wrong = await second.resume(run.id, { interrupt, action: "perhaps" });
  await expect(wrong.result).rejects.toMatchObject({ code: "E_RESUME_INVALID" });
  const answer = { interrupt, action: "approve", data: { comment: "ok" } };
  const resumed = await second.resume(run.id, answer);
  const events: number[] = [];
  for await (const { seq } of resumed) events.push(seq);
  expect(Math.min(...events)).toBeGreaterThan(types.length);
  expect(await resumed.result).toMatchObject({ status: "succeeded", text: "paid ok" });
  await expect(second.resume(run.id, answer)).rejects.toMatchObject({ code: "E_RESUME_STALE" });
  expect(await second.waiting()).toEqual([]);
});

test("of two answers that are given at once, one gets the run", async () => {
  const runtime = await open();
  const graph = await runtime.load(clean(approval));
  const { run_id, interrupts } = await graph.run({ text: "x", thread: "t" }).result;
  const interrupt = interrupts?.[0]?.id ?? "";
  const answer = { interrupt, action: "approve", data: { comment: "ok" } };
  const ended = await Promise.all(
    [1, 2].map(() =>
      runtime
        .resume(run_id, answer)
        .then((run) => run.result)
        .then(({ status }) => status)
        .catch((error: { code: string }) => error.code),
    ),
  );
  expect(ended.sort()).toEqual(["E_RESUME_STALE", "succeeded"]);
});

test("cancel_previous gives a waiting run up", async () => {
  const runtime = await open();
  const graph = await runtime.load(clean(approval));
  const first = await graph.run({ text: "x", thread: "t" }).result;
  const next = await graph.run({ text: "y", thread: "t", onBusy: "cancel_previous" }).result;
  expect([first.status, next.status]).toEqual(["waiting", "waiting"]);
  expect((await runtime.waiting()).map(({ run_id }) => run_id)).toEqual([next.run_id]);
  expect(await runtime.dropWaiting(next.run_id)).toBe(true);
});

test("an event finds its trigger and says its thread", async () => {
  const document = {
    ...clean(chain([], "{{ run.thread_id }} {{ trigger.data.n }}")),
  } as { nodes: { id: string; type: string; settings?: object }[] };
  document.nodes[0] = {
    id: "chat",
    type: "event_trigger",
    settings: { event: "paid", thread_id: "order {{ trigger.data.n }}" },
  };
  const graph = await (await open()).load(document);
  const run = graph.run({ event: "paid", data: { n: 7 } });
  expect(await run.result).toMatchObject({ text: "order 7 7", thread: "order 7" });
  expect(run.thread).toBe("order 7");
});

test("a run that is only waited for is told of without its steps, unless the page listens", async () => {
  const heard: string[] = [];
  for (const onEvent of [undefined, ({ type }: RunEvent) => heard.push(type)]) {
    const changed: string[] = [];
    const runtime = await open(onEvent === undefined ? {} : { onEvent });
    runtime.subscribe({}, ({ what }) => changed.push(what));
    const graph = await runtime.load(clean(chain([], "{{ trigger.text }}")));
    const result = await graph.invoke({ text: "x", thread: "t" });
    expect(result).toMatchObject({ status: "succeeded", text: "x" });
    expect(changed).toContain("transcript");
    const types: string[] = [];
    for await (const { type } of graph.run({ text: "x", thread: "t" })) types.push(type);
    expect(types).toContain("node_started");
  }
  expect(heard).toContain("node_started");
});

test("a recorded run replays its events", async () => {
  const functions = { greet: () => ({ words: "hi" }) };
  const graph = await (await open({ functions })).load(
    clean(chain([call], "{{ nodes.f.result.words }}")),
  );
  const run = graph.run({ text: "x", thread: "t", record: true });
  const events: unknown[] = [];
  for await (const event of run) events.push(event);
  const { recording } = await run.result;
  expect(await graph.replay(JSON.parse(JSON.stringify(recording)))).toEqual(events);
});
