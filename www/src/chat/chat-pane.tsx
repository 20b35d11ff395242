import type { JSX } from "preact";
import { FailureCode, IconButton, Notice } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import type { Failure } from "../lib/failure.ts";
import { Composer } from "./composer.tsx";
import { MessageLog } from "./message-log.tsx";
import { ThreadList, threadTitle } from "./thread-list.tsx";

export function ChatPane(): JSX.Element {
  const { chat, layout, session } = usePlayground();
  const connection = session.connection.value;
  const open = layout.threadsOpen.value;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && !event.isComposing && chat.answering.peek()) chat.stop();
  }

  return (
    <section class="chat" aria-label="Chat" data-threads={open} onKeyDown={onKeyDown}>
      <div class="pane-bar">
        <IconButton
          icon="panel"
          label="Conversations"
          expanded={open}
          controls="threads"
          testId="toggle-threads"
          onClick={() => {
            layout.threadsOpen.value = !open;
          }}
        />
        <Title />
        <button
          type="button"
          class="button"
          aria-label="New conversation"
          data-testid="new-conversation"
          onClick={chat.startNew}
        >
          <Icon name="plus" /> New
        </button>
      </div>
      <div class="chat-body">
        {open && <ThreadList />}
        <div class="chat-main">
          {connection.status === "failed" ? (
            <StartFailed failure={connection.failure} />
          ) : (
            <MessageLog />
          )}
          <Composer />
        </div>
      </div>
      <p class="visually-hidden" role="status" data-testid="chat-status">
        {chat.announcement.value}
      </p>
    </section>
  );
}

function Title(): JSX.Element {
  const { chat } = usePlayground();
  const current = chat.threads.value.find((thread) => thread.id === chat.thread.value);
  return (
    <h2 class="pane-title" dir="auto" data-testid="conversation-title">
      {threadTitle(current)}
    </h2>
  );
}

function StartFailed({ failure }: { failure: Failure }): JSX.Element {
  const { session } = usePlayground();
  return (
    <div class="log-frame log-padding">
      <Notice tone="error" alert title={failure.message} testId="start-error">
        {failure.hint !== undefined && <p>{failure.hint}</p>}
        <FailureCode failure={failure} />
        <div class="notice-actions">
          <button type="button" class="button" onClick={() => void session.retry()}>
            <Icon name="refresh" /> Try again
          </button>
        </div>
      </Notice>
    </div>
  );
}
