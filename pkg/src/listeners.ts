/** Reports a throw of the page's own code where the page looks for such: its error events, or the console. */
export function reportToPage(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
  else console.error(error);
}

/** Listeners by the name of what they hear. One that throws is reported and stops nothing. */
export class Listeners<Events extends object> {
  readonly #byName = new Map<keyof Events, Set<(value: never) => void>>();

  /** Returns how to stop listening. */
  add<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): () => void {
    const listeners = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** True if somebody heard it. */
  emit<K extends keyof Events>(name: K, value: Events[K]): boolean {
    const listeners = this.#byName.get(name);
    if (listeners === undefined || listeners.size === 0) return false;
    for (const listener of [...listeners]) {
      guarded(listener as (value: Events[K]) => void, value, reportToPage);
    }
    return true;
  }
}

/** Calls a listener; what it throws, or rejects with, is given to `report`. */
export function guarded<T>(
  listener: (value: T) => unknown,
  value: T,
  report: (error: unknown) => void,
): void {
  try {
    const result = listener(value);
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}
