import type { JSX } from "preact";
import { FailureCode, Notice } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import { Questions } from "./questions.tsx";
import { RichText } from "./rich-text.tsx";
import { ToolCard } from "./tool-card.tsx";
import type { Turn } from "./turn.ts";

export interface TurnViewProps {
  turn: Turn;
  /** True if this tab is answering it now. */
  live: boolean;
  /** Only the last turn can be tried again. */
  last: boolean;
}

export function TurnView({ turn, live, last }: TurnViewProps): JSX.Element {
  return (
    <article class="turn" data-testid="turn" data-status={turn.status}>
      <div class="message message-user" data-testid="user-message">
        <h3 class="visually-hidden">You</h3>
        <p dir="auto">{turn.user}</p>
      </div>
      <div class="message message-answer" data-testid="answer">
        <h3 class="visually-hidden">Answer</h3>
        {turn.items.map((item, index) =>
          item.kind === "tool" ? (
            <ToolCard key={index} item={item} />
          ) : (
            <RichText key={index} text={item.text} />
          ),
        )}
        {live && <Activity turn={turn} />}
        <Ending turn={turn} live={live} last={last} />
      </div>
    </article>
  );
}

/** What is going on, until the first word of the answer stands there. */
function Activity({ turn }: { turn: Turn }): JSX.Element | null {
  const item = turn.items.at(-1);
  if (turn.status !== "running" || item?.kind === "text") return null;
  const text = item?.state === "running" ? `Calling ${item.name}` : "Thinking";
  return (
    <p class="activity" data-testid="activity">
      <span class="pulse" aria-hidden="true" />
      {text}…
    </p>
  );
}

function Ending({ turn, live, last }: TurnViewProps): JSX.Element | null {
  if (turn.status === "failed" && turn.failure !== undefined) {
    return <Failed turn={turn} last={last} />;
  }
  if (turn.status === "waiting") return <Questions run={turn.id} />;
  if (turn.status === "aborted") {
    return (
      <p class="mark" data-testid="interrupted">
        <Icon name="alert" size={14} /> Interrupted
      </p>
    );
  }
  if (turn.status === "running" && !live) {
    return (
      <p class="mark" data-testid="elsewhere">
        <span class="pulse" aria-hidden="true" /> Being answered in another tab
      </p>
    );
  }
  return null;
}

function Failed({ turn, last }: { turn: Turn; last: boolean }): JSX.Element | null {
  const { chat, layout } = usePlayground();
  const { failure } = turn;
  if (failure === undefined) return null;
  return (
    <Notice tone="error" alert={!turn.recorded} title={failure.message} testId="turn-error">
      {failure.hint !== undefined && <p>{failure.hint}</p>}
      <FailureCode failure={failure} />
      {last && (
        <div class="notice-actions">
          <button
            type="button"
            class="button"
            data-testid="retry"
            onClick={() => void chat.send(turn.user)}
          >
            <Icon name="refresh" /> Try again
          </button>
          {failure.code?.startsWith("E_LLM") && (
            <button type="button" class="button" onClick={() => layout.open("settings")}>
              Settings
            </button>
          )}
        </div>
      )}
    </Notice>
  );
}
