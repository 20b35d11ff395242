import type { Engine } from "./engine.js";
import { MnemographError, toMnemographError } from "./errors.js";
import type { Glue, HandleConfig, Host, RuntimeHandle } from "./handle.js";

/** An open handle and the instance it lives in. */
export interface Opened {
  handle: RuntimeHandle;
  generation: number;
}

/**
 * One runtime's handle in whatever instance is alive. It owns every call that waits: a crash rejects them all,
 * and the next call opens a handle in the next instance, on the same database.
 */
export class Session {
  readonly #engine: Engine;
  readonly #config: HandleConfig;
  readonly #host: Host;
  readonly #adapter: unknown;
  readonly #waiting = new Set<(error: MnemographError) => void>();
  readonly #stopListening: () => void;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #closed = false;

  constructor(engine: Engine, config: HandleConfig, host: Host, adapter: unknown) {
    this.#engine = engine;
    this.#config = config;
    this.#host = host;
    this.#adapter = adapter;
    this.#stopListening = engine.onCrash((error) => this.#crashed(error));
  }

  /** Opens the handle, or gives the open one. Rejects with `E_CLOSED`, `E_STORE_…` or `E_RUNTIME_CRASHED`. */
  open(): Promise<Opened> {
    if (this.#closed) return Promise.reject(closed());
    this.#opening ??= this.#start();
    return this.#opening;
  }

  /** Calls the module and waits. Rejects with the module's error, `E_CLOSED` or `E_RUNTIME_CRASHED`. */
  async call<T>(use: (opened: Opened) => T | Promise<T>): Promise<T> {
    const opened = await this.open();
    return this.#owned(() => this.enter(() => use(opened)));
  }

  /** Calls a function of the module that needs no database. Rejects as {@link Session.call} does. */
  async pure<T>(use: (glue: Glue) => T): Promise<T> {
    if (this.#closed) throw closed();
    return this.enter(() => use(this.#engine.glue));
  }

  /** Calls the module at once. Throws the module's error as one of this package. */
  enter<T>(use: () => T): T {
    try {
      return this.#engine.enter(use);
    } catch (thrown) {
      throw toMnemographError(thrown);
    }
  }

  /** Tells the module something if it is there; an answer to a dead instance concerns nobody. */
  tell(use: (handle: RuntimeHandle) => void): void {
    const opened = this.#opened;
    if (opened === undefined || opened.generation !== this.#engine.generation) return;
    try {
      this.#engine.enter(() => use(opened.handle));
    } catch {
      // A trap has already been told to everyone who waits.
    }
  }

  /** Closes the handle and rejects whoever still waits. Never rejects. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#closed = true;
    try {
      const opened = await opening;
      if (opened && opened.generation === this.#engine.generation) {
        await this.#owned(() => this.#engine.enter(() => opened.handle.close()));
      }
    } catch {
      // It never opened, or the instance died: there is nothing left to close.
    }
    this.#stopListening();
    this.#rejectAll(closed());
  }

  async #start(): Promise<Opened> {
    const { generation, glue } = this.#engine;
    try {
      const handle = await this.#owned(() =>
        this.enter(() => glue.RuntimeHandle.open(this.#config, this.#host, this.#adapter)),
      );
      this.#opened = { handle, generation };
      return this.#opened;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #owned<T>(start: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      const settle = (action: () => void): void => {
        this.#waiting.delete(reject);
        action();
      };
      try {
        Promise.resolve(start()).then(
          (value) => settle(() => resolve(value)),
          (thrown: unknown) => settle(() => reject(toMnemographError(thrown))),
        );
      } catch (thrown) {
        settle(() => reject(toMnemographError(thrown)));
      }
    });
  }

  #crashed(error: MnemographError): void {
    this.#opening = undefined;
    this.#opened = undefined;
    this.#rejectAll(error);
  }

  #rejectAll(error: MnemographError): void {
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** The error of a call on a closed runtime. */
export function closed(): MnemographError {
  return new MnemographError({
    code: "E_CLOSED",
    message: "The runtime is closed.",
    hint: "Make another with createRuntime; what was stored is still there.",
  });
}
