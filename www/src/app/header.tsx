import type { JSX } from "preact";
import { EXAMPLES } from "../lib/examples.ts";
import { BrandMark, Icon, type IconName } from "./icons.tsx";
import { type Theme, usePlayground } from "./playground.ts";

export function Header(): JSX.Element {
  return (
    <header class="header">
      <h1 class="brand">
        <BrandMark />
        <span class="brand-name">Mnemograph</span>
        <span class="brand-sub">Playground</span>
      </h1>
      <ExamplePicker />
      <ConnectionBadge />
      <ThemeSwitch />
    </header>
  );
}

function ExamplePicker(): JSX.Element {
  const { session } = usePlayground();
  const chosen = session.example.value;
  return (
    <div class="example-picker">
      <label class="visually-hidden" for="example">
        Example
      </label>
      <select
        id="example"
        class="select"
        data-testid="example-picker"
        value={chosen.id}
        onChange={(event) => void session.choose(event.currentTarget.value)}
      >
        {EXAMPLES.map((example) => (
          <option key={example.id} value={example.id}>
            {example.name}
          </option>
        ))}
      </select>
      <p class="example-text" data-testid="example-description">
        {chosen.description}
      </p>
    </div>
  );
}

const STORAGE_NAMES = { indexeddb: "IndexedDB", memory: "Memory only" } as const;

/** Says what answers and where it is kept; opens Settings. */
function ConnectionBadge(): JSX.Element {
  const { session, models, layout } = usePlayground();
  const { status } = session.connection.value;
  const incomplete = models.missing.value !== undefined;
  const tone = status === "failed" ? "bad" : status === "opening" || incomplete ? "wait" : "good";
  const text =
    status === "failed"
      ? "Runtime failed"
      : status === "opening"
        ? "Starting…"
        : incomplete
          ? "Model not set up"
          : models.label.value;
  return (
    <button
      type="button"
      class={`badge badge-${tone}`}
      data-testid="connection-badge"
      data-status={status}
      title="Open Settings"
      onClick={() => layout.open("settings")}
    >
      <span class="dot" aria-hidden="true" />
      <span class="badge-text">{text}</span>
      <span class="badge-storage">{STORAGE_NAMES[session.storage.value]}</span>
    </button>
  );
}

const THEMES: readonly { id: Theme; label: string; icon: IconName }[] = [
  { id: "system", label: "System", icon: "monitor" },
  { id: "light", label: "Light", icon: "sun" },
  { id: "dark", label: "Dark", icon: "moon" },
];

function ThemeSwitch(): JSX.Element {
  const { theme } = usePlayground().layout;
  return (
    <fieldset class="segmented" data-testid="theme-switch">
      <legend class="visually-hidden">Colour scheme</legend>
      {THEMES.map(({ id, label, icon }) => (
        <label key={id} title={label}>
          <input
            type="radio"
            name="theme"
            value={id}
            aria-label={label}
            checked={theme.value === id}
            onChange={() => {
              theme.value = id;
            }}
          />
          <Icon name={icon} />
        </label>
      ))}
    </fieldset>
  );
}
