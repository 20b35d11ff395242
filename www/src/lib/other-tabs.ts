/** What this page's tabs tell each other. Ids only, never text. */
type Word =
  | { kind: "changed"; thread: string }
  | { kind: "who"; run: string }
  | { kind: "me"; run: string };

/** The other tabs of the playground in this browser. */
export interface OtherTabs {
  /** Tells them that a conversation, or what is remembered of it, is not as it was. */
  changed(thread: string): void;
  onChange(listener: (thread: string) => void): void;
  /** Says which runs are this tab's own, should another tab ask. */
  ownRuns(has: (run: string) => boolean): void;
  /** True if one of them is answering this run; without an answer nobody is. */
  runs(run: string): Promise<boolean>;
}

const NAME = "mnemograph-playground";
const PATIENCE_MS = 250;

export function createOtherTabs(): OtherTabs {
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(NAME) : undefined;
  const listeners: ((thread: string) => void)[] = [];
  const waiting = new Map<string, { found: () => void; answer: Promise<boolean> }>();
  let isOwn = (_run: string): boolean => false;

  const say = (word: Word): void => channel?.postMessage(word);
  channel?.addEventListener("message", ({ data }: MessageEvent<Word>) => {
    if (data.kind === "changed") for (const listener of listeners) listener(data.thread);
    else if (data.kind === "me") waiting.get(data.run)?.found();
    else if (isOwn(data.run)) say({ kind: "me", run: data.run });
  });

  return {
    changed: (thread) => say({ kind: "changed", thread }),
    onChange: (listener) => void listeners.push(listener),
    ownRuns: (has) => {
      isOwn = has;
    },
    runs: (run) => waiting.get(run)?.answer ?? ask(run),
  };

  function ask(run: string): Promise<boolean> {
    let found = (): void => {};
    const answer = new Promise<boolean>((resolve) => {
      found = () => resolve(true);
      setTimeout(() => resolve(false), PATIENCE_MS);
    }).finally(() => waiting.delete(run));
    waiting.set(run, { found, answer });
    say({ kind: "who", run });
    return answer;
  }
}
