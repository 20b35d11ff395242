import { Channel } from "./channel.js";
import { describeThrown, fromRunError, MnemographError } from "./errors.js";
import type { RunError, RunEvent, RunResult, RunStatus } from "./wire.js";

/**
 * A run that goes on. Iterate it for its events, any number of times and by any number of readers: each gets
 * all events, from the first. Leaving the loop stops nothing; {@link Run.cancel} and the signal do.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Id of the run, known at once. */
  readonly id: string;
  /** The conversation; the run's id where none was given. One that an event's trigger says is known with the first event. */
  readonly thread: string;
  /**
   * How it ended; a run that waits for a person ends as `waiting` and goes on by `runtime.resume`. A run that fails resolves with `status: "failed"` and `error`. Rejects only if the run could
   * not begin: `E_BAD_ID`, `E_BUSY`, `E_CLOSED`, `E_SCHEMA`, `E_RUNTIME_CRASHED`.
   */
  readonly result: Promise<RunResult>;
  /** Stops the run. What it committed stays; the answer so far is kept and marked. */
  cancel(reason?: unknown): void;
  /** The same events as a stream, for `Response` and pipes. Cancelling it stops nothing. */
  toReadableStream(): ReadableStream<RunEvent>;
}

/** What the runtime does with a run. */
export interface RunControl {
  readonly run: Run;
  /** What its signals are aborted with. */
  readonly abortReason: unknown;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** True once the engine has it. */
  started: boolean;
  push(event: RunEvent): void;
  /** It turned out to belong to this thread, which is given back. */
  moveTo(thread: string): string;
  /** It ended. */
  finish(result: RunResult): void;
  /** It could not begin. */
  refuse(error: MnemographError): void;
  /** It still waits for its thread, and shall not begin. */
  giveUp(error: MnemographError): void;
  /** It ends here without the engine: the runtime crashed, was closed, or it never began. */
  cutShort(status: Extract<RunStatus, "failed" | "cancelled">, error: MnemographError): void;
}

/** Where a run belongs. */
export interface RunPlace {
  id: string;
  thread: string;
  graph_id: string;
  now: () => number;
}

/** A run and its control. */
export function createRun(place: RunPlace): RunControl {
  return new Running(place);
}

interface Settle {
  resolve: (result: RunResult) => void;
  reject: (error: MnemographError) => void;
}

class Running implements RunControl {
  readonly run: PublicRun;
  started = false;
  #place: RunPlace;
  readonly #channel = new Channel();
  readonly #aborter = new AbortController();
  readonly #settle: Settle;
  #over = false;
  #lastSeq = 0;

  constructor(place: RunPlace) {
    this.#place = place;
    const { promise, ...settle } = withResolvers();
    this.#settle = settle;
    this.run = new PublicRun(place, promise, this.#channel, (reason) => {
      if (!this.#over) this.#aborter.abort(asAbortReason(reason));
    });
  }

  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  get abortReason(): unknown {
    return this.#aborter.signal.reason;
  }

  push(event: RunEvent): void {
    this.#lastSeq = event.seq;
    this.#channel.push(event);
  }

  moveTo(thread: string): string {
    this.#place = { ...this.#place, thread };
    this.run.thread = thread;
    return thread;
  }

  finish(result: RunResult): void {
    if (this.#over) return;
    this.#over = true;
    this.#channel.end();
    this.#settle.resolve(result);
  }

  refuse(error: MnemographError): void {
    if (this.#over) return;
    this.#over = true;
    this.#channel.end(error);
    this.#settle.reject(error);
  }

  giveUp(error: MnemographError): void {
    if (this.started) return;
    this.refuse(error);
    this.#aborter.abort(error);
  }

  cutShort(status: "failed" | "cancelled", error: MnemographError): void {
    if (this.#over) return;
    const run_error = toRunError(error);
    const { id: run_id, thread: thread_id, graph_id, now } = this.#place;
    const seq = this.#lastSeq + 1;
    const envelope = { v: 1, seq, t: now(), run_id, thread_id, graph_id } as const;
    this.push(
      status === "failed"
        ? { ...envelope, path: [], type: "run_failed", data: { error: run_error } }
        : { ...envelope, path: [], type: "run_cancelled", data: { reason: error.message } },
    );
    this.finish({
      status,
      text: "",
      outputs: {},
      messages: [],
      usage: { input: 0, output: 0 },
      warnings: [],
      run_id,
      thread: thread_id,
      error: run_error,
    });
  }
}

class PublicRun implements Run {
  readonly id: string;
  thread: string;
  readonly result: Promise<RunResult>;
  readonly #channel: Channel;
  readonly #cancel: (reason: unknown) => void;

  constructor(
    place: RunPlace,
    result: Promise<RunResult>,
    channel: Channel,
    cancel: (reason: unknown) => void,
  ) {
    this.id = place.id;
    this.thread = place.thread;
    this.result = result;
    this.#channel = channel;
    this.#cancel = cancel;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this.#channel.read();
  }

  cancel(reason?: unknown): void {
    this.#cancel(reason);
  }

  toReadableStream(): ReadableStream<RunEvent> {
    const events = this.#channel.read();
    return new ReadableStream({
      pull: async (controller) => {
        const step = await events.next();
        if (step.done) controller.close();
        else controller.enqueue(step.value);
      },
      cancel: async () => {
        await events.return?.();
      },
    });
  }
}

function withResolvers(): Settle & { promise: Promise<RunResult> } {
  let settle: Settle | undefined;
  const promise = new Promise<RunResult>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever only reads the events meets the error there: this is no unhandled rejection.
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Settle) };
}

/** The result, or the error of a run that did not succeed. */
export function resultOrThrow(result: RunResult, cause: unknown): RunResult {
  if (result.status === "failed" || result.status === "limit" || result.status === "cancelled") {
    throw result.error
      ? fromRunError(result.error, cause)
      : new MnemographError({
          code: result.status === "cancelled" ? "E_CANCELLED" : "E_INTERNAL",
          message: `The run ended with the status "${result.status}".`,
          cause,
        });
  }
  return result;
}

/** A reason in words, for the engine. */
export function reasonText(reason: unknown): string {
  return reason === undefined ? "cancelled" : describeThrown(reason);
}

function asAbortReason(reason: unknown): unknown {
  if (reason !== undefined && typeof reason !== "string") return reason;
  return new DOMException(reason ?? "The run was cancelled.", "AbortError");
}

function toRunError(error: MnemographError): RunError {
  return {
    code: error.code,
    message: error.message,
    attempt: 0,
    retryable: error.retryable,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
