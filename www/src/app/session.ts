import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createRuntime, type Graph, type RunEvent, type Runtime } from "mnemograph";
import { EXAMPLES, type Example, findExample } from "../lib/examples.ts";
import { failingModel } from "../lib/failing-model.ts";
import { type Failure, toFailure } from "../lib/failure.ts";
import { oneOf, preference } from "../lib/preferences.ts";
import { TOOLS } from "../lib/tools.ts";
import type { ModelSettings } from "../settings/model-settings.ts";

export type StorageKind = "indexeddb" | "memory";

/** The open runtime and the graph that it has loaded. */
export interface Opened {
  runtime: Runtime;
  graph: Graph;
  example: Example;
}

export type Connection =
  | { status: "opening" }
  | { status: "ready"; opened: Opened }
  | { status: "failed"; failure: Failure };

/** One runtime at a time, with one example's graph. Everything else in the playground reads it. */
export interface Session {
  connection: ReadonlySignal<Connection>;
  opened: ReadonlySignal<Opened | undefined>;
  example: ReadonlySignal<Example>;
  storage: ReadonlySignal<StorageKind>;
  choose(exampleId: string): Promise<void>;
  useStorage(kind: StorageKind): Promise<void>;
  retry(): Promise<void>;
  close(): Promise<void>;
}

export const DATABASE = "mnemograph-playground";

export function createSession(models: ModelSettings, onEvent: (event: RunEvent) => void): Session {
  const exampleId = preference("example", oneOf("", ...EXAMPLES.map((item) => item.id)));
  const storage: Signal<StorageKind> = preference("storage", oneOf("indexeddb", "memory"));
  const example = computed(() => findExample(exampleId.value));
  const connection = signal<Connection>({ status: "opening" });
  let runtime: Runtime | undefined;
  let attempt = 0;

  /** Opens what is missing. A newer call overtakes an older one that is still waiting. */
  async function open(): Promise<void> {
    const mine = ++attempt;
    if (connection.peek().status === "failed") connection.value = { status: "opening" };
    try {
      const current = runtime ?? (await openRuntime());
      if (mine !== attempt) {
        if (runtime === undefined) await current.close();
        return;
      }
      runtime = current;
      const chosen = example.peek();
      const graph = await current.load(chosen.document);
      if (mine !== attempt) return await current.unload(graph);
      const before = connection.peek();
      connection.value = { status: "ready", opened: { runtime: current, graph, example: chosen } };
      if (before.status === "ready" && before.opened.runtime === current) {
        await current.unload(before.opened.graph);
      }
    } catch (error) {
      if (mine === attempt) connection.value = { status: "failed", failure: toFailure(error) };
    }
  }

  function openRuntime(): Promise<Runtime> {
    return createRuntime({
      database: DATABASE,
      storage: storage.peek(),
      models: { default: models.callback, failing: failingModel },
      tools: TOOLS,
      batch: "frame",
      onEvent,
    });
  }

  async function close(): Promise<void> {
    attempt += 1;
    const old = runtime;
    runtime = undefined;
    await old?.close();
  }

  void open();
  return {
    connection,
    example,
    storage,
    opened: computed(() =>
      connection.value.status === "ready" ? connection.value.opened : undefined,
    ),
    choose: (id) => {
      exampleId.value = id;
      return open();
    },
    useStorage: async (kind) => {
      batch(() => {
        storage.value = kind;
        connection.value = { status: "opening" };
      });
      await close();
      await open();
    },
    retry: open,
    close,
  };
}
