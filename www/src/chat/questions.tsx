import type { Answer, Interrupt } from "mnemograph";
import type { JSX } from "preact";
import { Notice } from "../app/controls.tsx";
import { usePlayground } from "../app/playground.ts";

/** What a run that waits asks, with a button for each answer. A question is answered by the next message. */
export function Questions({ run }: { run: string }): JSX.Element | null {
  const { chat } = usePlayground();
  const waiting = chat.waiting.value;
  if (waiting?.run_id !== run) return null;
  return (
    <>
      {waiting.interrupts.map((interrupt) => (
        <Question key={interrupt.id} interrupt={interrupt} />
      ))}
    </>
  );
}

function Question({ interrupt }: { interrupt: Interrupt }): JSX.Element {
  const { chat } = usePlayground();
  const busy = chat.answering.value;
  const answer = (action: string): void => {
    const given: Answer = { interrupt: interrupt.id, action };
    void chat.answer(given);
  };
  return (
    <Notice tone="info" title={interrupt.prompt} testId="question">
      {interrupt.call !== undefined && <code>{JSON.stringify(interrupt.call.args)}</code>}
      {interrupt.kind === "question" ? (
        <p>Your next message is the answer.</p>
      ) : (
        <div class="notice-actions">
          {interrupt.actions.map((action) => (
            <button
              key={action}
              type="button"
              class="button"
              data-testid={`action-${action}`}
              disabled={busy}
              onClick={() => answer(action)}
            >
              {label(action)}
            </button>
          ))}
        </div>
      )}
    </Notice>
  );
}

/** `ask_a_colleague` → `Ask a colleague` */
function label(action: string): string {
  const words = action.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
