import type { Thread } from "mnemograph";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { ConfirmDialog } from "../app/confirm-dialog.tsx";
import { IconButton } from "../app/controls.tsx";
import { usePlayground } from "../app/playground.ts";
import { formatWhen } from "../lib/format.ts";

export function threadTitle(thread: Thread | undefined): string {
  return thread === undefined ? "New conversation" : thread.title || "Untitled conversation";
}

export function ThreadList(): JSX.Element {
  const { chat } = usePlayground();
  const [renaming, setRenaming] = useState<string | undefined>(undefined);
  const [removing, setRemoving] = useState<Thread | undefined>(undefined);
  const list = useRef<HTMLElement>(null);
  const threads = chat.threads.value;
  const now = Date.now();

  /** What had the focus is gone from the page: it goes on beside it, not at the page's beginning. */
  function focusNear(id?: string): void {
    const button = threads.findIndex((thread) => thread.id === id);
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll<HTMLElement>(".thread-button");
      (buttons?.item(Math.max(0, button)) ?? list.current)?.focus();
    });
  }

  return (
    <nav
      ref={list}
      class="threads"
      id="threads"
      aria-label="Conversations"
      tabIndex={-1}
      data-testid="thread-list"
    >
      {threads.length === 0 && <p class="empty">No conversation is stored yet.</p>}
      <ul>
        {threads.map((thread) => (
          <li key={thread.id} class="thread" data-testid="thread">
            {renaming === thread.id ? (
              <RenameForm
                thread={thread}
                onDone={(byKeyboard) => {
                  setRenaming(undefined);
                  if (byKeyboard) focusNear(thread.id);
                }}
              />
            ) : (
              <>
                <button
                  type="button"
                  class="thread-button"
                  aria-current={thread.id === chat.thread.value ? "true" : undefined}
                  onClick={() => chat.select(thread.id)}
                >
                  <span class="thread-title" dir="auto">
                    {threadTitle(thread)}
                  </span>
                  <span class="thread-time">{formatWhen(thread.updated_at, now)}</span>
                </button>
                <div class="thread-actions">
                  <IconButton
                    icon="pencil"
                    label={`Rename ${threadTitle(thread)}`}
                    testId="rename-thread"
                    onClick={() => setRenaming(thread.id)}
                  />
                  <IconButton
                    icon="trash"
                    label={`Delete ${threadTitle(thread)}`}
                    testId="delete-thread"
                    onClick={() => setRemoving(thread)}
                  />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      {removing !== undefined && (
        <ConfirmDialog
          title="Delete this conversation?"
          action="Delete"
          onConfirm={async () => {
            await chat.remove(removing.id);
            focusNear();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>“{threadTitle(removing)}” and what was said in it are removed from this browser.</p>
        </ConfirmDialog>
      )}
    </nav>
  );
}

interface RenameFormProps {
  thread: Thread;
  onDone: (byKeyboard: boolean) => void;
}

function RenameForm({ thread, onDone }: RenameFormProps): JSX.Element {
  const { chat } = usePlayground();
  const [title, setTitle] = useState(thread.title ?? "");
  const done = useRef(false);

  /** Enter and leaving the field keep the title, Escape does not. Leaving also follows the other two. */
  function finish(keep: boolean, byKeyboard: boolean): void {
    if (done.current) return;
    done.current = true;
    const text = title.trim();
    if (keep && text !== "" && text !== thread.title) void chat.rename(thread.id, text);
    onDone(byKeyboard);
  }

  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        finish(true, true);
      }}
    >
      <input
        class="input"
        aria-label="Title of the conversation"
        value={title}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here
        autoFocus
        data-testid="rename-input"
        onInput={(event) => setTitle(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          finish(false, true);
        }}
        onBlur={() => finish(true, false)}
      />
    </form>
  );
}
