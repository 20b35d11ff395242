import { expect, test, vi } from "vitest";
import { engineLoader } from "../src/engine.js";
import { GraphError, isMnemographError, type RunEvent } from "../src/index.js";
import { createRuntimeWith } from "../src/runtime.js";
import type { RuntimeOptions } from "../src/types.js";
import { collect, event, pack, result, settle, token } from "./support/events.js";
import { FakeGlue } from "./support/fake-glue.js";

/** The smallest module that compiles. */
const EMPTY = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));

async function open(options: RuntimeOptions = {}, glue = new FakeGlue()) {
  const load = engineLoader(
    async () => glue,
    () => new URL("file:///nowhere"),
  );
  const runtime = await createRuntimeWith(load, { wasm: EMPTY, storage: "memory", ...options });
  const graph = await runtime.load("{}");
  return { glue, load, runtime, graph };
}

const code = (expected: string) => expect.objectContaining({ code: expected });

test("a run gives its events and its result, and is known by its id at once", async () => {
  const { graph } = await open();
  const run = graph.run({ text: "Hi", thread: "t1" });
  expect([run.thread, run.id.length]).toEqual(["t1", 36]);
  expect((await collect(run)).map(({ type }) => type)).toEqual(["run_finished"]);
  expect(await run.result).toMatchObject({ status: "succeeded", text: "done" });
});

test("a run without a thread has its own id as thread and says so to the module", async () => {
  const { graph, glue } = await open();
  const run = graph.run({ text: "Hi" });
  await run.result;
  expect(run.thread).toBe(run.id);
  expect(glue.handle.started[0]).not.toHaveProperty("thread");
  expect(glue.handle.started[0]?.locked).toBe(true);
});

test.each<[string, object, string]>([
  ["an empty thread", { thread: "" }, "E_BAD_ID"],
  ["a thread that is a number", { thread: 5 }, "E_BAD_ID"],
  ["half a character", { thread: "\ud800" }, "E_BAD_ID"],
  ["an endless thread", { thread: "x".repeat(16_385) }, "E_BAD_ID"],
  ["text that is none", { text: 5 }, "E_SCHEMA"],
  [
    "data that throws",
    {
      data: {
        get a() {
          throw new Error("no");
        },
      },
    },
    "E_SCHEMA",
  ],
  ["no input", null as unknown as object, "E_SCHEMA"],
])("%s rejects the result and the iterator, and throws nothing", async (_name, input, expected) => {
  const { graph } = await open();
  const run = graph.run(input);
  await expect(collect(run)).rejects.toEqual(code(expected));
  await expect(run.result).rejects.toEqual(code(expected));
  await expect(graph.invoke(input)).rejects.toEqual(code(expected));
});

test("a run that fails resolves its result; invoke rejects with the error", async () => {
  const { graph, glue } = await open();
  const error = {
    code: "E_LLM",
    message: "no",
    attempt: 3,
    retryable: true,
    node: "agent",
    status: 500,
  };
  glue.behaviour = (handle, { run_id }) =>
    handle.host.finished(run_id, result(run_id, { status: "failed", error }));
  expect((await graph.run({ text: "x" }).result).error).toEqual(error);
  await expect(graph.invoke({ text: "x" })).rejects.toMatchObject({
    code: "E_LLM",
    node: "agent",
    retryable: true,
    details: { status: 500, attempt: 3 },
  });
});

test("several readers each get everything, late ones too; leaving a loop stops nothing", async () => {
  const { graph, glue } = await open();
  let finish = (): void => {};
  glue.behaviour = (handle, { run_id }) => {
    handle.host.events(run_id, pack([token("a", 1), token("b", 2)]));
    finish = () => handle.finish(run_id, "ab");
  };
  const run = graph.run({ text: "x" });
  for await (const first of run) {
    expect(first.type).toBe("token");
    break;
  }
  const other = collect(run);
  await settle();
  finish();
  const text = (events: RunEvent[]) =>
    events.map((each) => (each.type === "token" ? each.data.text : "|")).join("");
  expect(text(await other)).toBe("ab|");
  expect(text(await collect(run))).toBe("ab|");
  expect(text(await collect(streamed(run.toReadableStream())))).toBe("ab|");
  expect((await run.result).status).toBe("succeeded");
});

async function* streamed<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}

test("cancelling before the start gives one cancelled event and never starts", async () => {
  const { graph, glue } = await open();
  const reason = new Error("left");
  const run = graph.run({ text: "x", thread: "t", signal: AbortSignal.abort(reason) });
  expect((await collect(run)).map(({ type }) => type)).toEqual(["run_cancelled"]);
  expect(await run.result).toMatchObject({ status: "cancelled", error: { code: "E_CANCELLED" } });
  expect(glue.handle.started).toEqual([]);
  await expect(graph.invoke({ signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
    code: "E_CANCELLED",
    cause: reason,
  });
});

test("the signal and cancel() reach the module once, with the reason in words", async () => {
  const { graph, glue } = await open();
  glue.behaviour = () => {};
  const controller = new AbortController();
  const run = graph.run({ text: "x", signal: controller.signal });
  await settle();
  controller.abort(new Error("closed the page"));
  run.cancel("again");
  expect((await run.result).status).toBe("cancelled");
  expect(glue.handle.cancelled).toEqual([[run.id, "closed the page"]]);
});

test("the reason of a cancelled run is the reason of its callbacks' signals", async () => {
  const reason = new Error("enough");
  let seen: unknown;
  const { graph, glue } = await open({
    models: {
      default: (_request, { signal }) => {
        signal.addEventListener("abort", () => {
          seen = signal.reason;
        });
        return new Promise<string>(() => {});
      },
    },
  });
  glue.behaviour = (handle, { run_id }) =>
    handle.host.call(
      run_id,
      1,
      "model",
      "default",
      JSON.stringify({ request: {}, node: "n", purpose: "agent" }),
    );
  const run = graph.run({ text: "x" });
  await settle();
  run.cancel(reason);
  await run.result;
  await settle();
  expect(seen).toBe(reason);
});

test("a run on a busy thread waits, is refused, or takes over", async () => {
  const { graph, glue } = await open();
  const finish: (() => void)[] = [];
  glue.behaviour = (handle, { run_id }) => finish.push(() => handle.finish(run_id, run_id));
  const first = graph.run({ text: "1", thread: "t" });
  const second = graph.run({ text: "2", thread: "t" });
  const refused = graph.run({ text: "3", thread: "t", onBusy: "reject" });
  await expect(refused.result).rejects.toMatchObject({
    code: "E_BUSY",
    details: { run_id: first.id },
  });
  await settle();
  expect(glue.handle.started).toHaveLength(1);
  finish.shift()?.();
  await first.result;
  await settle();
  expect(glue.handle.started).toHaveLength(2);
  const third = graph.run({ text: "4", thread: "t", onBusy: "cancel_previous" });
  expect((await second.result).status).toBe("cancelled");
  await settle();
  finish.pop()?.();
  expect((await third.result).status).toBe("succeeded");
});

test("problems of a document: check tells, load rejects with all of them", async () => {
  const { runtime } = await open();
  expect((await runtime.check("bad")).ok).toBe(false);
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(await runtime.check(circle)).toMatchObject({ ok: false, problems: [{ code: "E_JSON" }] });
  const error = await runtime.load("bad").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GraphError);
  expect(error).toMatchObject({ code: "E_JSON", problems: [{ message: "It is bad." }] });
  await expect(runtime.load(circle)).rejects.toBeInstanceOf(GraphError);
});

test("errors of the module arrive with their code", async () => {
  const { runtime } = await open();
  const error = await runtime.threads.create({ id: "x" }).catch((thrown: unknown) => thrown);
  expect(isMnemographError(error)).toBe(true);
  expect(error).toMatchObject({ code: "E_THREAD_ACTOR", message: "Not hers." });
});

test("a throwing listener is reported and stops nothing", async () => {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const { runtime, graph, glue } = await open({
    onEvent: ({ type }) => {
      heard.push(type);
      throw new Error("in the listener");
    },
  });
  runtime.on("error", (error) => errors.push(error));
  const stop = runtime.on("warning", ({ code: warned }) => heard.push(warned));
  glue.behaviour = (handle, { run_id }) => {
    handle.host.events(run_id, pack([event("warning", { code: "W_X", message: "", hint: "" }, 1)]));
    handle.finish(run_id, "");
  };
  expect((await graph.invoke({ text: "x" })).status).toBe("succeeded");
  stop();
  await graph.invoke({ text: "x" });
  expect(errors).toHaveLength(4);
  expect(heard).toEqual(["W_X", "warning", "run_finished", "warning", "run_finished"]);
});

test("events wait for the batch, the end of a run does not", async () => {
  vi.useFakeTimers();
  try {
    const { graph, glue } = await open({ batch: 50 });
    let host: FakeGlue["handle"]["host"] | undefined;
    glue.behaviour = (handle, { run_id }) => {
      host = handle.host;
      host.events(run_id, pack([token("a", 1)]));
    };
    const seen: string[] = [];
    const run = graph.run({ text: "x" });
    const reading = (async () => {
      for await (const each of run) seen.push(each.type);
    })();
    await settle();
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(50);
    expect(seen).toEqual(["token"]);
    host?.events(run.id, pack([token("b", 2)]));
    host?.finished(run.id, result(run.id));
    await reading;
    expect(seen).toEqual(["token", "token"]);
  } finally {
    vi.useRealTimers();
  }
});

test("a panic rejects what waits, ends the runs, and the next call has a fresh instance", async () => {
  const { runtime, graph, glue } = await open();
  glue.behaviour = () => {};
  const crashes: string[] = [];
  runtime.on("crashed", (error) => crashes.push(error.code));
  const run = graph.run({ text: "x", thread: "t" });
  const waiting = graph.run({ text: "y", thread: "t" });
  await settle();
  const inspecting = runtime.state.inspect({ graph, node: "m", thread: "t" });
  await settle();
  glue.behaviour = (handle, { run_id }) => handle.finish(run_id, "after");
  await expect(runtime.threads.rename("t", "x")).rejects.toMatchObject({
    code: "E_RUNTIME_CRASHED",
    message: expect.stringContaining("index out of bounds"),
  });
  await expect(inspecting).rejects.toEqual(code("E_RUNTIME_CRASHED"));
  expect((await collect(run)).map(({ type }) => type)).toEqual(["run_failed"]);
  expect(await run.result).toMatchObject({
    status: "failed",
    error: { code: "E_RUNTIME_CRASHED" },
  });
  // The one that had not begun runs in the new instance, where the graph was loaded again.
  expect((await waiting.result).text).toBe("after");
  expect([glue.resets, glue.handles.length, crashes]).toEqual([1, 2, ["E_RUNTIME_CRASHED"]]);
  expect(glue.handle.loaded).toEqual(["{}"]);
});

test("a crash while a run looks for those that wait ends it and frees its thread", async () => {
  const { runtime, graph, glue } = await open();
  glue.handle.asking = () => new Promise(() => {});
  const run = graph.run({ text: "x", thread: "t", onBusy: "cancel_previous" });
  await settle();
  await expect(runtime.threads.rename("t", "x")).rejects.toEqual(code("E_RUNTIME_CRASHED"));
  await expect(run.result).rejects.toEqual(code("E_RUNTIME_CRASHED"));
  expect((await graph.invoke({ text: "y", thread: "t" })).text).toBe("done");
});

test("a trap in a task of the module is told by the uncaught error, those of others are not", async () => {
  const { runtime, graph, glue, load } = await open();
  const engine = await load();
  glue.behaviour = () => {};
  const run = graph.run({ text: "x" });
  await settle();
  engine.uncaught(new WebAssembly.RuntimeError("of another module"));
  glue.isEntered = true;
  engine.uncaught(new TypeError("of the page"));
  await settle();
  expect(glue.resets).toBe(0);
  engine.uncaught(new RangeError("Maximum call stack size exceeded"));
  expect((await run.result).error?.code).toBe("E_RUNTIME_CRASHED");
  expect(glue.resets).toBe(1);
  await runtime.close();
});

test("no room for another instance is said, and tried again", async () => {
  const { runtime, glue } = await open();
  glue.failReset = true;
  await expect(runtime.threads.rename("t", "x")).rejects.toEqual(code("E_RUNTIME_CRASHED"));
  await settle();
  await expect(runtime.threads.list()).rejects.toThrow("could not be started again");
  glue.failReset = false;
  expect(await runtime.threads.list()).toEqual([]);
});

test("two runtimes share the instance, and both hear of its end", async () => {
  const { glue, load, runtime, graph } = await open();
  const other = await createRuntimeWith(load, { storage: "memory" });
  glue.behaviour = () => {};
  const run = graph.run({ text: "x" });
  await settle();
  await expect(other.threads.rename("t", "x")).rejects.toEqual(code("E_RUNTIME_CRASHED"));
  expect((await run.result).status).toBe("failed");
  expect(await runtime.threads.list()).toEqual([]);
  expect(glue.handles).toHaveLength(3);
});

test("an opening that fails closes what it opened; the module is loaded once more after a failure", async () => {
  const glue = new FakeGlue();
  const load = engineLoader(
    async () => glue,
    () => new URL("file:///nowhere.wasm"),
  );
  await expect(createRuntimeWith(load, {})).rejects.toEqual(code("E_WASM_LOAD"));
  glue.failOpen = Object.assign(new Error("blocked"), { code: "E_STORE_BLOCKED", retryable: true });
  await expect(createRuntimeWith(load, { wasm: EMPTY })).rejects.toMatchObject({
    code: "E_STORE_BLOCKED",
    retryable: true,
  });
  glue.failOpen = undefined;
  expect(await createRuntimeWith(load, { wasm: EMPTY })).toBeDefined();
});

test.each<[string, RuntimeOptions, string]>([
  ["a model that is no function", { models: { m: {} as never } }, "E_SETTING"],
  [
    "a tool without execute",
    { tools: { t: { description: "", parameters: {} } as never } },
    "E_SETTING",
  ],
  [
    "a tool without parameters",
    { tools: { t: { description: "", execute: () => 1 } as never } },
    "E_SETTING",
  ],
  ["a storage without commit", { storage: { scan: () => {} } as never }, "E_SETTING"],
  ["an unknown storage", { storage: "disk" as never }, "E_SETTING"],
  ["IndexedDB where there is none", { storage: "indexeddb" }, "E_STORE_UNAVAILABLE"],
  ["an empty namespace", { namespace: "" }, "E_BAD_ID"],
  ["an unknown batch", { batch: "hour" as never }, "E_SETTING"],
  ["an unknown onBusy", { onBusy: "wait" as never }, "E_SETTING"],
])("an option that cannot work rejects: %s", async (_name, options, expected) => {
  await expect(open(options)).rejects.toEqual(code(expected));
});

test("close is safe twice, ends waiting calls and runs, and later calls reject", async () => {
  const { runtime, graph, glue } = await open();
  glue.behaviour = () => {};
  const run = graph.run({ text: "x", thread: "t" });
  const queued = graph.run({ text: "y", thread: "t" });
  await settle();
  glue.handle.listing = () => new Promise(() => {});
  const listing = runtime.threads.list();
  await settle();
  const closed = vi.fn();
  runtime.on("closed", closed);
  const closing = runtime.close();
  expect(runtime.close()).toBe(closing);
  await closing;
  await expect(listing).rejects.toEqual(code("E_CLOSED"));
  await expect(queued.result).rejects.toEqual(code("E_CLOSED"));
  expect(await run.result).toMatchObject({ status: "cancelled", error: { code: "E_CLOSED" } });
  await expect(runtime.check("{}")).rejects.toEqual(code("E_CLOSED"));
  await expect(graph.run({ text: "z" }).result).rejects.toEqual(code("E_CLOSED"));
  expect(closed).toHaveBeenCalledTimes(1);
  expect(glue.handle.closed).toBe(1);
});

test("close during a crash, and in a module that never answers it", async () => {
  const { runtime, glue } = await open();
  glue.handle.closing = () => new Promise(() => {});
  const closing = runtime.close();
  await settle();
  try {
    glue.panic("in close");
  } catch {
    // The trap of the module.
  }
  await closing;
});

test("tools may call back: run, clear and close inside a tool", async () => {
  const results: unknown[] = [];
  const { runtime, graph, glue } = await open({
    tools: {
      nested: {
        description: "",
        parameters: { type: "object" },
        execute: async () => {
          results.push((await graph.invoke({ text: "inner" })).text);
          results.push(await runtime.state.clear({ graph, node: "m", thread: "t" }));
          await runtime.close();
          results.push("closed");
        },
      },
    },
  });
  glue.behaviour = (handle, { run_id, text }) => {
    if (text === "inner") handle.finish(run_id, "inner done");
    else
      handle.host.call(
        run_id,
        1,
        "tool",
        "nested",
        JSON.stringify({ args: {}, call_id: "c", thread_id: "t" }),
      );
  };
  const run = graph.run({ text: "outer", thread: "t" });
  expect((await run.result).status).toBe("cancelled");
  await settle();
  expect(results).toEqual(["inner done", { messages: 0, epoch: 2 }, "closed"]);
});

test("a thousand runs leave nothing behind", async () => {
  const { graph, glue } = await open();
  for (let index = 0; index < 1_000; index += 1) {
    await graph.invoke({ text: "x", thread: `t${index % 3}` });
  }
  expect(glue.handle.started).toHaveLength(1_000);
});
