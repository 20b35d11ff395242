import { EventQueue } from "./event-queue.js";
import type { RunEvent } from "./wire.js";

type Step = IteratorResult<RunEvent, undefined>;

const END: Step = { done: true, value: undefined };

/** Hands the events of a run to any number of readers, each at its own pace and each from the start. */
export class Channel {
  readonly #history = new EventQueue();
  readonly #readers = new Set<Reader>();
  #over: { error?: Error } | undefined;

  push(event: RunEvent): void {
    if (this.#over) return;
    this.#history.push(event);
    for (const reader of this.#readers) reader.push(event);
  }

  /** No event follows. With an error, each reader's next step rejects with it once. */
  end(error?: Error): void {
    if (this.#over) return;
    this.#over = error === undefined ? {} : { error };
    for (const reader of this.#readers) reader.end(error);
    this.#readers.clear();
  }

  /** A reader from the first event on. Leaving it stops nothing. */
  read(): AsyncIterableIterator<RunEvent> {
    const reader = new Reader(this.#history.fork(), () => this.#readers.delete(reader));
    if (this.#over) reader.end(this.#over.error);
    else this.#readers.add(reader);
    return reader;
  }
}

class Reader implements AsyncIterableIterator<RunEvent> {
  #queue: EventQueue;
  readonly #leave: () => void;
  readonly #waiting: { resolve: (step: Step) => void; reject: (error: Error) => void }[] = [];
  #over = false;
  #error: Error | undefined;

  constructor(queue: EventQueue, leave: () => void) {
    this.#queue = queue;
    this.#leave = leave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    const event = this.#queue.shift();
    if (event) return Promise.resolve({ done: false, value: event });
    if (!this.#over) {
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    const error = this.#error;
    this.#error = undefined;
    return error ? Promise.reject(error) : Promise.resolve(END);
  }

  return(): Promise<Step> {
    this.#leave();
    this.#queue = new EventQueue();
    this.end(undefined);
    return Promise.resolve(END);
  }

  push(event: RunEvent): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: event });
    else this.#queue.push(event);
  }

  end(error: Error | undefined): void {
    this.#over = true;
    this.#error = error;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#error) {
        reject(this.#error);
        this.#error = undefined;
      } else {
        resolve(END);
      }
    }
  }
}
