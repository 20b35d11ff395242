// The register of calls: when a callback begins, how it is told to stop, that each ends once.
import { expect, test } from "vitest";
import { hostWith, until } from "./support/callbacks.js";
import { settle } from "./support/events.js";
import { circular, hostile, rejected, settlesAtOnce, stream, withThen } from "./support/shapes.js";

test("names that nobody registered", async () => {
  const { calls, said, call } = hostWith(() => "x");
  call("model", {}, "other");
  call("tool", {}, "other");
  await until(() => calls.counts.open === 0);
  expect(said.map(({ payload }) => (payload as { code: string }).code)).toEqual([
    "E_NO_MODEL",
    "E_TOOL",
  ]);
});

test("a call does not begin on the module's stack, and not at all if it is aborted before", async () => {
  let called = 0;
  const { calls, said, ask } = hostWith(() => {
    called += 1;
    return "x";
  });
  const id = ask();
  expect(called).toBe(0);
  calls.host.abort("r", id, "never mind");
  await settle();
  expect([called, said.length, calls.counts]).toEqual([0, 0, { started: 0, open: 0, late: 0 }]);
});

test("aborting tells the callback why, and what it gives later is dropped and counted", async () => {
  let finish: (text: string) => void = () => {};
  let reason: unknown;
  const { calls, said, ask } = hostWith(
    (_request: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    },
  );
  const id = ask();
  await settle();
  calls.host.abort("r", id, "timed out");
  expect(reason).toBeUndefined();
  await settle();
  expect(reason).toEqual(new Error("timed out"));
  finish("late");
  await settle();
  expect(said).toEqual([]);
  expect(calls.counts).toEqual({ started: 1, open: 0, late: 1 });
});

test("aborting returns the iterator, also one whose next never settles", async () => {
  let returned = 0;
  const { calls, ask } = hostWith(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: () => {
        returned += 1;
        return Promise.reject(new Error("no"));
      },
    }),
  }));
  const id = ask();
  await settle();
  calls.host.abort("r", id, "stop");
  await settle();
  expect(returned).toBe(1);
});

test("the end of a run aborts what it left open", async () => {
  let aborted = false;
  const { calls, ask } = hostWith((_request: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  ask();
  await settle();
  calls.host.finished("r", {} as never);
  await settle();
  expect(aborted).toBe(true);
  expect(calls.counts.open).toBe(0);
});

test("200 generated shapes end in exactly one delivery each", async () => {
  const leaves = [
    undefined,
    null,
    1,
    "x",
    5n,
    Symbol("s"),
    settlesAtOnce,
    new Date(Number.NaN),
    circular,
    hostile,
    new Uint8Array(1),
    new Map(),
  ];
  const wraps = [
    (x: unknown) => x,
    (x: unknown) => ({ text: x }),
    (x: unknown) => ({ parts: [x] }),
    (x: unknown) => ({ tool_calls: [x] }),
    (x: unknown) => [x],
    (x: unknown) => Promise.resolve(x),
    rejected,
    (x: unknown) => stream(x),
    withThen,
  ];
  const shapes = leaves
    .flatMap((leaf) => wraps.flatMap((wrap) => [() => wrap(leaf), () => wrap(wrap(leaf))]))
    .slice(0, 200);
  let current: () => unknown = () => null;
  const { calls, said, ask, act } = hostWith(
    () => current(),
    () => current(),
  );
  for (const shape of shapes) {
    current = shape;
    const ids = [ask(), act({})];
    await until(() => calls.counts.open === 0);
    for (const id of ids) {
      expect(said.filter(({ call_id, kind }) => call_id === id && kind !== "delta")).toHaveLength(
        1,
      );
    }
  }
  expect(shapes).toHaveLength(200);
});
