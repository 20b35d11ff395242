/** Tabs ask each other who answers a run. Ids only, never text. */
interface Word {
  kind: "who" | "me";
  run: string;
}

/** The other tabs of the playground in this browser. */
export interface OtherTabs {
  /** Says which runs are this tab's own, should another tab ask. */
  ownRuns(has: (run: string) => boolean): void;
  /** True if one of them is answering this run; without an answer nobody is. */
  runs(run: string): Promise<boolean>;
}

const NAME = "mnemograph-playground";
const PATIENCE_MS = 250;

export function createOtherTabs(): OtherTabs {
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(NAME) : undefined;
  const waiting = new Map<string, { found: () => void; answer: Promise<boolean> }>();
  let isOwn = (_run: string): boolean => false;

  const say = (word: Word): void => channel?.postMessage(word);
  channel?.addEventListener("message", ({ data }: MessageEvent<Word>) => {
    if (data.kind === "me") waiting.get(data.run)?.found();
    else if (isOwn(data.run)) say({ kind: "me", run: data.run });
  });

  return {
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
