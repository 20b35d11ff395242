import type { Core } from "./core.js";
import { MnemographError, readSafely, toMnemographError } from "./errors.js";
import type { Loaded, StartInput } from "./handle.js";
import { checkId } from "./ids.js";
import { NotJson, toPlain } from "./json.js";
import { createRun, type Run, type RunControl, reasonText, resultOrThrow } from "./run.js";
import type { Opened } from "./session.js";
import type { RunInput } from "./types.js";
import type { Problem, RunResult } from "./wire.js";

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
    return this.#begin(input).run;
  }

  /**
   * Runs and waits for the result. Rejects with the error of a run that failed, reached a limit or was
   * cancelled (`E_CANCELLED`, whose `cause` is the signal's reason), and with what {@link Run.result} rejects with.
   */
  async invoke(input: RunInput = {}): Promise<RunResult> {
    const control = this.#begin(input);
    return resultOrThrow(await control.run.result, control.abortReason);
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

  #begin(input: RunInput): RunControl {
    const core = this.#core;
    const id = core.id();
    const given = readSafely(input, "thread");
    const thread = typeof given === "string" ? given : id;
    const control = createRun({ id, thread, graph_id: this.id, now: core.now });
    this.#drive(control, input).catch((error: unknown) => {
      core.leave(id);
      const known = toMnemographError(error);
      if (known.code === "E_CANCELLED") control.cutShort("cancelled", known);
      else control.refuse(known);
    });
    return control;
  }

  async #drive(control: RunControl, input: RunInput): Promise<void> {
    const core = this.#core;
    core.enter(control);
    const { result } = control.run;
    const start = readInput(input, control.run.id, core);
    const stop = follow(input.signal, control.run);
    result.then(stop, stop);
    const turn = await core.takeTurn(control, start.thread, input.onBusy);
    result.then(turn.release, turn.release);
    const opened = await core.session.open();
    if (control.signal.aborted) throw cancelled(control.abortReason);
    const number = this.number(opened);
    core.session.enter(() => opened.handle.start(number, { ...start, locked: turn.exclusive }));
    control.started = true;
    const cancel = (): void =>
      core.session.tell((handle) => handle.cancel(control.run.id, reasonText(control.abortReason)));
    control.signal.addEventListener("abort", cancel, { once: true });
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
): Omit<StartInput, "locked"> {
  if (typeof input !== "object" || input === null) {
    throw unfit(undefined, "is no object: write run({ text: … })");
  }
  const { text, message, attachments, thread, actor, trigger, data } = input;
  return {
    run_id,
    ...(thread === undefined ? {} : { thread: checkId(thread, "thread") }),
    ...(actor === undefined ? {} : { actor: checkId(actor, "actor") }),
    ...(trigger === undefined ? {} : { trigger: checkId(trigger, "trigger") }),
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
