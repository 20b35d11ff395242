import { type ReadonlySignal, signal } from "@preact/signals";
import type { RunEvent } from "mnemograph";

/** Events that follow one another and say the same: deltas of one node are one row. */
export interface TraceRow {
  key: string;
  event: RunEvent;
  /** How many events the row stands for. */
  count: number;
  /** The joined text of deltas. */
  text?: string;
}

export interface TraceRun {
  id: string;
  thread: string;
  startedAt: number;
  /** Absent while it runs. */
  ending?: "finished" | "failed" | "cancelled" | "limit";
  endedAt?: number;
  rows: readonly TraceRow[];
  events: readonly RunEvent[];
  /** Events that were dropped because the run had too many to keep. */
  dropped: number;
}

/** What happened lately, newest run last. In memory only: a reload forgets it. */
export interface Trace {
  runs: ReadonlySignal<readonly TraceRun[]>;
  add(event: RunEvent): void;
  clear(): void;
}

const MAX_RUNS = 20;
const MAX_EVENTS = 4_000;

export function createTrace(): Trace {
  const runs = signal<readonly TraceRun[]>([]);

  /** Events of one frame are added together: one change of the signal, one rendering. */
  let pending: RunEvent[] = [];
  function flush(): void {
    const events = pending;
    pending = [];
    runs.value = events.reduce(withEvent, runs.peek());
  }

  return {
    runs,
    add: (event) => {
      pending.push(event);
      if (pending.length === 1) queueMicrotask(flush);
    },
    clear: () => {
      runs.value = runs.peek().filter((run) => run.ending === undefined);
    },
  };
}

function withEvent(runs: readonly TraceRun[], event: RunEvent): readonly TraceRun[] {
  const at = runs.findIndex((run) => run.id === event.run_id);
  const run = runs[at];
  if (run === undefined) return [...runs, extend(begin(event), event)].slice(-MAX_RUNS);
  return runs.map((item, index) => (index === at ? extend(run, event) : item));
}

function begin(event: RunEvent): TraceRun {
  return {
    id: event.run_id,
    thread: event.thread_id,
    startedAt: event.t,
    rows: [],
    events: [],
    dropped: 0,
  };
}

function extend(run: TraceRun, event: RunEvent): TraceRun {
  const ending = endingOf(event);
  const closed = ending === undefined ? {} : { ending, endedAt: event.t };
  if (run.events.length >= MAX_EVENTS && ending === undefined) {
    return { ...run, dropped: run.dropped + 1 };
  }
  return {
    ...run,
    ...closed,
    events: [...run.events, event],
    rows: withRow(run.rows, event),
  };
}

function withRow(rows: readonly TraceRow[], event: RunEvent): TraceRow[] {
  const text = deltaText(event);
  const last = rows.at(-1);
  if (text !== undefined && last !== undefined && continues(last.event, event)) {
    const joined = { ...last, count: last.count + 1, text: (last.text ?? "") + text };
    return [...rows.slice(0, -1), joined];
  }
  const row: TraceRow = { key: `${event.run_id}/${event.seq}`, event, count: 1 };
  return [...rows, text === undefined ? row : { ...row, text }];
}

function continues(last: RunEvent, next: RunEvent): boolean {
  if (last.type !== next.type || last.node !== next.node) return false;
  return last.type !== "token" || next.type !== "token" || last.data.channel === next.data.channel;
}

function deltaText(event: RunEvent): string | undefined {
  return event.type === "token" || event.type === "reasoning_token" ? event.data.text : undefined;
}

function endingOf(event: RunEvent): TraceRun["ending"] {
  switch (event.type) {
    case "run_finished":
      return "finished";
    case "run_failed":
      return "failed";
    case "run_cancelled":
      return "cancelled";
    case "run_limit":
      return "limit";
    default:
      return undefined;
  }
}
