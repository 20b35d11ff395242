// The page of the inside, as `window.inside`: the package from its sources, so that its wasm glue can be reached.
import { createRuntime, type RuntimeOptions } from "../../../pkg/src/index.js";
import { scriptedModel } from "../../../pkg/src/testing/index.js";
import * as core from "../../../pkg/src/wasm/core.js";
import { brief } from "./brief.js";
import { type ChatGraphOptions, chatGraph } from "./graphs.js";
import { gate, openWith } from "./open.js";

/** The module's exports beside the runtime. */
interface Core {
  __crash(how: string): void;
  memory_view(messages: unknown, options: object): unknown;
  memory_repair(messages: unknown): unknown;
  check_document(text: string): unknown;
}

const inside = {
  createRuntime,
  scriptedModel,
  chatGraph,
  brief,
  gate,
  equal,
  core: core as unknown as Core,
  open: (options: RuntimeOptions, graph: ChatGraphOptions = {}) =>
    openWith(createRuntime as never, chatGraph(graph), options as never),
};

/** Deep equality of JSON values; the order of members means nothing. */
function equal(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        equal((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

declare global {
  interface Window {
    inside: typeof inside;
  }
}

Object.assign(window, { inside, kit: {} });
