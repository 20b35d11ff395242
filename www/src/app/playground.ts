import { effect, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Chat, createChat } from "../chat/chat.ts";
import { createOtherTabs } from "../lib/other-tabs.ts";
import { flag, numberBetween, oneOf, preference } from "../lib/preferences.ts";
import { createModelSettings, type ModelSettings } from "../settings/model-settings.ts";
import { createMemoryState, type MemoryState } from "../state/memory-state.ts";
import { createTrace, type Trace } from "../trace/trace.ts";
import { createSession, type Session } from "./session.ts";

export const TABS = ["graph", "trace", "state", "settings"] as const;
export type TabId = (typeof TABS)[number];
export type Theme = "system" | "light" | "dark";

/** How the frame looks; kept from visit to visit. */
export interface Layout {
  theme: Signal<Theme>;
  tab: Signal<TabId>;
  /** Share of the chat pane in percent, side by side and stacked. */
  splitWide: Signal<number>;
  splitNarrow: Signal<number>;
  threadsOpen: Signal<boolean>;
  /** Stacked, the inspector begins as a bar of tabs. */
  inspectorOpen: Signal<boolean>;
  /** Shows a tab of the inspector, wherever it is hidden. */
  open(tab: TabId): void;
}

/** Everything that the views read and call. */
export interface Playground {
  layout: Layout;
  models: ModelSettings;
  session: Session;
  chat: Chat;
  trace: Trace;
  memory: MemoryState;
}

export function createPlayground(): Playground {
  const layout = createLayout();
  const models = createModelSettings();
  const trace = createTrace();
  const session = createSession(models, trace.add);
  const tabs = createOtherTabs();
  const chat = createChat(session, tabs);
  const memory = createMemoryState(session, chat);
  followOtherTabs(session, chat, memory);
  return { layout, models, session, chat, trace, memory };
}

function createLayout(): Layout {
  const theme = preference("theme", oneOf("system", "light", "dark"));
  const tab = preference("tab", oneOf("graph", ...TABS));
  const inspectorOpen = signal(false);
  effect(() => {
    const root = document.documentElement;
    if (theme.value === "system") delete root.dataset.theme;
    else root.dataset.theme = theme.value;
  });
  return {
    theme,
    tab,
    inspectorOpen,
    splitWide: preference("split.wide", numberBetween(20, 80, 56)),
    splitNarrow: preference("split.narrow", numberBetween(20, 80, 50)),
    threadsOpen: preference("threads_open", flag(false)),
    open: (id) => {
      tab.value = id;
      inspectorOpen.value = true;
    },
  };
}

/** What another tab did is read when it says so, and in any case when this one is looked at again. */
function followOtherTabs(session: Session, chat: Chat, memory: MemoryState): void {
  const refresh = (): void => {
    void chat.refresh();
    void memory.refresh();
  };
  const refreshWhenVisible = (): void => {
    if (document.visibilityState === "visible") refresh();
  };
  effect(() =>
    session.opened.value?.runtime.subscribe({}, ({ elsewhere }) => {
      if (elsewhere) refresh();
    }),
  );
  addEventListener("focus", refreshWhenVisible);
  document.addEventListener("visibilitychange", refreshWhenVisible);
}

const PlaygroundContext = createContext<Playground | undefined>(undefined);
export const PlaygroundProvider = PlaygroundContext.Provider;

export function usePlayground(): Playground {
  const playground = useContext(PlaygroundContext);
  if (playground === undefined) throw new Error("No playground above this component");
  return playground;
}
