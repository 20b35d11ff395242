import { type Change, Changes } from "./changes.js";
import type { Core } from "./core.js";
import type { Engine } from "./engine.js";
import { GraphError, MnemographError, toMnemographError } from "./errors.js";
import { Graph } from "./graph.js";
import { CallRegister } from "./host.js";
import { checkId, idSource } from "./ids.js";
import { NotJson, toJsonText } from "./json.js";
import { guarded, Listeners, reportToPage } from "./listeners.js";
import { MemoryApi } from "./memory.js";
import { MessagesApi } from "./messages.js";
import { readOptions, type Settings } from "./options.js";
import { LeavingWatch } from "./page.js";
import { Pump } from "./pump.js";
import type { Run, RunControl } from "./run.js";
import { prepareTools } from "./schema.js";
import { closed, type Opened, Session } from "./session.js";
import { StateApi } from "./state.js";
import { StorageApi } from "./storage.js";
import { ThreadsApi } from "./threads.js";
import { Turns } from "./turns.js";
import type { Answer, RuntimeOptions } from "./types.js";
import type { WasmSource } from "./wasm-source.js";
import type { CheckResult, RunEvent, RunResult, WaitingRun } from "./wire.js";
import type { PageFunction } from "./work.js";

/** What `runtime.on` tells of. */
export interface RuntimeEvents {
  /** A warning of a run. */
  warning: {
    code: string;
    message: string;
    hint: string;
    run_id: string;
    thread_id: string;
    node?: string;
  };
  /** A listener of the page threw. Where nobody listens, the page's own error reporting is told. */
  error: unknown;
  /** The wasm instance died; the next call starts a fresh one. */
  crashed: MnemographError;
  /** The runtime is closed. */
  closed: undefined;
}

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
    this.threads = new ThreadsApi(core.session, core.changes, core.id);
    this.state = new StateApi(core.session, core.changes);
    this.messages = new MessagesApi(core.session, core.changes, (thread, work) =>
      core.whileIdle(thread, work),
    );
    this.memory = new MemoryApi(core.session);
    this.storage = new StorageApi(core.session, core.id);
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
    return this.#core.session.call(({ handle }) => handle.check(text));
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
      if (graph === undefined) throw new GraphError(loaded.problems);
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
    return this.#core.listeners.add(name, listener);
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
  const engine = await loadEngine(settings.wasm);
  const core = new RuntimeCore(engine, settings, tools);
  await core.open();
  return new Runtime(core);
}

class RuntimeCore implements Core {
  readonly session: Session;
  readonly listeners = new Listeners<RuntimeEvents>();
  readonly changes: Changes;
  readonly isFollowed: boolean;
  readonly now: () => number;
  readonly id: () => string;
  readonly #settings: Settings;
  readonly #pump: Pump;
  readonly #calls: CallRegister;
  readonly #turns: Turns;
  readonly #runs = new Map<string, RunControl>();
  /** The graphs that are loaded, by id: a run that waits names its graph. */
  readonly graphs = new Map<string, Graph>();
  readonly #stopListening: () => void;
  readonly #leaving = new LeavingWatch(() => this.session.tell((handle) => handle.suspend()));
  #closing: Promise<void> | undefined;
  /** Ends the waiting of edits for their threads. */
  readonly #ending = new AbortController();

  constructor(engine: Engine, settings: Settings, tools: ReturnType<typeof prepareTools>) {
    this.#settings = settings;
    this.isFollowed = settings.onEvent !== undefined;
    this.now = settings.now;
    this.id = settings.id ?? idSource(settings.now);
    this.#pump = new Pump(settings.batch);
    this.#turns = new Turns(settings.turns);
    this.changes = new Changes(settings.changes, (error) => this.#report(error));
    this.#calls = new CallRegister({
      models: new Map(Object.entries(settings.models)),
      tools,
      functions: new Map(Object.entries(settings.functions as Record<string, PageFunction>)),
      http: settings.http,
      now: this.now,
      id: this.id,
      deliver: (run_id, call_id, kind, payload) =>
        this.session.tell((handle) => handle.deliver(run_id, call_id, kind, payload)),
      events: (run_id, batch) => this.#pump.push(() => this.#deliver(run_id, batch)),
      finished: (run_id, result) => this.#pump.pushNow(() => this.#finish(run_id, result)),
      threadOf: (run_id) => this.#runs.get(run_id)?.run.thread ?? run_id,
      abortReason: (run_id, words) =>
        this.#runs.get(run_id)?.abortReason ?? new DOMException(words, "AbortError"),
    });
    this.#stopListening = engine.onCrash((error) => this.#crashed(error));
    this.session = new Session(
      engine,
      {
        database: settings.database,
        namespace: settings.namespace,
        storage: settings.storage,
        models: Object.entries(settings.models).map(([name, { model }]) =>
          model === undefined ? { name } : { name, model },
        ),
        tools: Array.from(tools.values(), ({ name, description, parameters, approval }) => ({
          name,
          description,
          parameters,
          approval,
        })),
        functions: Object.keys(settings.functions),
        env: settings.env,
      },
      this.#calls.host,
      settings.adapter,
    );
  }

  async open(): Promise<void> {
    try {
      await this.session.open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  enter(run: RunControl): void {
    if (this.#closing) throw closed();
    this.#runs.set(run.run.id, run);
    this.#leaving.start();
  }

  /** True while a run of this runtime goes on or waits for its thread. */
  isRunning(run_id: string): boolean {
    return this.#runs.has(run_id);
  }

  leave(run_id: string): void {
    this.#runs.delete(run_id);
    if (this.#runs.size === 0) this.#leaving.rest();
  }

  async takeTurn(
    control: RunControl,
    thread: string | undefined,
    onBusy = this.#settings.onBusy,
  ): ReturnType<Core["takeTurn"]> {
    if (thread === undefined) return { exclusive: true, release: () => {} };
    const { run, signal } = control;
    return this.#turns.take(thread, {
      run_id: run.id,
      onBusy,
      signal,
      cancel: (reason) => run.cancel(reason),
    });
  }

  /** Does something while no run goes on in the thread. */
  async whileIdle<T>(thread: string, work: () => Promise<T>): Promise<T> {
    const { signal } = this.#ending;
    if (signal.aborted) throw closed();
    const taker = { run_id: this.id(), onBusy: "queue", signal, cancel: () => {} } as const;
    const turn = await this.#turns.take(thread, taker).catch((error: unknown) => {
      throw signal.aborted ? closed() : error;
    });
    try {
      return await work();
    } finally {
      turn.release();
    }
  }

  async giveWaitingUp(
    { handle }: Opened,
    thread: string | undefined,
    onBusy = this.#settings.onBusy,
  ): Promise<void> {
    if (thread === undefined || onBusy !== "cancel_previous") return;
    for (const { run_id } of await handle.waiting(thread)) {
      await this.session.enter(() => handle.drop_waiting(run_id));
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = closed();
    this.#ending.abort();
    for (const run of this.#runs.values()) run.giveUp(error);
    await this.session.close();
    this.#calls.abortAll("the runtime is closed");
    this.#pump.flush();
    for (const [id, run] of this.#runs) {
      run.cutShort("cancelled", error);
      this.leave(id);
    }
    this.#turns.close();
    this.changes.close();
    this.#leaving.close();
    this.#stopListening();
    this.listeners.emit("closed", undefined);
  }

  #deliver(run_id: string, batch: RunEvent[]): void {
    const run = this.#runs.get(run_id);
    for (const event of batch) {
      run?.push(event);
      if (event.type === "warning") this.#warn(event);
      if (event.type === "run_started") this.#changed(event, "transcript");
      if (event.type === "memory_written") this.#changed(event, "memory");
      if (this.#settings.onEvent)
        guarded(this.#settings.onEvent, event, (error) => this.#report(error));
    }
  }

  #finish(run_id: string, result: RunResult): void {
    const run = this.#runs.get(run_id);
    if (result.error?.code === "E_BUSY") {
      void this.#refuseBusy(run, result);
    } else {
      run?.finish(result);
    }
    this.leave(run_id);
    this.#changed({ run_id, thread_id: result.thread }, "transcript");
  }

  /** A run on the thread waits for a person: who wanted to begin another is told which. */
  async #refuseBusy(run: RunControl | undefined, { thread, error }: RunResult): Promise<void> {
    const waiting = await this.session
      .call(({ handle }) => handle.waiting(thread))
      .catch(() => [] as WaitingRun[]);
    const [first] = waiting;
    run?.refuse(
      new MnemographError({
        code: "E_BUSY",
        message: error?.message ?? "A run on the thread waits for a person.",
        hint: error?.hint,
        details:
          first === undefined ? undefined : { run_id: first.run_id, interrupts: first.interrupts },
      }),
    );
  }

  /** A run without a thread leaves nothing behind. */
  #changed(
    { run_id, thread_id }: Pick<RunEvent, "run_id" | "thread_id">,
    what: Change["what"],
  ): void {
    if (thread_id !== run_id) this.changes.tell(thread_id, what);
  }

  #warn({ data, run_id, thread_id, node }: Extract<RunEvent, { type: "warning" }>): void {
    const about = node === undefined ? {} : { node };
    this.listeners.emit("warning", { ...data, run_id, thread_id, ...about });
  }

  #report(error: unknown): void {
    if (!this.listeners.emit("error", error)) reportToPage(error);
  }

  #crashed(error: MnemographError): void {
    this.#pump.flush();
    this.#calls.abortAll("the runtime crashed");
    for (const [id, run] of this.#runs) {
      if (!run.started) continue;
      run.cutShort("failed", error);
      this.leave(id);
    }
    this.listeners.emit("crashed", error);
  }
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
