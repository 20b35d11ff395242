import { MnemographError } from "./errors.js";
import type { OnBusy } from "./types.js";

/** A thread that is ours until it is released. */
export interface Turn {
  /** True if nobody else can be running the thread, in no tab. */
  exclusive: boolean;
  release(): void;
}

/** Who takes a turn. */
export interface Taker {
  run_id: string;
  onBusy: OnBusy;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Asked of who holds the turn, or waits for it, when a newer message wants it. */
  cancel(reason: string): void;
}

/** What {@link Turns} is made with. */
export interface TurnOptions {
  /** `mnemograph:<database>:<namespace>:`. */
  prefix: string;
  /** The browser's locks; absent where there are none or state is private to this runtime. */
  locks?: LockManager | undefined;
  /** Makes the channel on which tabs ask each other to stop; absent where there is none. */
  channel?: ((name: string) => BroadcastChannel) | undefined;
  /** The queues of this page, shared by runtimes on the same database. */
  queues: Map<string, Promise<void>>;
  /** True if the lock, or the queue, keeps out everyone who can reach the state. */
  exclusive: boolean;
}

/** How long another tab may take to stop before its lock is taken from it. */
const STEAL_AFTER_MS = 2_000;

/** One run per thread: in this page, and across tabs where the browser has locks. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #takers = new Map<string, Set<Taker>>();
  #channel: BroadcastChannel | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Waits for the thread. Rejects with `E_BUSY`, or `E_CANCELLED` when the signal is aborted. */
  async take(thread: string, taker: Taker): Promise<Turn> {
    const name = this.#options.prefix + encodeURIComponent(thread);
    const others = [...(this.#takers.get(name) ?? [])];
    if (taker.onBusy === "reject" && (others[0] || this.#options.queues.has(name))) {
      throw busy(thread, others[0]?.run_id);
    }
    this.#enter(name, taker);
    try {
      if (taker.onBusy === "cancel_previous") {
        for (const other of others)
          other.cancel("superseded by a newer message on the same thread");
      }
      const held = await this.#acquire(name, thread, taker);
      return {
        exclusive: this.#options.exclusive,
        release: () => {
          this.#leave(name, taker);
          held();
        },
      };
    } catch (error) {
      this.#leave(name, taker);
      throw error;
    }
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  #acquire(name: string, thread: string, taker: Taker): Promise<() => void> {
    const { locks } = this.#options;
    if (locks === undefined) return queued(this.#options.queues, name, taker.signal);
    this.#listen();
    if (taker.onBusy === "cancel_previous") return this.#takeOver(locks, name, taker);
    return lock(locks, name, taker, thread);
  }

  /** Asks the other tabs to stop, and takes the lock from those that do not. */
  async #takeOver(locks: LockManager, name: string, taker: Taker): Promise<() => void> {
    this.#channel?.postMessage({ cancel: name });
    const patience = new AbortController();
    const giveUp = (): void => patience.abort();
    const timer = setTimeout(giveUp, STEAL_AFTER_MS);
    taker.signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await lock(locks, name, { ...taker, onBusy: "queue", signal: patience.signal });
    } catch (error) {
      if (taker.signal.aborted) throw cancelled();
      if (!patience.signal.aborted) throw error;
      return await lock(locks, name, taker);
    } finally {
      clearTimeout(timer);
      taker.signal.removeEventListener("abort", giveUp);
    }
  }

  #listen(): void {
    if (this.#channel !== undefined || this.#options.channel === undefined) return;
    this.#channel = this.#options.channel("mnemograph:turns");
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const name = (data as { cancel?: unknown } | null)?.cancel;
      if (typeof name !== "string") return;
      for (const taker of this.#takers.get(name) ?? []) {
        taker.cancel("superseded by a newer message in another tab");
      }
    };
  }

  #enter(name: string, taker: Taker): void {
    const takers = this.#takers.get(name) ?? new Set();
    takers.add(taker);
    this.#takers.set(name, takers);
  }

  #leave(name: string, taker: Taker): void {
    const takers = this.#takers.get(name);
    takers?.delete(taker);
    if (takers?.size === 0) this.#takers.delete(name);
  }
}

/** First come, first served, within the page. */
async function queued(
  queues: Map<string, Promise<void>>,
  name: string,
  signal: AbortSignal,
): Promise<() => void> {
  const before = queues.get(name);
  let release = (): void => {};
  const over = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tail = before === undefined ? over : before.then(() => over);
  queues.set(name, tail);
  const leave = (): void => {
    release();
    tail.then(() => {
      if (queues.get(name) === tail) queues.delete(name);
    });
  };
  if (before === undefined) return leave;
  try {
    await unlessAborted(before, signal);
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

/** A Web Lock, held until the returned function is called. */
function lock(
  locks: LockManager,
  name: string,
  taker: Taker,
  thread?: string,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let held = false;
    const hold = (granted: Lock | null): Promise<void> | void => {
      if (granted === null) {
        reject(busy(thread ?? name, undefined));
        return;
      }
      held = true;
      return new Promise<void>((release) => resolve(release));
    };
    locks.request(name, lockOptions(taker), hold).catch((error: unknown) => {
      if (held) taker.cancel("another tab took over the thread");
      else reject(taker.signal.aborted ? cancelled() : error);
    });
  });
}

function lockOptions(taker: Taker): LockOptions {
  switch (taker.onBusy) {
    case "queue":
      return { signal: taker.signal };
    case "reject":
      return { ifAvailable: true };
    case "cancel_previous":
      return { steal: true };
  }
}

function unlessAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(cancelled());
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    wait.then(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}

function busy(thread: string, run_id: string | undefined): MnemographError {
  return new MnemographError({
    code: "E_BUSY",
    message: `The thread "${thread.slice(0, 100)}" is busy with another run.`,
    hint: 'Wait for it, or run with onBusy: "queue" or "cancel_previous".',
    retryable: true,
    details: run_id === undefined ? {} : { run_id },
  });
}

function cancelled(): MnemographError {
  return new MnemographError({
    code: "E_CANCELLED",
    message: "The run was cancelled while it waited for its thread.",
  });
}
