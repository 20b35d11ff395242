import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usePlayground } from "./playground.ts";

const STACKED = "(max-width: 760px)";
const MIN = 20;
const MAX = 80;
const STEP = 4;

/** Two panes with a separator that is moved by pointer or arrow keys; stacked on narrow screens. */
export function SplitView(props: {
  first: ComponentChildren;
  second: ComponentChildren;
}): JSX.Element {
  const { layout } = usePlayground();
  const container = useRef<HTMLElement>(null);
  const stacked = useMediaQuery(STACKED);
  const share = stacked ? layout.splitNarrow : layout.splitWide;
  const set = (value: number): void => {
    share.value = Math.round(Math.min(MAX, Math.max(MIN, value)));
  };

  useSignalEffect(() => {
    container.current?.style.setProperty("--split-wide", `${layout.splitWide.value}%`);
    container.current?.style.setProperty("--split-narrow", `${layout.splitNarrow.value}%`);
  });

  function onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }): void {
    const box = container.current?.getBoundingClientRect();
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const along = stacked
      ? (event.clientY - box.top) / box.height
      : (event.clientX - box.left) / box.width;
    set(along * 100);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const moves: Record<string, number> = {
      [stacked ? "ArrowUp" : "ArrowLeft"]: share.value - STEP,
      [stacked ? "ArrowDown" : "ArrowRight"]: share.value + STEP,
      Home: MIN,
      End: MAX,
    };
    const target = moves[event.key];
    if (target === undefined) return;
    event.preventDefault();
    set(target);
  }

  const closed = stacked && !layout.inspectorOpen.value;
  return (
    <main ref={container} class="split" data-closed={closed}>
      {props.first}
      {!closed && (
        // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be a movable separator
        <div
          class="split-handle"
          role="separator"
          tabIndex={0}
          aria-label="Size of the panes"
          aria-orientation={stacked ? "horizontal" : "vertical"}
          aria-valuenow={share.value}
          aria-valuemin={MIN}
          aria-valuemax={MAX}
          data-testid="split-handle"
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={onPointerMove}
          onKeyDown={onKeyDown}
        />
      )}
      {props.second}
    </main>
  );
}

function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setMatches(list.matches);
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches;
}
