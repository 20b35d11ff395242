/** Adding and removing a listener to `beforeunload` costs a browser more than a short run: it stays for so long. */
const LINGER_MS = 1_000;

/**
 * Calls back whenever the page may be about to go while something goes on. `pagehide` is the last moment, too late for
 * what takes a transaction: so it is told of `beforeunload`, and of the page being hidden, which on phones is often the
 * last that is heard. A listener to `beforeunload` keeps some browsers from caching the page, so an idle page has none.
 * Does nothing where there is no page.
 */
export class LeavingWatch {
  readonly #leave: () => void;
  #stop: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #active = false;

  constructor(leave: () => void) {
    this.#leave = () => {
      if (this.#active) leave();
    };
  }

  /** Something goes on. */
  start(): void {
    this.#active = true;
    this.#stop ??= listen(this.#leave);
  }

  /** Nothing goes on any more. */
  rest(): void {
    this.#active = false;
    if (this.#stop === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#active) this.#unlisten();
    }, LINGER_MS);
  }

  /** For good. */
  close(): void {
    this.#active = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unlisten();
  }

  #unlisten(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

function listen(leave: () => void): (() => void) | undefined {
  if (typeof document !== "object" || typeof addEventListener !== "function") return undefined;
  const hidden = (): void => {
    if (document.visibilityState === "hidden") leave();
  };
  addEventListener("beforeunload", leave);
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", hidden);
  return () => {
    removeEventListener("beforeunload", leave);
    removeEventListener("pagehide", leave);
    document.removeEventListener("visibilitychange", hidden);
  };
}
