import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Taker, type Turn, type TurnOptions, Turns } from "../src/turns.js";
import type { OnBusy } from "../src/types.js";
import { settle } from "./support/events.js";
import { FakeLocks } from "./support/fake-locks.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class Bus {
  readonly #channels = new Set<{ onmessage: ((event: MessageEvent) => void) | null }>();

  open = (): BroadcastChannel => {
    const channel = {
      onmessage: null as ((event: MessageEvent) => void) | null,
      postMessage: (data: unknown) => {
        for (const other of this.#channels) {
          if (other !== channel) queueMicrotask(() => other.onmessage?.({ data } as MessageEvent));
        }
      },
      close: () => this.#channels.delete(channel),
    };
    this.#channels.add(channel);
    return channel as unknown as BroadcastChannel;
  };
}

function tab(options: Partial<TurnOptions> = {}): Turns {
  return new Turns({ prefix: "mnemograph:db:ns:", queues: new Map(), exclusive: true, ...options });
}

/** Somebody who wants the thread, and how far they came. */
function person(name: string, onBusy: OnBusy = "queue") {
  const controller = new AbortController();
  const cancelled: string[] = [];
  const taker: Taker = {
    run_id: name,
    onBusy,
    signal: controller.signal,
    cancel: (reason) => {
      cancelled.push(reason);
      controller.abort(reason);
    },
  };
  const state: { turn?: Turn; error?: { code?: string } } = {};
  const take = async (turns: Turns, thread = "t"): Promise<void> => {
    turns.take(thread, taker).then(
      (turn) => {
        state.turn = turn;
      },
      (error: { code?: string }) => {
        state.error = error;
      },
    );
    await settle();
  };
  return { taker, cancelled, controller, state, take };
}

test.each([
  ["in the page", () => ({})],
  ["with locks", () => ({ locks: new FakeLocks() as unknown as LockManager })],
])("first come, first served (%s)", async (_name, options) => {
  const turns = tab(options());
  const [a, b, c] = [person("a"), person("b"), person("c")];
  for (const each of [a, b, c]) await each.take(turns);
  expect([a, b, c].map(({ state }) => state.turn !== undefined)).toEqual([true, false, false]);
  a.state.turn?.release();
  await settle();
  expect([b, c].map(({ state }) => state.turn !== undefined)).toEqual([true, false]);
  b.state.turn?.release();
  await settle();
  expect(c.state.turn?.exclusive).toBe(true);
});

test.each([
  ["in the page", () => ({})],
  ["with locks", () => ({ locks: new FakeLocks() as unknown as LockManager })],
])(
  "the signal ends the waiting, and the next in line gets the turn (%s)",
  async (_name, options) => {
    const turns = tab(options());
    const [a, b, c] = [person("a"), person("b"), person("c")];
    for (const each of [a, b, c]) await each.take(turns);
    b.controller.abort();
    await settle();
    expect(b.state.error?.code).toBe("E_CANCELLED");
    a.state.turn?.release();
    await settle();
    expect(c.state.turn).toBeDefined();
  },
);

test("threads whose names could run together do not share a lock", async () => {
  const locks = new FakeLocks();
  const one = tab({ locks: locks as unknown as LockManager, prefix: "mnemograph:db:a:" });
  await person("a").take(one, "b:c");
  expect(locks.names()).toEqual(["mnemograph:db:a:b%3Ac"]);
});

test("a busy thread refuses, within the page and across tabs", async () => {
  const locks = new FakeLocks() as unknown as LockManager;
  const [here, there] = [tab({ locks }), tab({ locks })];
  const [a, b, c] = [person("a"), person("b", "reject"), person("c", "reject")];
  await a.take(here);
  await b.take(here);
  await c.take(there);
  expect(b.state.error).toMatchObject({ code: "E_BUSY", details: { run_id: "a" } });
  expect(c.state.error).toMatchObject({ code: "E_BUSY", retryable: true });
  a.state.turn?.release();
  await settle();
  const d = person("d", "reject");
  await d.take(there);
  expect(d.state.turn).toBeDefined();
});

test("a newer message cancels who holds the thread and who waits for it", async () => {
  const turns = tab();
  const [a, b, c] = [person("a"), person("b"), person("c", "cancel_previous")];
  for (const each of [a, b, c]) await each.take(turns);
  expect([a.cancelled.length, b.state.error?.code]).toEqual([1, "E_CANCELLED"]);
  expect(c.state.turn).toBeUndefined();
  a.state.turn?.release();
  await settle();
  expect(c.state.turn).toBeDefined();
});

test("another tab is asked to stop, and gives the thread away", async () => {
  const bus = new Bus();
  const locks = new FakeLocks() as unknown as LockManager;
  const [here, there] = [tab({ locks, channel: bus.open }), tab({ locks, channel: bus.open })];
  const [a, b] = [person("a"), person("b", "cancel_previous")];
  await a.take(here);
  await b.take(there);
  expect(a.cancelled).toEqual(["superseded by a newer message in another tab"]);
  a.state.turn?.release();
  await settle();
  expect(b.state.turn).toBeDefined();
  here.close();
  there.close();
});

test("a tab that does not stop loses the lock after two seconds and is told", async () => {
  const locks = new FakeLocks() as unknown as LockManager;
  const [frozen, active] = [tab({ locks }), tab({ locks })];
  const [a, b] = [person("a"), person("b", "cancel_previous")];
  await a.take(frozen);
  await b.take(active);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(b.state.turn).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(b.state.turn).toBeDefined();
  expect(a.cancelled).toEqual(["another tab took over the thread"]);
});

test("whoever gives up while taking over does not steal", async () => {
  const locks = new FakeLocks() as unknown as LockManager;
  const [frozen, active] = [tab({ locks }), tab({ locks })];
  const [a, b] = [person("a"), person("b", "cancel_previous")];
  await a.take(frozen);
  await b.take(active);
  b.controller.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(b.state.error?.code).toBe("E_CANCELLED");
  expect(a.cancelled).toEqual([]);
});

test("the queue of the page forgets threads that nobody uses", async () => {
  const queues = new Map();
  const turns = tab({ queues });
  const [a, b] = [person("a"), person("b")];
  await a.take(turns);
  await b.take(turns);
  a.state.turn?.release();
  await settle();
  b.state.turn?.release();
  await settle();
  expect(queues.size).toBe(0);
});
