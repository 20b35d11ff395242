import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon, StopIcon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";

export function Composer(): JSX.Element {
  const { chat, session, models, layout } = usePlayground();
  const [text, setText] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const composing = useRef(false);
  const answering = chat.answering.value;
  const missing = models.missing.value;
  const ready = session.opened.value !== undefined && missing === undefined;

  function submit(): void {
    if (!ready || answering || text.trim() === "") return;
    void chat.send(text);
    setText("");
  }

  /** Enter that ends a composition (also Safari's, which comes after it) is not a command. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229 || composing.current) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Suggestions ready={ready && !answering} />
      {missing !== undefined && (
        <p class="composer-note" data-testid="model-missing">
          The model still needs {missing}.{" "}
          <button type="button" class="link" onClick={() => layout.open("settings")}>
            Open Settings
          </button>
        </p>
      )}
      <div class="composer-box">
        <label class="visually-hidden" for="message">
          Message
        </label>
        <textarea
          id="message"
          ref={input}
          rows={1}
          value={text}
          placeholder="Write a message"
          enterkeyhint="send"
          autocomplete="off"
          data-testid="message-input"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onCompositionStart={() => {
            composing.current = true;
          }}
          onCompositionEnd={() => {
            setTimeout(() => {
              composing.current = false;
            });
          }}
        />
        {answering ? (
          <button
            key="stop"
            type="button"
            class="button button-primary send"
            aria-label="Stop answering"
            title="Stop (Esc)"
            data-testid="stop"
            onClick={() => {
              chat.stop();
              input.current?.focus();
            }}
          >
            <StopIcon />
          </button>
        ) : (
          <button
            key="send"
            type="submit"
            class="button button-primary send"
            aria-label="Send"
            title="Send (Enter)"
            data-testid="send"
            disabled={!ready || text.trim() === ""}
          >
            <Icon name="arrowUp" size={18} />
          </button>
        )}
      </div>
      <p class="composer-hint">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd> <kbd>Enter</kbd> new line · <kbd>Esc</kbd> stops
      </p>
    </form>
  );
}

/** What the example can be asked and has not been asked yet. */
function Suggestions({ ready }: { ready: boolean }): JSX.Element | null {
  const { chat, session } = usePlayground();
  const asked = new Set(chat.turns.value.map((turn) => turn.user));
  const left = session.example.value.suggestions.filter((text) => !asked.has(text));
  if (left.length === 0 || chat.loading.value) return null;
  return (
    <ul class="suggestions" aria-label="Suggested messages" data-testid="suggestions">
      {left.map((text) => (
        <li key={text}>
          <button type="button" class="chip" disabled={!ready} onClick={() => void chat.send(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
