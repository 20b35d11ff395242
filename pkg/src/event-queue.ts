import type { RunEvent } from "./wire.js";

type Delta = Extract<RunEvent, { type: "token" | "reasoning_token" }>;

interface Entry {
  event: RunEvent;
  /** True if the event is this queue's own copy, which may grow. */
  own: boolean;
}

/** Events that nobody has read yet. Deltas of the same node are joined while they wait. */
export class EventQueue {
  #entries: Entry[] = [];
  #head = 0;
  /** Where the last unread delta of a node stands; any other event ends the joining. */
  readonly #growing = new Map<string, Entry>();

  get size(): number {
    return this.#entries.length - this.#head;
  }

  push(event: RunEvent): void {
    if (!isDelta(event)) {
      this.#growing.clear();
      this.#entries.push({ event, own: false });
      return;
    }
    const key = deltaKey(event);
    const waiting = this.#growing.get(key);
    if (waiting) {
      join(waiting, event);
      return;
    }
    const entry = { event, own: false };
    this.#growing.set(key, entry);
    this.#entries.push(entry);
  }

  shift(): RunEvent | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    if (isDelta(entry.event)) this.#growing.delete(deltaKey(entry.event));
    if (this.#head > 1_000 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry.event;
  }

  /** A queue with the same events, which goes its own way from here. */
  fork(): EventQueue {
    const copy = new EventQueue();
    for (const entry of this.#entries.slice(this.#head)) {
      entry.own = false;
      copy.push(entry.event);
    }
    return copy;
  }
}

function isDelta(event: RunEvent): event is Delta {
  return event.type === "token" || event.type === "reasoning_token";
}

function deltaKey(event: Delta): string {
  const channel = event.type === "token" ? event.data.channel : "reasoning";
  const path = event.path.length === 0 ? "" : JSON.stringify(event.path);
  return `${channel} ${event.node} ${path}`;
}

function join(entry: Entry, next: Delta): void {
  if (!entry.own) {
    entry.event = { ...entry.event, data: { ...entry.event.data } } as Delta;
    entry.own = true;
  }
  (entry.event as Delta).data.text += next.data.text;
}
