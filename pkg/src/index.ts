/// <reference lib="esnext.disposable" preserve="true" />
import { engineLoader } from "./engine.js";
import type { Glue } from "./handle.js";
import { createRuntimeWith, type Runtime } from "./runtime.js";
import type { RuntimeOptions } from "./types.js";
import * as core from "./wasm/core.js";

const loadEngine = engineLoader(
  async () => core as unknown as Glue,
  () => new URL("./wasm/core_bg.wasm", import.meta.url),
);

/**
 * Makes a runtime: loads the wasm module (once for the page), opens the database.
 *
 * Rejects with `E_WASM_LOAD` or `E_CSP` if the module cannot be had, `E_UNSUPPORTED` without WebAssembly,
 * `E_STORE_…` if the database cannot be opened, and `E_SETTING` or `E_BAD_ID` for an option that cannot work.
 *
 * @example
 * const runtime = await createRuntime({ models: { default: openaiChat({ model: "gpt-4.1-mini" }) } });
 * const graph = await runtime.load(document);
 * for await (const event of graph.run({ text: "Hello", thread: "t1" })) {
 *   if (event.type === "token") output.append(event.data.text);
 * }
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  return createRuntimeWith(loadEngine, options);
}

export type { Change } from "./changes.js";
export {
  type ErrorInit,
  type ErrorJson,
  GraphError,
  isMnemographError,
  MnemographError,
} from "./errors.js";
export type { Forget } from "./forget.js";
export type { Graph } from "./graph.js";
export type { MemoryApi } from "./memory.js";
export type { MessagesApi, RoundPlace } from "./messages.js";
export type { Run } from "./run.js";
export type { Runtime } from "./runtime.js";
export type { RuntimeEvents } from "./runtime-core.js";
export type { StateApi, StatePlace } from "./state.js";
export type { StorageApi } from "./storage.js";
export type { ThreadsApi } from "./threads.js";
export { tool } from "./tool.js";
export type * from "./types.js";
export type { WasmSource } from "./wasm-source.js";
export type * from "./wire.js";
