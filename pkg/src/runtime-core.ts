import { type Change, Changes } from "./changes.js";
import type { Core } from "./core.js";
import type { Engine } from "./engine.js";
import { MnemographError } from "./errors.js";
import type { Graph } from "./graph.js";
import { CallRegister } from "./host.js";
import { idSource } from "./ids.js";
import { guarded, Listeners, reportToPage } from "./listeners.js";
import type { NodeTypes } from "./node-types.js";
import type { Settings } from "./options.js";
import { LeavingWatch } from "./page.js";
import { Pump } from "./pump.js";
import { Recovery } from "./recovery/recovery.js";
import type { RunControl } from "./run.js";
import type { prepareTools } from "./schema.js";
import { closed, type Opened, Session } from "./session.js";
import { deleteDatabase } from "./storage.js";
import { Turns } from "./turns.js";
import type { StoreWiped } from "./types.js";
import type { Notice, RunEvent, RunResult, WaitingRun } from "./wire.js";
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
  /** A `summary_memory` made notes of its older part, after a reply. */
  memory_compacted: Notices["memory_compacted"];
  /** It could not, and sends what it has as it is: nothing is lost, and it is tried again after the next rounds. */
  summary_failed: Notices["summary_failed"];
  /** A listener of the page threw. Where nobody listens, the page's own error reporting is told. */
  error: unknown;
  /** The wasm instance died; the next call starts a fresh one. */
  crashed: MnemographError;
  /** The database was lost and made anew. One that was noticed at the start is told to the first who listens. */
  storewiped: StoreWiped;
  /** The runtime is closed. */
  closed: undefined;
}

/** What happens beside the runs, by type. */
type Notices = { [N in Notice as N["type"]]: N["data"] };

/** What a runtime, its graphs and its runs have in common: the session, the register of runs, delivery, the end. */
export class RuntimeCore implements Core {
  readonly session: Session;
  readonly listeners = new Listeners<RuntimeEvents>();
  readonly changes: Changes;
  readonly nodes: NodeTypes;
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
  readonly recovery: Recovery | undefined;
  #wiped: StoreWiped | undefined;
  readonly #stopListening: () => void;
  readonly #leaving = new LeavingWatch(() => this.session.tell((handle) => handle.suspend()));
  #closing: Promise<void> | undefined;
  /** Ends the waiting of edits for their threads. */
  readonly #ending = new AbortController();

  constructor(
    engine: Engine,
    settings: Settings,
    tools: ReturnType<typeof prepareTools>,
    nodes: NodeTypes,
  ) {
    this.#settings = settings;
    this.nodes = nodes;
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
      nodes,
      http: settings.http,
      now: this.now,
      id: this.id,
      deliver: (run_id, call_id, kind, payload) =>
        this.session.tell((handle) => handle.deliver(run_id, call_id, kind, payload)),
      events: (run_id, batch) => this.#pump.push(() => this.#deliver(run_id, batch)),
      notice: (notice) => this.#pump.push(() => this.#notice(notice)),
      finished: (run_id, result) => this.#pump.pushNow(() => this.#finish(run_id, result)),
      committed: (batch) => this.recovery?.committed(batch),
      lost: () => this.recovery?.lost(),
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
        nodes: nodes.declarations,
        env: settings.env,
        watch: settings.recovery,
      },
      this.#calls.host,
      settings.adapter,
    );
    if (!settings.recovery) return;
    this.recovery = new Recovery({
      session: this.session,
      database: settings.database,
      witness: settings.witness,
      id: this.id,
      wiped: (report) => {
        this.#wiped = report;
        this.tellWiped();
      },
      failed: (error) => this.#report(error),
    });
  }

  async open(): Promise<void> {
    try {
      await this.session.open();
      await this.recovery?.open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Tells of a loss that nobody has heard of yet. */
  tellWiped(): void {
    if (this.#wiped && this.listeners.emit("storewiped", this.#wiped)) this.#wiped = undefined;
  }

  /** Erases something of a thread, in the copies as well. */
  erasing<T>(thread: string, erase: () => Promise<T>): Promise<T> {
    return this.recovery === undefined ? erase() : this.recovery.erasing(thread, erase);
  }

  /** Closes the runtime and deletes its database: first the copies, so that nothing comes back whenever the page ends. */
  async eraseAll(): Promise<void> {
    const { storage, database, witness } = this.#settings;
    if (storage !== "indexeddb") {
      throw new MnemographError({
        code: "E_UNSUPPORTED",
        message: "Only a database of the browser can be erased as a whole.",
        hint: "A storage of your own is yours to erase; one in memory ends with the runtime.",
      });
    }
    await this.close();
    await Recovery.erase(database, witness);
    await deleteDatabase(database);
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
    await this.recovery?.flush();
    await this.session.close();
    await this.recovery?.close();
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
      if (event.type === "memory_written" || event.type === "agent_memory_changed") {
        this.#changed(event, "memory");
      }
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

  #notice(notice: Notice): void {
    if (notice.type === "memory_compacted") {
      this.changes.tell(notice.data.thread, "memory");
      this.listeners.emit("memory_compacted", notice.data);
    } else {
      this.listeners.emit("summary_failed", notice.data);
    }
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
