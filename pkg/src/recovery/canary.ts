import type { Witness } from "../types.js";

/** What is known of a database outside of it. It holds no text and no ids of conversations. */
export interface Canary {
  store_generation: string;
  threads: number;
  rounds: number;
}

/**
 * The canary of a database: in the page's localStorage, and with the host's witness where there is one. Its absence is a
 * state, never an error: workers have no localStorage, and browsers deny it.
 */
export class CanaryKeeper {
  readonly #name: string;
  readonly #witness: Witness | undefined;

  constructor(database: string, witness: Witness | undefined) {
    this.#name = `mnemograph:${encodeURIComponent(database)}:canary`;
    this.#witness = witness;
  }

  /** True if something can be kept. */
  get isPossible(): boolean {
    return this.#witness !== undefined || pageStorage() !== undefined;
  }

  /** What is known; the host's witness survives more than the page does. Rejects with what the witness throws. */
  async read(): Promise<Canary | undefined> {
    const witnessed = parse(await this.#witness?.get());
    if (witnessed !== undefined) return witnessed;
    try {
      return parse(pageStorage()?.getItem(this.#name));
    } catch {
      return undefined;
    }
  }

  /** Forgets it. Rejects with what the witness throws. */
  async erase(): Promise<void> {
    try {
      pageStorage()?.removeItem(this.#name);
    } catch {
      // Denied: there is none.
    }
    // A witness has no other way of forgetting.
    await this.#witness?.set("");
  }

  /** Keeps it. Rejects with what the witness throws. */
  async write(canary: Canary): Promise<void> {
    const text = JSON.stringify({ v: 1, ...canary });
    try {
      pageStorage()?.setItem(this.#name, text);
    } catch {
      // Full: the canary of before is as good for telling a loss.
    }
    await this.#witness?.set(text);
  }
}

function pageStorage(): Storage | undefined {
  try {
    return typeof localStorage === "object" && localStorage !== null ? localStorage : undefined;
  } catch {
    // In a sandboxed frame reading the property throws.
    return undefined;
  }
}

function parse(text: unknown): Canary | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const { v, store_generation, threads, rounds } = JSON.parse(text) as Record<string, unknown>;
    const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
    if (v !== 1 || typeof store_generation !== "string") return undefined;
    if (!isNumber(threads) || !isNumber(rounds)) return undefined;
    return { store_generation, threads, rounds };
  } catch {
    return undefined;
  }
}
