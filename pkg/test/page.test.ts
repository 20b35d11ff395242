import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LeavingWatch } from "../src/page.js";

// A page with nothing but its events.
let window: EventTarget;
let listening: string[];
beforeEach(() => {
  vi.useFakeTimers();
  window = new EventTarget();
  listening = [];
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
  vi.stubGlobal("addEventListener", (type: string, listener: () => void) => {
    listening.push(type);
    window.addEventListener(type, listener);
  });
  vi.stubGlobal("removeEventListener", (type: string, listener: () => void) => {
    listening = listening.filter((each) => each !== type);
    window.removeEventListener(type, listener);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("leaving is told while something goes on, and only then", () => {
  const leave = vi.fn();
  const watch = new LeavingWatch(leave);
  window.dispatchEvent(new Event("beforeunload"));
  watch.start();
  window.dispatchEvent(new Event("beforeunload"));
  expect(leave).toHaveBeenCalledTimes(1);
  watch.rest();
  window.dispatchEvent(new Event("pagehide"));
  expect(leave).toHaveBeenCalledTimes(1);
});

test("an idle page soon has no listener, which would keep it from being cached", () => {
  const watch = new LeavingWatch(() => {});
  watch.start();
  expect(listening).toEqual(["beforeunload", "pagehide"]);
  watch.rest();
  vi.advanceTimersByTime(1_000);
  expect(listening).toEqual([]);
  watch.start();
  watch.close();
  expect(listening).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("runs that follow one another keep the listeners", () => {
  const leave = vi.fn();
  const watch = new LeavingWatch(leave);
  watch.start();
  watch.rest();
  vi.advanceTimersByTime(900);
  watch.start();
  vi.advanceTimersByTime(900);
  window.dispatchEvent(new Event("beforeunload"));
  expect(leave).toHaveBeenCalledTimes(1);
  expect(listening).toHaveLength(2);
});
