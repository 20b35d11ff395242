import { guarded } from "./listeners.js";

/** That a conversation, or what is remembered of it, is not as it was. It holds no text. */
export interface Change {
  thread_id: string;
  /** What is to be read again: the thread's record, its transcript, what its memory nodes hold, or all of it. */
  what: "thread" | "transcript" | "memory" | "all";
  /** Grows with every change that this runtime makes or hears of. */
  revision: number;
  /** True if another runtime made it, in this page or another. */
  elsewhere: boolean;
}

type Heard = Omit<Change, "elsewhere">;
type Listener = (change: Change) => void;

/** Tells of changes, also to and from the other runtimes on the same database and namespace. */
export class Changes {
  readonly #makeChannel: (() => BroadcastChannel) | undefined;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<{ thread: string | undefined; listener: Listener }>();
  #channel: BroadcastChannel | undefined;
  #revision = 0;
  #closed = false;

  /** Without a channel, the state is this runtime's alone. */
  constructor(makeChannel: (() => BroadcastChannel) | undefined, report: (error: unknown) => void) {
    this.#makeChannel = makeChannel;
    this.#report = report;
  }

  subscribe(thread: string | undefined, listener: Listener): () => void {
    const entry = { thread, listener };
    if (this.#closed) return () => {};
    this.#listeners.add(entry);
    this.#open();
    return () => this.#listeners.delete(entry);
  }

  /** This runtime has made a change. */
  tell(thread_id: string, what: Change["what"]): void {
    if (this.#closed) return;
    this.#revision += 1;
    const change: Heard = { thread_id, what, revision: this.#revision };
    this.#open()?.postMessage(change);
    this.#emit({ ...change, elsewhere: false });
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#channel?.close();
    this.#channel = undefined;
  }

  #open(): BroadcastChannel | undefined {
    if (this.#channel !== undefined || this.#makeChannel === undefined) return this.#channel;
    this.#channel = this.#makeChannel();
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!isHeard(data)) return;
      // As with Lamport's clocks: whoever has heard of a change counts on from it.
      this.#revision = Math.max(this.#revision + 1, data.revision);
      const { thread_id, what } = data;
      this.#emit({ thread_id, what, revision: this.#revision, elsewhere: true });
    };
    return this.#channel;
  }

  #emit(change: Change): void {
    for (const { thread, listener } of [...this.#listeners]) {
      if (thread === undefined || thread === change.thread_id)
        guarded(listener, change, this.#report);
    }
  }
}

const KINDS: readonly unknown[] = [
  "thread",
  "transcript",
  "memory",
  "all",
] satisfies Change["what"][];

/** Another version of the package may be speaking on the channel. */
function isHeard(data: unknown): data is Heard {
  if (typeof data !== "object" || data === null) return false;
  const { thread_id, what, revision } = data as Record<string, unknown>;
  return typeof thread_id === "string" && KINDS.includes(what) && Number.isSafeInteger(revision);
}
