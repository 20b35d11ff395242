import { useComputed, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { FailureCode, Notice } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import { recallTurn, roundsOf } from "./recall.ts";
import { TurnView } from "./turn-view.tsx";

/** Nearer to the end than this, the view follows what is being written. */
const NEAR_END = 64;

export function MessageLog(): JSX.Element {
  const { chat, memory } = usePlayground();
  const rounds = useComputed(() => roundsOf(memory.nodes.value));
  const box = useRef<HTMLElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);
  const turns = useComputed(() =>
    chat.turns.value.map((turn) => recallTurn(turn, rounds.value)),
  ).value;
  const answering = chat.answering.value;

  function toEnd(): void {
    following.current = true;
    setAway(false);
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }

  function onScroll(): void {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    following.current = left < NEAR_END;
    setAway(left >= NEAR_END);
  }

  /** What was being read stays where it is; the earlier turns grow above it. */
  async function showEarlier(): Promise<void> {
    following.current = false;
    const element = box.current;
    const below = element === null ? 0 : element.scrollHeight - element.scrollTop;
    await chat.showEarlier();
    requestAnimationFrame(() => {
      if (element !== null) element.scrollTop = element.scrollHeight - below;
    });
  }

  // Another conversation, and every message that is sent, is shown from its end.
  const lastTurn = useComputed(() => chat.turns.value.at(-1)?.id);
  useSignalEffect(() => {
    void chat.thread.value;
    void lastTurn.value;
    following.current = true;
  });
  useLayoutEffect(() => {
    if (following.current) toEnd();
    else onScroll();
  }, [turns, answering]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div class="log-frame">
      <section
        ref={box}
        class="log"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        aria-busy={answering}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, a scrolling region takes focus
        tabIndex={0}
        data-testid="chat-log"
        onScroll={onScroll}
      >
        {chat.failure.value !== undefined && (
          <Notice tone="error" title="The conversation could not be read" testId="chat-error">
            <p>{chat.failure.value.message}</p>
            <FailureCode failure={chat.failure.value} />
          </Notice>
        )}
        {turns.length === 0 && !chat.loading.value && <Welcome />}
        {chat.hasEarlier.value && (
          <button
            type="button"
            class="button earlier"
            data-testid="show-earlier"
            onClick={() => void showEarlier()}
          >
            <Icon name="arrowUp" /> Show earlier messages
          </button>
        )}
        <div class="turns">
          {turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              live={answering && index === turns.length - 1}
              last={!answering && index === turns.length - 1}
            />
          ))}
        </div>
      </section>
      {away && (
        <button
          type="button"
          class="button jump"
          data-testid="jump-to-latest"
          onClick={() => {
            toEnd();
            box.current?.focus();
          }}
        >
          <Icon name="arrowDown" /> Jump to latest
        </button>
      )}
    </div>
  );
}

function Welcome(): JSX.Element {
  const { session } = usePlayground();
  const example = session.example.value;
  return (
    <div class="welcome" data-testid="welcome">
      <h3>{example.name}</h3>
      <p>{example.description}</p>
    </div>
  );
}
