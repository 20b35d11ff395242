import type { Core } from "./core.js";
import { MnemographError, readSafely, toMnemographError } from "./errors.js";
import { unpack } from "./event-batch.js";
import type { Loaded, StartInput } from "./handle.js";
import { checkId } from "./ids.js";
import { NotJson, toJsonText, toPlain } from "./json.js";
import { createRun, type Run, type RunControl, reasonText, resultOrThrow } from "./run.js";
import type { Opened } from "./session.js";
import type { Answer, OnBusy, RunInput } from "./types.js";
import type { Problem, RunEvent, RunResult, WaitingRun } from "./wire.js";

/** How much of a run is told. */
type Told = Pick<StartInput, "brief">;

/** A graph that was loaded without errors. It outlives crashes: it is loaded again from its document. */
export class Graph {
  /** Id of the document. */
  readonly id: string;
  readonly name: string;
  /** Semantic hash: the same for two documents that do the same. */
  readonly hash: string;
  /** Warnings of the check. */
  readonly problems: Problem[];
  readonly #core: Core;
  readonly #text: string;
  #number: number;
  #generation: number;
  #unloaded = false;

  /** @internal */
  constructor(core: Core, text: string, loaded: Loaded & { graph: number }, generation: number) {
    this.#core = core;
    this.#text = text;
    this.#number = loaded.graph;
    this.#generation = generation;
    this.id = loaded.id ?? "";
    this.name = loaded.name ?? "";
    this.hash = loaded.hash ?? "";
    this.problems = loaded.problems;
  }

  /**
   * Starts a run and gives it back at once. Everything that can go wrong is told by its `result` and its
   * events, never thrown here.
   */
  run(input: RunInput = {}): Run {
    return this.#begin(input, { brief: false }).run;
  }

  /**
   * Runs and waits for the result. Rejects with the error of a run that failed, reached a limit or was
   * cancelled (`E_CANCELLED`, whose `cause` is the signal's reason), and with what {@link Run.result} rejects with.
   */
  async invoke(input: RunInput = {}): Promise<RunResult> {
    // Nobody can follow it but the runtime's own listener.
    const control = this.#begin(input, { brief: !this.#core.isFollowed });
    return resultOrThrow(await control.run.result, control.abortReason);
  }

  /**
   * The events of a run that was made with `record: true`, as they were. Nothing is called and nothing is stored.
   * Rejects with `E_GRAPH_CHANGED` for a recording of another version of the graph, `E_COERCE` for what is none.
   */
  async replay(recording: unknown): Promise<RunEvent[]> {
    const text = toJsonText(recording);
    const replayed = await this.#core.session.call((opened) =>
      opened.handle.replay(this.number(opened), text),
    );
    return unpack(replayed);
  }

  /** @internal Gives back what the module holds of it. */
  async unload(): Promise<void> {
    if (this.#unloaded) return;
    this.#unloaded = true;
    await this.#core.session.call(({ handle, generation }) => {
      if (generation === this.#generation) handle.unload(this.#number);
    });
  }

  /** @internal Number of the graph in the instance that is alive. Throws `E_CLOSED` once it is unloaded. */
  number({ handle, generation }: Opened): number {
    if (this.#unloaded) throw unloaded(this.id);
    if (generation !== this.#generation) {
      const { graph, problems } = this.#core.session.enter(() => handle.load(this.#text));
      if (graph === undefined) throw unloadable(problems);
      this.#number = graph;
      this.#generation = generation;
    }
    return this.#number;
  }

  /** @internal Goes on with a run of this graph that waits. */
  resume(waiting: WaitingRun, answer: Answer, signal: AbortSignal | undefined): Run {
    const { run_id: id, thread } = waiting;
    const control = createRun({ id, thread, graph_id: this.id, now: this.#core.now });
    return this.#follow(control, async () => {
      const data = asPlain(answer.data ?? null, "data");
      await this.#start(control, thread === id ? undefined : thread, { signal }, (opened, locked) =>
        opened.handle.resume(this.number(opened), {
          run_id: id,
          interrupt: checkId(answer.interrupt, "interrupt"),
          action: answer.action ?? "answer",
          data,
          allow_changed_graph: answer.allowChangedGraph === true,
          locked,
        }),
      );
    });
  }

  #begin(input: RunInput, told: Told): RunControl {
    const core = this.#core;
    const id = core.id();
    const given = readSafely(input, "thread");
    const thread = typeof given === "string" ? given : id;
    const control = createRun({ id, thread, graph_id: this.id, now: core.now });
    this.#follow(control, () => this.#drive(control, input, told));
    return control;
  }

  /** What goes wrong before the engine has the run ends it. */
  #follow(control: RunControl, work: () => Promise<void>): Run {
    const core = this.#core;
    work().catch((error: unknown) => {
      core.leave(control.run.id);
      const known = toMnemographError(error);
      if (known.code === "E_CANCELLED") control.cutShort("cancelled", known);
      else control.refuse(known);
    });
    return control.run;
  }

  async #drive(control: RunControl, input: RunInput, told: Told): Promise<void> {
    const core = this.#core;
    const start = { ...readInput(input, control.run.id, core), ...told };
    if (start.event !== undefined && start.thread === undefined) {
      const opened = await core.session.open();
      const asked = { ...start, locked: false };
      const number = this.number(opened);
      const thread = core.session.enter(() => opened.handle.event_thread(number, asked));
      if (thread !== undefined) start.thread = control.moveTo(checkId(thread, "thread"));
    }
    await this.#start(control, start.thread, input, async (opened, locked) => {
      await core.giveWaitingUp(opened, start.thread, input.onBusy);
      const number = this.number(opened);
      core.session.enter(() => opened.handle.start(number, { ...start, locked }));
      control.started = true;
    });
  }

  /** Takes the thread's turn, then hands the run to the engine. */
  async #start(
    control: RunControl,
    thread: string | undefined,
    { signal, onBusy }: { signal?: AbortSignal | undefined; onBusy?: OnBusy | undefined },
    begin: (opened: Opened, locked: boolean) => Promise<unknown>,
  ): Promise<void> {
    const core = this.#core;
    core.enter(control);
    const { result } = control.run;
    const stop = follow(signal, control.run);
    result.then(stop, stop);
    const turn = await core.takeTurn(control, thread, onBusy);
    result.then(turn.release, turn.release);
    // The session owns the wait: a crash before the engine has the run ends it too, and frees the thread.
    await core.session.call((opened) => {
      if (control.signal.aborted) throw cancelled(control.abortReason);
      return begin(opened, turn.exclusive);
    });
    control.started = true;
    const cancel = (): void =>
      core.session.tell((handle) => handle.cancel(control.run.id, reasonText(control.abortReason)));
    if (control.signal.aborted) cancel();
    else control.signal.addEventListener("abort", cancel, { once: true });
  }
}

function follow(signal: AbortSignal | undefined, run: Run): () => void {
  if (signal === undefined) return () => {};
  const stop = (): void => run.cancel(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return () => signal.removeEventListener("abort", stop);
}

function readInput(
  input: RunInput,
  run_id: string,
  { id, now }: Pick<Core, "id" | "now">,
): Omit<StartInput, "locked" | "brief"> {
  if (typeof input !== "object" || input === null) {
    throw unfit(undefined, "is no object: write run({ text: … })");
  }
  const { text, message, attachments, thread, actor, trigger, event, record, data } = input;
  return {
    run_id,
    ...(thread === undefined ? {} : { thread: checkId(thread, "thread") }),
    ...(actor === undefined ? {} : { actor: checkId(actor, "actor") }),
    ...(trigger === undefined ? {} : { trigger: checkId(trigger, "trigger") }),
    ...(event === undefined ? {} : { event: checkId(event, "event") }),
    ...(record === true ? { record } : {}),
    ...(text === undefined ? {} : { text: asText(text) }),
    ...(message === undefined
      ? {}
      : {
          message: {
            v: 1,
            id: id(),
            role: "user",
            status: "complete",
            created_at: now(),
            ...(asPlain(message, "message") as object),
          },
        }),
    ...(attachments === undefined
      ? {}
      : { attachments: asPlain(attachments, "attachments") as unknown[] }),
    ...(data === undefined ? {} : { data: asPlain(data, "data") }),
  };
}

function asText(text: unknown): string {
  if (typeof text !== "string") throw unfit("text", `is of type ${typeof text}, not text`);
  return asPlain(text, "text") as string;
}

function asPlain(value: unknown, what: string): unknown {
  try {
    return toPlain(value);
  } catch (error) {
    throw unfit(what, error instanceof NotJson ? error.message : "cannot be read");
  }
}

function unfit(what: string | undefined, why: string): MnemographError {
  const subject = what === undefined ? "The input" : `The input's \`${what}\``;
  return new MnemographError({ code: "E_SCHEMA", message: `${subject} ${why}.` });
}

function cancelled(reason: unknown): MnemographError {
  return new MnemographError({
    code: "E_CANCELLED",
    message: `The run was cancelled before it began: ${reasonText(reason)}`,
    cause: reason,
  });
}

function unloaded(id: string): MnemographError {
  return new MnemographError({
    code: "E_CLOSED",
    message: `The graph "${id}" is unloaded.`,
    hint: "Load it again with runtime.load(document).",
  });
}

function unloadable(problems: Problem[]): MnemographError {
  return new MnemographError({
    code: "E_INTERNAL",
    message: `The graph could not be loaded again: ${problems[0]?.message ?? "no reason was given"}`,
  });
}
