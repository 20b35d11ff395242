/** What the pages of a test say over HTTP: it is here whatever becomes of their browser. */

/** What never came. */
export class Hung extends Error {}

export class Told<T extends { tell: string; life: number }> {
  readonly #all: T[] = [];
  readonly #waiting = new Set<() => void>();

  /** For `serve`. */
  readonly hear = (text: string): void => {
    this.#all.push(JSON.parse(text) as T);
    for (const look of this.#waiting) look();
  };

  /** All of one kind that was said in these lives. */
  all<K extends T["tell"]>(kind: K, from: number, to = from): Extract<T, { tell: K }>[] {
    const isMeant = (tell: T): tell is Extract<T, { tell: K }> =>
      tell.tell === kind && tell.life >= from && tell.life <= to;
    return this.#all.filter(isMeant);
  }

  /**
   * What `look` finds, now or when more has been said. Rejects with {@link Hung} when so many milliseconds are over.
   */
  until<U>(find: () => U | undefined, within: number): Promise<U> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        over();
        resolve(found);
      };
      const timer = setTimeout(() => {
        over();
        reject(new Hung(`it was not heard of within ${within} ms`));
      }, within);
      const over = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
