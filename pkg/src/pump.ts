import type { Batch } from "./types.js";

/** Runs what was pushed, in order, when its time has come; never on the stack of who pushed it. */
export class Pump {
  readonly #batch: Batch;
  #jobs: (() => void)[] = [];
  #scheduled = false;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  push(job: () => void): void {
    this.#jobs.push(job);
    if (this.#scheduled) return;
    this.#scheduled = true;
    schedule(this.#batch, () => this.flush());
  }

  /** As {@link push}, with everything before it, and without waiting for the frame or the timer. */
  pushNow(job: () => void): void {
    this.#jobs.push(job);
    queueMicrotask(() => this.flush());
  }

  flush(): void {
    this.#scheduled = false;
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) job();
  }
}

/** A hidden page draws no frames: then a timer delivers. */
const HIDDEN_MS = 250;

function schedule(batch: Batch, flush: () => void): void {
  if (batch === "microtask") queueMicrotask(flush);
  else if (batch === "frame") atFrame(flush);
  else setTimeout(flush, batch);
}

function atFrame(flush: () => void): void {
  if (typeof requestAnimationFrame !== "function") {
    setTimeout(flush, 16);
    return;
  }
  let frame = 0;
  const timer = setTimeout(() => {
    cancelAnimationFrame(frame);
    flush();
  }, HIDDEN_MS);
  frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    flush();
  });
}
