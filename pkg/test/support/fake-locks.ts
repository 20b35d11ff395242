interface Waiter {
  grant: () => void;
}

interface Held {
  steal: () => void;
}

/** The browser's LockManager as far as turns use it: exclusive, first come first served, `steal`, `signal`. */
export class FakeLocks {
  readonly #held = new Map<string, Held>();
  readonly #waiting = new Map<string, Waiter[]>();

  names(): string[] {
    return [...this.#held.keys()];
  }

  request(
    name: string,
    options: { signal?: AbortSignal; ifAvailable?: boolean; steal?: boolean },
    callback: (lock: object | null) => unknown,
  ): Promise<unknown> {
    if (options.steal) this.#held.get(name)?.steal();
    if (!this.#held.has(name)) return this.#grant(name, callback);
    if (options.ifAvailable) return Promise.resolve(callback(null));
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, queue);
      const waiter: Waiter = { grant: () => resolve(this.#grant(name, callback)) };
      queue.push(waiter);
      const leave = (): void => {
        const place = queue.indexOf(waiter);
        if (place < 0) return;
        queue.splice(place, 1);
        reject(options.signal?.reason);
      };
      if (options.signal?.aborted) leave();
      else options.signal?.addEventListener("abort", leave);
    });
  }

  #grant(name: string, callback: (lock: object | null) => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const held: Held = {
        steal: () => {
          this.#held.delete(name);
          reject(new DOMException("The lock was stolen.", "AbortError"));
        },
      };
      this.#held.set(name, held);
      Promise.resolve(callback({ name })).then((value) => {
        if (this.#held.get(name) === held) {
          this.#held.delete(name);
          this.#waiting.get(name)?.shift()?.grant();
        }
        resolve(value);
      }, reject);
    });
  }
}
