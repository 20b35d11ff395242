// Compiled, never run: what people write has to type-check, and what is wrong must not.
import { type } from "arktype";
import {
  type Change,
  type ChatModel,
  createRuntime,
  type Graph,
  type GraphDocument,
  type Interrupt,
  isMnemographError,
  type Message,
  type MnemographError,
  type Repaired,
  type Run,
  type RunEvent,
  type RunResult,
  type Runtime,
  type StorageHealth,
  tool,
  type WaitingRun,
} from "mnemograph";
import { demoModel } from "mnemograph/models/demo";
import { openaiChat } from "mnemograph/models/openai";
import { scriptedModel } from "mnemograph/testing";
import { z } from "zod";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(
  ..._proof: Same<A, B> extends true ? [] : ["these are not the same type"]
): void {}

export async function models(): Promise<void> {
  const plain: ChatModel = async ({ messages }) => `I got ${messages.length} messages.`;
  const streaming: ChatModel = async function* (_request, { signal }) {
    if (!signal.aborted) yield "a word";
    yield { type: "finish", reason: "stop" };
  };
  const whole: ChatModel = () => ({ text: "x", tool_calls: [{ name: "t", args: {} }] });
  // @ts-expect-error a number is no answer
  const wrong: ChatModel = async () => 5;
  await createRuntime({
    models: {
      plain,
      streaming,
      whole,
      wrong,
      demo: demoModel(),
      scripted: scriptedModel("a", { text: "b" }, [{ type: "text", text: "c" }], new Error("d")),
      default: openaiChat({ model: "m", headers: async () => ({ authorization: "Bearer …" }) }),
    },
  });
}

export async function tools(): Promise<void> {
  await createRuntime({
    tools: {
      json: {
        description: "JSON Schema",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute({ city }, { signal, run_id, thread_id, call_id }) {
          same<typeof city, unknown>();
          same<typeof signal, AbortSignal>();
          return [run_id, thread_id, call_id];
        },
      },
      annotated: {
        description: "Annotated",
        parameters: { type: "object" },
        execute: ({ city }: { city: string }) => city.toUpperCase(),
      },
      zod: tool({
        description: "zod",
        parameters: z.object({ city: z.string(), days: z.number().default(1) }),
        execute({ city, days }) {
          same<typeof city, string>();
          same<typeof days, number>();
        },
      }),
      arktype: tool({
        description: "ArkType",
        parameters: type({ city: "string" }),
        execute({ city }) {
          same<typeof city, string>();
        },
      }),
      // @ts-expect-error a tool says what it does
      silent: { parameters: {}, execute: () => 1 },
    },
  });
}

export async function runs(runtime: Runtime, document: GraphDocument): Promise<string> {
  const { ok, problems } = await runtime.check(document);
  if (!ok)
    return problems.map(({ node, message, hint }) => `${node}: ${message} ${hint}`).join("\n");
  const graph: Graph = await runtime.load(JSON.stringify(document));
  const run = graph.run({
    text: "Hi",
    thread: "t",
    actor: "a",
    signal: new AbortController().signal,
  });
  let text = "";
  for await (const event of run) {
    same<typeof event, RunEvent>();
    switch (event.type) {
      case "token":
        text += event.data.text;
        break;
      case "tool_result":
        same<typeof event.data.is_error, boolean>();
        break;
      case "run_failed":
        text += event.data.error.code;
        break;
      default:
        // @ts-expect-error other events have no text
        text += event.data.text;
    }
  }
  const result = await run.result;
  same<typeof result, RunResult>();
  same<typeof result.messages, Message[]>();
  run.cancel("enough");
  // @ts-expect-error text is text
  graph.run({ text: 5 });
  // @ts-expect-error data is snake_case
  result.runId;
  return text;
}

export async function state(runtime: Runtime, graph: Graph): Promise<void> {
  const view = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
  for (const { role, in_view } of view.messages)
    same<[typeof role, typeof in_view], [Message["role"], boolean]>();
  const thread = await runtime.threads.get("t");
  // @ts-expect-error there may be no such thread
  thread.title;
  const stop = runtime.on("warning", ({ code, run_id }) => [code, run_id]);
  stop();
  runtime.subscribe({}, (change) => {
    same<typeof change, Change>();
    // @ts-expect-error changes hold no text
    change.text;
  })();
  const { messages, in_view } = await runtime.memory.view(view.messages, {
    type: "window",
    size: 2,
  });
  same<[typeof messages, typeof in_view], [Message[], string[]]>();
  // @ts-expect-error no policy is called so
  await runtime.memory.view(messages, { type: "door" });
  same<Awaited<ReturnType<typeof runtime.memory.repair>>, Repaired>();
  const { evictable, generation }: StorageHealth = await runtime.storage.health();
  same<[typeof evictable, typeof generation], [boolean | undefined, string]>();
  await runtime.unload(graph);
  // @ts-expect-error nobody tells of this
  runtime.on("weather", () => {});
  await runtime.close();
}

export async function people(runtime: Runtime, graph: Graph): Promise<void> {
  const asking = { description: "", parameters: {}, execute: () => null, approval: "ask" } as const;
  const open = await createRuntime({
    tools: { asking },
    functions: { stock: async ({ sku }: { sku: string }, { signal, node }) => [sku, signal, node] },
    http: { allow: ["https://api.example.com"] },
  });
  // @ts-expect-error no approval is called so
  await createRuntime({ tools: { asking: { ...asking, approval: "perhaps" } } });
  // @ts-expect-error a list of addresses
  await createRuntime({ http: { allow: "https://api.example.com" } });
  await open.close();
  const [waiting] = await runtime.waiting({ thread: "t" });
  // @ts-expect-error nothing may be waiting
  waiting.run_id;
  if (waiting === undefined) return;
  same<typeof waiting, WaitingRun>();
  same<typeof waiting.interrupts, Interrupt[]>();
  const { signal } = new AbortController();
  const run = await runtime.resume(waiting.run_id, { interrupt: "i", data: 1 }, { signal });
  same<typeof run, Run>();
  // @ts-expect-error an answer names its question
  await runtime.resume(waiting.run_id, { action: "approve" });
  same<boolean, Awaited<ReturnType<typeof runtime.dropWaiting>>>();
  const { interrupts } = await graph.invoke({ event: "paid", data: { n: 7 }, trigger: "paid" });
  // @ts-expect-error only a run that waits asks something
  interrupts.length;
}

export function errors(thrown: unknown): string {
  if (!isMnemographError(thrown)) throw thrown;
  same<typeof thrown, MnemographError>();
  // A code that is known completes; one that is not is a text all the same.
  return thrown.code === "E_LLM" ? `${thrown.details.status}` : thrown.code;
}

export async function disposal(): Promise<void> {
  await using runtime = await createRuntime();
  await runtime.threads.list();
}
