import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../lib/clipboard.ts";
import type { Failure } from "../lib/failure.ts";
import { Icon, type IconName } from "./icons.tsx";

export interface IconButtonProps {
  icon: IconName;
  /** Accessible name and tooltip. */
  label: string;
  onClick: () => void;
  testId?: string;
  expanded?: boolean;
  controls?: string;
}

export function IconButton(props: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="button icon-button"
      aria-label={props.label}
      title={props.label}
      aria-expanded={props.expanded}
      aria-controls={props.controls}
      data-testid={props.testId}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

export interface CopyButtonProps {
  /** What is copied, made only when it is asked for. */
  text: () => string;
  label: string;
  /** Shown beside the icon; without it the button is an icon alone. */
  caption?: string;
  testId?: string;
}

/** Copies, and says for a moment whether it worked. */
export function CopyButton({ text, label, caption, testId }: CopyButtonProps): JSX.Element {
  const [outcome, setOutcome] = useState<"copied" | "refused" | undefined>(undefined);
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const said = outcome === "copied" ? "Copied" : outcome === "refused" ? "Cannot copy" : undefined;
  return (
    <button
      type="button"
      class={caption === undefined ? "button icon-button" : "button"}
      aria-label={said ?? label}
      title={said ?? label}
      data-testid={testId}
      onClick={() => void copyText(text()).then((ok) => setOutcome(ok ? "copied" : "refused"))}
    >
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      {caption !== undefined && <span>{said ?? caption}</span>}
    </button>
  );
}

export interface ScrollerProps {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** Text in a box that may scroll: reachable by keyboard, so that it can be scrolled by keyboard. */
export function Scroller(props: ScrollerProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, a scrolling region takes focus
    <section class={props.class} aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  );
}

export interface NoticeProps {
  tone: "error" | "warning" | "info";
  /** Announced at once; for errors that a person has just caused. */
  alert?: boolean;
  title?: ComponentChildren;
  testId?: string;
  children: ComponentChildren;
}

export function Notice({ tone, alert, title, testId, children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice notice-${tone}`} role={alert ? "alert" : undefined} data-testid={testId}>
      {tone !== "info" && <Icon name="alert" size={18} />}
      <div class="notice-body">
        {title !== undefined && <p class="notice-title">{title}</p>}
        {children}
      </div>
    </div>
  );
}

/** The part of an error to look up or to report. */
export function FailureCode({ failure }: { failure: Failure }): JSX.Element | null {
  if (failure.code === undefined) return null;
  return (
    <p class="notice-code">
      <code>{failure.code}</code>
      {failure.node !== undefined && (
        <>
          {" "}
          at <code>{failure.node}</code>
        </>
      )}
    </p>
  );
}
