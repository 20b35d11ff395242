import type { Change } from "./changes.js";
import type { Engine } from "./engine.js";
import { GraphError, MnemographError, toMnemographError } from "./errors.js";
import { type Forget, forget } from "./forget.js";
import { Graph } from "./graph.js";
import { checkId } from "./ids.js";
import { NotJson, toJsonText } from "./json.js";
import { MemoryApi } from "./memory.js";
import { MessagesApi } from "./messages.js";
import { NodeTypes } from "./node-types.js";
import { readOptions } from "./options.js";
import type { Run } from "./run.js";
import { RuntimeCore, type RuntimeEvents } from "./runtime-core.js";
import { prepareTools } from "./schema.js";
import { type Erasing, StateApi } from "./state.js";
import { StorageApi } from "./storage.js";
import { ThreadsApi } from "./threads.js";
import type { Answer, RuntimeOptions } from "./types.js";
import type { WasmSource } from "./wasm-source.js";
import type { CheckResult, Forgotten, WaitingRun } from "./wire.js";

/** Runs graphs and keeps their state. Made by `createRuntime`. */
export class Runtime {
  /** Conversations as the channel shows them. */
  readonly threads: ThreadsApi;
  /** What the memory nodes of a graph hold. */
  readonly state: StateApi;
  /** Edits what the memory nodes hold. */
  readonly messages: MessagesApi;
  /** The rules of conversation memory as functions. */
  readonly memory: MemoryApi;
  /** Where all of it is kept. */
  readonly storage: StorageApi;
  readonly #core: RuntimeCore;
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /** @internal */
  constructor(core: RuntimeCore) {
    this.#core = core;
    const erasing: Erasing = (thread, erase) => core.erasing(thread, erase);
    this.threads = new ThreadsApi(core.session, core.changes, core.id, erasing);
    this.state = new StateApi(core.session, core.changes, erasing);
    this.messages = new MessagesApi(core.session, core.changes, (thread, work) =>
      core.whileIdle(thread, () => core.erasing(thread, work)),
    );
    this.memory = new MemoryApi(core.session);
    this.storage = new StorageApi(core.session, core.id, {
      recovers: core.recovery !== undefined,
      erase: () => core.eraseAll(),
    });
    if (typeof Symbol.asyncDispose === "symbol") {
      Object.defineProperty(this, Symbol.asyncDispose, { value: () => this.close() });
    }
  }

  /**
   * Everything that is wrong with a document, given as an object or as JSON text. Never rejects for a bad
   * document, only with `E_CLOSED` or `E_RUNTIME_CRASHED`.
   */
  async check(document: object | string): Promise<CheckResult> {
    const text = documentText(document);
    if (typeof text !== "string") return text;
    const checked = await this.#core.session.call(({ handle }) => handle.check(text));
    return this.#core.nodes.check(text, checked);
  }

  /**
   * Loads a graph. Rejects with a {@link GraphError} that carries all problems of the document, or with
   * `E_CLOSED` or `E_RUNTIME_CRASHED`.
   */
  async load(document: object | string): Promise<Graph> {
    const text = documentText(document);
    if (typeof text !== "string") throw new GraphError(text.problems);
    return this.#core.session.call(({ handle, generation }) => {
      const loaded = handle.load(text);
      const { graph } = loaded;
      const { ok, problems } = this.#core.nodes.check(text, loaded);
      if (graph !== undefined && !ok) handle.unload(graph);
      if (graph === undefined || !ok) throw new GraphError(problems);
      const made = new Graph(this.#core, text, { ...loaded, graph }, generation);
      this.#core.graphs.set(made.id, made);
      return made;
    });
  }

  /**
   * The runs that wait for a person, of one thread or of all: to be shown after a reload. Rejects with `E_BAD_ID`,
   * `E_CLOSED` or `E_STORE_…`.
   */
  async waiting(filter: { thread?: string } = {}): Promise<WaitingRun[]> {
    const { thread } = filter;
    const checked = thread === undefined ? undefined : checkId(thread, "thread");
    return this.#core.session.call(({ handle }) => handle.waiting(checked));
  }

  /**
   * Answers a question of a run that waits, in this page or in another one: the run goes on, and no node of it runs
   * twice. The graph has to be loaded. Rejects with `E_RESUME_STALE` if it does not wait (any more), and with
   * `E_GRAPH_CHANGED` if its graph is not loaded; the result of the run rejects with `E_RESUME_INVALID` for an
   * action that the question does not have.
   *
   * @example
   * const [waiting] = await runtime.waiting({ thread: "t1" });
   * const run = await runtime.resume(waiting.run_id, {
   *   interrupt: waiting.interrupts[0].id,
   *   action: "approve",
   * });
   * console.log((await run.result).text);
   */
  async resume(
    runId: string,
    answer: Answer,
    options: { signal?: AbortSignal } = {},
  ): Promise<Run> {
    const id = checkId(runId, "run");
    const waiting = (await this.waiting()).find(({ run_id }) => run_id === id);
    // Of two answers that are given at once, one gets the run.
    if (waiting === undefined || this.#core.isRunning(runId)) throw stale(runId);
    const graph = this.#core.graphs.get(waiting.graph);
    if (graph === undefined) throw notLoaded(waiting.graph);
    return graph.resume(waiting, answer, options.signal);
  }

  /** Gives a waiting run up: its open round is kept as that of a run that was stopped. False if it does not wait. */
  async dropWaiting(runId: string): Promise<boolean> {
    const checked = checkId(runId, "run");
    return this.#core.session.call(({ handle }) => handle.drop_waiting(checked));
  }

  /**
   * Gives back the memory that a graph takes. Runs that go on are not disturbed; later calls on the graph
   * reject with `E_CLOSED`, what it remembered stays stored. Safe twice. Rejects with `E_CLOSED` or
   * `E_RUNTIME_CRASHED`.
   */
  async unload(graph: Graph): Promise<void> {
    if (this.#core.graphs.get(graph.id) === graph) this.#core.graphs.delete(graph.id);
    return graph.unload();
  }

  /**
   * Tells of changes to conversations, of one where `thread` is given: those of this runtime, and those of
   * other tabs, workers and runtimes on the same database and namespace. Returns how to stop. What is
   * told holds no text: read again what is of interest.
   *
   * @example
   * const stop = runtime.subscribe({ thread: "t1" }, async ({ elsewhere }) => {
   *   if (elsewhere) show(await runtime.threads.transcript("t1"));
   * });
   */
  subscribe(filter: { thread?: string }, listener: (change: Change) => void): () => void {
    return this.#core.changes.subscribe(filter.thread, listener);
  }

  /** Listens to the runtime. Returns how to stop. */
  on<K extends keyof RuntimeEvents>(
    name: K,
    listener: (value: RuntimeEvents[K]) => void,
  ): () => void {
    const stop = this.#core.listeners.add(name, listener);
    if (name === "storewiped") queueMicrotask(() => this.#core.tellWiped());
    return stop;
  }

  /**
   * Erases a conversation, all of one person, or all that this runtime's namespace holds: transcripts, what nodes
   * remember, notes, variables, dictionaries, runs that wait. A run that goes on stores nothing of it. Rejects with
   * `E_SCHEMA` if it is not said what, `E_BAD_ID`, `E_CLOSED` or `E_STORE_…`.
   *
   * @example
   * const { threads, messages } = await runtime.forget({ actor: "ada" });
   */
  forget(what: Forget): Promise<Forgotten> {
    const core = this.#core;
    return forget(what, {
      session: core.session,
      threads: this.threads,
      changes: core.changes,
      erasing: (thread, erase) => core.erasing(thread, erase),
    });
  }

  /**
   * Cancels what runs, waits for open commits and closes the database. Safe twice, early and from inside a
   * callback; never rejects. Calls that still wait reject with `E_CLOSED`.
   */
  close(): Promise<void> {
    return this.#core.close();
  }
}

/** Makes a runtime with the engine that `loadEngine` gives. */
export async function createRuntimeWith(
  loadEngine: (source?: WasmSource) => Promise<Engine>,
  options: RuntimeOptions,
): Promise<Runtime> {
  const settings = readOptions(options);
  const tools = prepareTools(settings.tools);
  const nodes = new NodeTypes(settings.nodes);
  const engine = await loadEngine(settings.wasm);
  const core = new RuntimeCore(engine, settings, tools, nodes);
  await core.open();
  return new Runtime(core);
}

function stale(run_id: string): MnemographError {
  return new MnemographError({
    code: "E_RESUME_STALE",
    message: `The run "${run_id}" does not wait for an answer.`,
    hint: "It has been answered already, or was given up. runtime.waiting() lists those that wait.",
  });
}

function notLoaded(graph: string): MnemographError {
  return new MnemographError({
    code: "E_GRAPH_CHANGED",
    message: `The run waits in the graph "${graph}", which is not loaded.`,
    hint: "Load it with runtime.load(document) first.",
  });
}

/** The document as text, or what is wrong with it where it is no JSON at all. */
function documentText(document: object | string): string | CheckResult {
  if (typeof document === "string") return document;
  try {
    return toJsonText(document);
  } catch (error) {
    const why = error instanceof NotJson ? error.message : toMnemographError(error).message;
    return {
      ok: false,
      problems: [
        {
          code: "E_JSON",
          severity: "error",
          message: `The document ${why}.`,
          hint: "Give JSON text, or an object of plain values.",
        },
      ],
    };
  }
}
