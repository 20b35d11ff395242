import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Answer, Run, Thread, WaitingRun } from "mnemograph";
import type { Opened, Session } from "../app/session.ts";
import { type Failure, toFailure } from "../lib/failure.ts";
import { toTitle } from "../lib/format.ts";
import { randomId } from "../lib/ids.ts";
import type { OtherTabs } from "../lib/other-tabs.ts";
import { readPreference, textOr, writePreference } from "../lib/preferences.ts";
import { applyEvent, fail, fromTranscript, settleTurn, startTurn, type Turn } from "./turn.ts";

/** The conversations of the chosen example. */
export interface Chat {
  /** Id of the conversation that is shown. */
  thread: ReadonlySignal<string>;
  turns: ReadonlySignal<readonly Turn[]>;
  threads: ReadonlySignal<readonly Thread[]>;
  /** True while this tab is answering in the conversation that is shown. */
  answering: ReadonlySignal<boolean>;
  /** True if the transcript begins before what is shown. */
  hasEarlier: ReadonlySignal<boolean>;
  /** True until the transcript is there. */
  loading: ReadonlySignal<boolean>;
  /** A fault outside of any turn, such as a transcript that cannot be read. */
  failure: ReadonlySignal<Failure | undefined>;
  /** What a screen reader is told: a few words at the borders of a turn, never the tokens. */
  announcement: ReadonlySignal<string>;
  /** Raised whenever a run has ended. */
  finished: ReadonlySignal<number>;
  /** The run of this conversation that waits for a person. */
  waiting: ReadonlySignal<WaitingRun | undefined>;
  /** Says something: a new message, or the answer to a question that is open. */
  send(text: string): Promise<void>;
  /** Answers what the waiting run asks. */
  answer(answer: Answer): Promise<void>;
  stop(): void;
  showEarlier(): Promise<void>;
  startNew(): void;
  select(thread: string): void;
  rename(thread: string, title: string): Promise<void>;
  remove(thread: string): Promise<void>;
  /** Reads again what other tabs may have changed. */
  refresh(): Promise<void>;
}

/** Turns that are read at once. */
const PAGE = 60;

export function createChat(session: Session, tabs: OtherTabs): Chat {
  const thread = signal("");
  const conversations = signal<ReadonlyMap<string, readonly Turn[]>>(new Map());
  const threads = signal<readonly Thread[]>([]);
  const loading = signal(true);
  const failure = signal<Failure | undefined>(undefined);
  const announcement = signal("");
  const finished = signal(0);
  const hasEarlier = signal(false);
  const waiting = signal<WaitingRun | undefined>(undefined);
  let wanted = PAGE;
  const runs = signal<ReadonlyMap<string, Run>>(new Map());

  const turns = computed(() => conversations.value.get(thread.value) ?? []);
  const activeRun = computed(() =>
    turns.value.map((turn) => runs.value.get(turn.id)).find((run) => run !== undefined),
  );

  tabs.ownRuns((run) => runs.peek().has(run));

  let runtime: Opened["runtime"] | undefined;
  effect(() => {
    const opened = session.opened.value;
    if (opened?.runtime !== runtime) conversations.value = new Map();
    runtime = opened?.runtime;
    threads.value = [];
    if (opened !== undefined) void show(opened, rememberedThread(opened.example.id));
  });

  function show(opened: Opened, id: string): Promise<void> {
    if (thread.peek() !== id) wanted = PAGE;
    thread.value = id;
    writePreference(`thread.${opened.example.id}`, id);
    loading.value = !conversations.peek().has(id);
    return refresh();
  }

  async function refresh(): Promise<void> {
    const opened = session.opened.peek();
    const id = thread.peek();
    if (opened === undefined) return;
    try {
      const [entries, list, waitingRuns] = await Promise.all([
        opened.runtime.threads.transcript(id, { limit: wanted + 1 }),
        opened.runtime.threads.list(),
        opened.runtime.waiting({ thread: id }),
      ]);
      if (thread.peek() === id) waiting.value = waitingRuns[0];
      const shown = entries.slice(-wanted).map(fromTranscript);
      const recorded = await Promise.all(shown.map(settle));
      if (session.opened.peek() !== opened) return;
      if (thread.peek() === id) hasEarlier.value = entries.length > shown.length;
      threads.value = list
        .filter((item) => item.id.startsWith(threadPrefix(opened.example.id)))
        .sort((a, b) => b.updated_at - a.updated_at);
      setTurns(id, merge(conversations.peek().get(id) ?? [], recorded));
      failure.value = undefined;
    } catch (error) {
      if (session.opened.peek() === opened) failure.value = toFailure(error);
    } finally {
      if (thread.peek() === id) loading.value = false;
    }
  }

  /** A recorded turn that nobody is answering any more was cut off, with its tab or its browser. */
  async function settle(turn: Turn): Promise<Turn> {
    if (turn.status !== "running" || runs.peek().has(turn.id)) return turn;
    if (waiting.peek()?.run_id === turn.id) return { ...turn, status: "waiting" };
    return (await tabs.runs(turn.id)) ? turn : { ...turn, status: "aborted" };
  }

  /**
   * What this tab saw of a run says more than the transcript, which holds no tool calls and no error text.
   * A turn that has ended does not change any more.
   */
  function merge(known: readonly Turn[], recorded: readonly Turn[]): Turn[] {
    const seen = new Map(known.map((turn) => [turn.id, turn]));
    const ids = new Set(recorded.map((turn) => turn.id));
    const merged = recorded.map((turn) => {
      const own = seen.get(turn.id);
      return own !== undefined && !own.recorded ? own : turn;
    });
    for (const [index, turn] of known.entries()) {
      if (ids.has(turn.id)) continue;
      if (runs.peek().has(turn.id)) merged.push(turn);
      // A run that was refused before it began is in no transcript: it stays where it was.
      else if (!turn.recorded && turn.status === "failed") {
        const before = merged.findIndex((item) => item.id === known[index - 1]?.id);
        merged.splice(before + 1, 0, turn);
      }
    }
    return merged;
  }

  function setTurns(id: string, value: readonly Turn[]): void {
    conversations.value = new Map(conversations.peek()).set(id, value);
  }

  function update(id: string, turnId: string, change: (turn: Turn) => Turn): void {
    const current = conversations.peek().get(id);
    if (current === undefined) return;
    setTurns(
      id,
      current.map((turn) => (turn.id === turnId ? change(turn) : turn)),
    );
  }

  async function send(text: string): Promise<void> {
    const opened = session.opened.peek();
    const id = thread.peek();
    if (opened === undefined || text.trim() === "" || activeRun.peek() !== undefined) return;
    const question = waiting.peek()?.interrupts.find(({ kind }) => kind === "question");
    if (question !== undefined) return answer({ interrupt: question.id, data: text });
    const run = opened.graph.run({ text, thread: id });
    setTurns(id, [...(conversations.peek().get(id) ?? []), startTurn(run.id, text, Date.now())]);
    await follow(id, run);
    await nameThread(opened, id, text);
    await refresh();
  }

  async function answer(given: Answer): Promise<void> {
    const opened = session.opened.peek();
    const id = thread.peek();
    const open = waiting.peek();
    if (opened === undefined || open === undefined || activeRun.peek() !== undefined) return;
    try {
      const run = await opened.runtime.resume(open.run_id, given);
      waiting.value = undefined;
      await follow(id, run);
    } catch (error) {
      failure.value = toFailure(error);
    }
    await refresh();
  }

  /** Shows a run as it goes on. */
  async function follow(id: string, run: Run): Promise<void> {
    runs.value = new Map(runs.peek()).set(run.id, run);
    announcement.value = "Answering";
    try {
      for await (const event of run) {
        update(id, run.id, (turn) => applyEvent(turn, event));
      }
      const result = await run.result;
      update(id, run.id, (turn) => settleTurn(turn, result));
    } catch (error) {
      update(id, run.id, (turn) => fail(turn, error));
    } finally {
      const rest = new Map(runs.peek());
      rest.delete(run.id);
      runs.value = rest;
      announcement.value = ending(
        conversations
          .peek()
          .get(id)
          ?.find((turn) => turn.id === run.id),
      );
    }
    finished.value += 1;
  }

  /** A conversation is called after its first message until somebody renames it. */
  async function nameThread(opened: Opened, id: string, text: string): Promise<void> {
    try {
      const record = await opened.runtime.threads.get(id);
      if (record !== undefined && (record.title ?? "") === "") {
        await opened.runtime.threads.rename(id, toTitle(text));
      }
    } catch {
      // A title is a convenience; the conversation itself is stored.
    }
  }

  async function remove(id: string): Promise<void> {
    const opened = session.opened.peek();
    if (opened === undefined) return;
    await opened.runtime.threads.delete(id);
    if (thread.peek() === id) await show(opened, newThread(opened.example.id));
    else await refresh();
  }

  return {
    thread,
    turns,
    threads,
    loading,
    failure,
    hasEarlier,
    showEarlier: () => {
      wanted += PAGE;
      return refresh();
    },
    announcement,
    finished,
    answering: computed(() => activeRun.value !== undefined),
    waiting,
    send,
    answer,
    refresh,
    remove,
    stop: () => activeRun.peek()?.cancel("stopped by the person"),
    startNew: () => {
      const opened = session.opened.peek();
      if (opened !== undefined) void show(opened, newThread(opened.example.id));
    },
    select: (id) => {
      const opened = session.opened.peek();
      if (opened !== undefined) void show(opened, id);
    },
    rename: async (id, title) => {
      await session.opened.peek()?.runtime.threads.rename(id, title);
      await refresh();
    },
  };
}

/** Conversations of one example are told from those of another by the beginning of their id. */
function threadPrefix(exampleId: string): string {
  return `${exampleId}:`;
}

function newThread(exampleId: string): string {
  return threadPrefix(exampleId) + randomId();
}

function rememberedThread(exampleId: string): string {
  const stored = textOr("")(readPreference(`thread.${exampleId}`));
  return stored.startsWith(threadPrefix(exampleId)) ? stored : newThread(exampleId);
}

function ending(turn: Turn | undefined): string {
  if (turn?.status === "aborted") return "Stopped";
  if (turn?.status === "waiting") return "Your answer is needed";
  return turn?.status === "complete" ? "Answer complete" : "";
}
