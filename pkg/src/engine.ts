import { describeThrown, MnemographError } from "./errors.js";
import type { Glue } from "./handle.js";
import { compileWasm, type WasmSource } from "./wasm-source.js";

/**
 * The one wasm instance of the page. A panic or a trap ends it: everyone who waits is told, and a fresh
 * instance of the same compiled module takes its place, with a higher generation.
 */
export class Engine {
  readonly glue: Glue;
  readonly #crashListeners = new Set<(error: MnemographError) => void>();
  #generation = 0;
  #crash: MnemographError | undefined;
  #restartFailed = false;
  /** Calls of `enter` on the stack: the module cannot be replaced under them. */
  #depth = 0;

  private constructor(glue: Glue) {
    this.glue = glue;
  }

  /** Compiles and instantiates. Rejects with `E_WASM_LOAD`, `E_CSP` or `E_UNSUPPORTED`. */
  static async load(glue: Glue, source: WasmSource): Promise<Engine> {
    const module = await compileWasm(source);
    try {
      await glue.default({ module_or_path: module });
    } catch (cause) {
      throw new MnemographError({
        code: "E_WASM_LOAD",
        message: `The wasm module could not be started: ${describeThrown(cause)}`,
        hint: "Is the file of the same version of mnemograph as the JavaScript beside it?",
        cause,
      });
    }
    const engine = new Engine(glue);
    engine.#listen();
    watchUncaught(engine);
    return engine;
  }

  /** Grows with each instance. Handles of an earlier generation are dead. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls into the module. Throws what it threw; a trap is `E_RUNTIME_CRASHED` and ends the instance. */
  enter<T>(call: () => T): T {
    if (this.#restartFailed) this.#restart();
    if (this.#crash) throw this.#crash;
    this.#depth += 1;
    try {
      return call();
    } catch (thrown) {
      if (!this.#crash && !isTrap(thrown)) throw thrown;
      throw this.#crashed(describeThrown(thrown), thrown);
    } finally {
      this.#depth -= 1;
      this.#replaceIfDead();
    }
  }

  /** Tells of each crash, after the module has left the stack. Returns how to stop listening. */
  onCrash(listener: (error: MnemographError) => void): () => void {
    this.#crashListeners.add(listener);
    return () => this.#crashListeners.delete(listener);
  }

  /** An error that nobody caught: if it was a trap of this module, the instance is dead. */
  uncaught(thrown: unknown): void {
    if (!isTrap(thrown)) return;
    let entered: boolean;
    try {
      entered = this.glue.entered();
    } catch {
      entered = true;
    }
    if (entered) this.#crashed(describeThrown(thrown), thrown);
    this.#replaceIfDead();
  }

  #listen(): void {
    this.glue.on_panic((message) => this.#crashed(message, undefined));
  }

  #crashed(message: string, cause: unknown): MnemographError {
    if (this.#crash) return this.#crash;
    const error = new MnemographError({
      code: "E_RUNTIME_CRASHED",
      message: `The runtime crashed: ${message}`,
      hint: "What was stored is safe; the next call starts a fresh instance. Please report it with the graph.",
      retryable: true,
      cause,
    });
    this.#crash = error;
    // The panic hook speaks while the module is still on the stack.
    queueMicrotask(() => this.#replaceIfDead());
    return error;
  }

  /** As soon as the module is off the stack: its tasks that are queued already must not run in a dead instance. */
  #replaceIfDead(): void {
    const error = this.#crash;
    if (error === undefined || this.#depth > 0 || this.#restartFailed) return;
    this.#generation += 1;
    try {
      this.#restart();
    } catch {
      // No room for another instance now: the next call tries again and says so.
      this.#restartFailed = true;
    }
    for (const listener of this.#crashListeners) listener(error);
  }

  #restart(): void {
    try {
      this.glue.__wbg_reset_state();
      this.#listen();
    } catch (cause) {
      throw new MnemographError({
        code: "E_RUNTIME_CRASHED",
        message: `The runtime crashed and could not be started again: ${describeThrown(cause)}`,
        hint: "Reload the page. What was stored is safe.",
        cause,
      });
    }
    this.#crash = undefined;
    this.#restartFailed = false;
  }
}

/** Loads one engine for the page, shared by all who ask; a failed attempt can be repeated. */
export function engineLoader(
  glue: () => Promise<Glue>,
  place: () => URL,
): (source?: WasmSource) => Promise<Engine> {
  let shared: Promise<Engine> | undefined;
  return (source) => {
    shared ??= glue()
      .then((loaded) => Engine.load(loaded, source ?? place()))
      .catch((error: unknown) => {
        shared = undefined;
        throw error;
      });
    return shared;
  };
}

/** True for what a module throws when it cannot go on: traps, and a stack that is full. */
function isTrap(thrown: unknown): boolean {
  if (typeof WebAssembly === "object" && thrown instanceof WebAssembly.RuntimeError) return true;
  // V8 and JavaScriptCore throw a RangeError for a full stack, SpiderMonkey an InternalError.
  return (
    thrown instanceof RangeError ||
    (thrown instanceof Error && thrown.name === "InternalError" && /recursion/.test(thrown.message))
  );
}

interface NodeEvents {
  on?(event: "uncaughtExceptionMonitor", listener: (error: unknown) => void): void;
}

const watched = new Set<Engine>();

/** The module's own tasks run from the event loop: a trap there reaches nobody but these events. */
function watchUncaught(engine: Engine): void {
  watched.add(engine);
  if (watched.size > 1) return;
  const tell = (error: unknown): void => {
    for (const each of watched) each.uncaught(error);
  };
  if (typeof globalThis.addEventListener === "function") {
    globalThis.addEventListener("error", (event) => tell((event as ErrorEvent).error));
    return;
  }
  const { process } = globalThis as { process?: NodeEvents };
  process?.on?.("uncaughtExceptionMonitor", tell);
}
