import type { StateMessage, StateNode, Summary } from "mnemograph";
import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { ConfirmDialog } from "../app/confirm-dialog.tsx";
import { CopyButton, FailureCode, Notice } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import { formatBytes, plural } from "../lib/format.ts";
import type { NodeState } from "./memory-state.ts";
import { StoredMessage } from "./stored-message.tsx";

const SCOPES: Record<StateNode["scope"], string> = {
  thread: "kept as long as the conversation, in the database",
  session: "kept for one run, in memory",
  call: "starts empty at every access; nothing is kept",
};

/** Messages that are drawn at once, the latest first to be seen. */
const PAGE = 100;

export function NodeCard({ state }: { state: NodeState }): JSX.Element {
  const { memory } = usePlayground();
  const [asking, setAsking] = useState(false);
  const { node, view, failure } = state;
  const title = node.title ?? node.node;
  const count = view?.count ?? 0;
  const inView = view?.messages.filter((message) => message.in_view).length ?? 0;
  return (
    <section class="node-card" aria-label={title} data-testid="state-node" data-node={node.node}>
      <header class="node-head">
        <div>
          <h3>{title}</h3>
          <p class="node-type">
            <code>{node.type}</code>
          </p>
        </div>
        <button
          type="button"
          class="button button-danger-quiet"
          data-testid="clear-state"
          disabled={node.scope !== "thread"}
          onClick={() => setAsking(true)}
        >
          <Icon name="trash" /> Clear state
        </button>
      </header>
      <dl class="facts">
        <dt>Scope</dt>
        <dd data-testid="state-scope">
          <strong>{node.scope}</strong> – {SCOPES[node.scope]}
        </dd>
        <dt>Stored</dt>
        <dd data-testid="state-count">
          {amount(node.kind, count, inView)}, {formatBytes(view?.bytes ?? 0)}
        </dd>
        {node.scope === "thread" && view !== undefined && (
          <>
            <dt>Key</dt>
            <dd class="node-key">
              <code data-testid="state-key">{JSON.stringify(view.storage_key)}</code>
              <CopyButton
                label="Copy the storage key"
                text={() => JSON.stringify(view.storage_key)}
              />
            </dd>
          </>
        )}
      </dl>
      {failure !== undefined && (
        <Notice tone="error" title={failure.message}>
          <FailureCode failure={failure} />
        </Notice>
      )}
      {view?.summary !== undefined && <Notes summary={view.summary} />}
      {node.kind === "variable" && view !== undefined && (
        <p data-testid="state-value">
          <code>{JSON.stringify(view.value ?? null)}</code>{" "}
          <span class="node-type">{view.value_type}</span>
        </p>
      )}
      {view?.dictionary !== undefined && <Dictionary values={view.dictionary} />}
      {view !== undefined && node.kind === "messages" && <Messages state={state} />}
      {asking && (
        <ConfirmDialog
          title="Clear this memory?"
          action="Clear state"
          onConfirm={() => memory.clear(node.node)}
          onClose={() => setAsking(false)}
        >
          <p>
            “{title}” forgets what it holds of this conversation ({amount(node.kind, count)}). The
            next message is answered without it. What the chat shows stays.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** What the model is sent in place of the older messages. */
function Notes({ summary }: { summary: Summary }): JSX.Element {
  return (
    <section class="notes" aria-label="Notes on the older messages" data-testid="state-summary">
      <h4>
        Notes on the first {plural(summary.covers_count, "message")}{" "}
        <span class="node-type">by {summary.model}</span>
      </h4>
      <p class="notes-text">{summary.text}</p>
    </section>
  );
}

/** How much a node holds. */
function amount(kind: StateNode["kind"], count: number, inView?: number): string {
  if (kind === "dictionary") return plural(count, "key");
  if (kind === "variable") return count === 0 ? "nothing: its default holds" : "a value";
  const messages = plural(count, "message");
  return inView === undefined ? messages : `${messages}, ${inView} in view`;
}

/** What an agent keeps for itself. */
function Dictionary({ values }: { values: Record<string, unknown> }): JSX.Element {
  const entries = Object.entries(values);
  if (entries.length === 0) {
    return (
      <p class="empty" data-testid="state-empty">
        The agent keeps nothing yet.
      </p>
    );
  }
  return (
    <dl class="facts" data-testid="state-dictionary">
      {entries.map(([key, value]) => (
        <Fragment key={key}>
          <dt>{key}</dt>
          <dd>
            <code>{JSON.stringify(value)}</code>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Messages({ state }: { state: NodeState }): JSX.Element {
  const { memory } = usePlayground();
  const [shown, setShown] = useState(PAGE);
  const [asked, setAsked] = useState<Removal | undefined>(undefined);
  const messages = state.view?.messages ?? [];
  if (messages.length === 0) {
    return (
      <p class="empty" data-testid="state-empty">
        {state.node.scope === "thread"
          ? "Nothing is remembered yet."
          : "Nothing is ever stored here."}
      </p>
    );
  }
  const first = Math.max(0, messages.length - shown);
  const last = messages.at(-1)?.round;
  const editable = state.node.scope === "thread";
  return (
    <>
      {first > 0 && (
        <button type="button" class="link more" onClick={() => setShown(shown + PAGE)}>
          Show {plural(Math.min(PAGE, first), "earlier message")}
        </button>
      )}
      <ol class="stored">
        {messages.slice(first).map((message, index) => (
          <StoredMessage key={message.id} message={message} position={first + index + 1}>
            {editable && endsRound(messages, first + index) && (
              <RoundActions round={message.round} isLast={message.round === last} ask={setAsked} />
            )}
          </StoredMessage>
        ))}
      </ol>
      {asked !== undefined && (
        <ConfirmDialog
          title={asked.what === "round" ? "Delete this round?" : "Delete what follows?"}
          action="Delete"
          onConfirm={() => memory.remove(state.node.node, asked.what, asked.round)}
          onClose={() => setAsked(undefined)}
        >
          <p>The next message is answered without it. What the chat shows stays.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** What a person wants to take away: a round, or all that came after it. */
interface Removal {
  what: "round" | "later";
  round: string;
}

function endsRound(messages: readonly StateMessage[], index: number): boolean {
  return messages[index]?.round !== messages[index + 1]?.round;
}

interface RoundActionsProps {
  round: string | undefined;
  isLast: boolean;
  ask: (removal: Removal) => void;
}

/** Below the last message of a round. */
function RoundActions({ round, isLast, ask }: RoundActionsProps): JSX.Element | null {
  if (round === undefined) return null;
  return (
    <p class="stored-actions">
      <button type="button" class="link" onClick={() => ask({ what: "round", round })}>
        Delete round
      </button>
      {!isLast && (
        <button type="button" class="link" onClick={() => ask({ what: "later", round })}>
          Delete what follows
        </button>
      )}
    </p>
  );
}
