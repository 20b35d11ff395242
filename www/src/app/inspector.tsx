import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { GraphPane } from "../graph/graph-pane.tsx";
import { SettingsPane } from "../settings/settings-pane.tsx";
import { StatePane } from "../state/state-pane.tsx";
import { TracePane } from "../trace/trace-pane.tsx";
import { Icon } from "./icons.tsx";
import { TABS, type TabId, usePlayground } from "./playground.ts";

const VIEWS: Record<TabId, { label: string; view: () => JSX.Element }> = {
  graph: { label: "Graph", view: GraphPane },
  trace: { label: "Trace", view: TracePane },
  state: { label: "State", view: StatePane },
  settings: { label: "Settings", view: SettingsPane },
};

/** The right (or lower) pane: what runs, what happened, what is remembered, how it is set up. */
export function Inspector(): JSX.Element {
  const { layout } = usePlayground();
  const tab = layout.tab.value;
  const open = layout.inspectorOpen.value;
  const View = VIEWS[tab].view;
  return (
    <section class="inspector" aria-label="Inspector" data-open={open}>
      <div class="inspector-bar">
        <Tabs />
        <button
          type="button"
          class="button icon-button inspector-toggle"
          aria-label={open ? "Hide the inspector" : "Show the inspector"}
          aria-expanded={open}
          onClick={() => {
            layout.inspectorOpen.value = !open;
          }}
        >
          <Icon name="chevron" />
        </button>
      </div>
      <div
        class="tab-panel"
        id="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        data-testid={`panel-${tab}`}
      >
        <View />
      </div>
    </section>
  );
}

function Tabs(): JSX.Element {
  const { layout } = usePlayground();
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent): void {
    const last = TABS.length - 1;
    const at = TABS.indexOf(layout.tab.peek());
    const targets: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const target = TABS[targets[event.key] ?? -1];
    if (target === undefined) return;
    event.preventDefault();
    layout.open(target);
    list.current?.querySelector<HTMLElement>(`#tab-${target}`)?.focus();
  }

  return (
    <div class="tabs" role="tablist" aria-label="Inspector" ref={list} onKeyDown={onKeyDown}>
      {TABS.map((id) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          class="tab"
          aria-selected={layout.tab.value === id}
          aria-controls="tab-panel"
          tabIndex={layout.tab.value === id ? 0 : -1}
          data-testid={`tab-${id}`}
          onClick={() => layout.open(id)}
        >
          {VIEWS[id].label}
        </button>
      ))}
    </div>
  );
}
