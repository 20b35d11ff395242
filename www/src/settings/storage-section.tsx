import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { usePlayground } from "../app/playground.ts";
import { DATABASE, type StorageKind } from "../app/session.ts";
import { formatBytes } from "../lib/format.ts";
import { type BrowserStorage, readBrowserStorage } from "./browser-storage.ts";

const KINDS: readonly { id: StorageKind; label: string; text: string }[] = [
  { id: "indexeddb", label: "IndexedDB", text: `Kept in this browser, database “${DATABASE}”.` },
  { id: "memory", label: "Memory only", text: "Gone when the page is closed or reloaded." },
];

export function StorageSection(): JSX.Element {
  const { session } = usePlayground();
  return (
    <section class="settings-section" aria-labelledby="settings-storage">
      <h3 id="settings-storage">Storage</h3>
      <fieldset class="options">
        <legend class="visually-hidden">Where conversations are kept</legend>
        {KINDS.map(({ id, label, text }) => (
          <label key={id} class="option">
            <input
              type="radio"
              name="storage-kind"
              value={id}
              data-testid={`storage-${id}`}
              checked={session.storage.value === id}
              aria-describedby={`storage-${id}-text`}
              onChange={() => void session.useStorage(id)}
            />
            <span class="option-label">{label}</span>
            <span class="option-text" id={`storage-${id}-text`}>
              {text}
            </span>
          </label>
        ))}
      </fieldset>
      <Health />
    </section>
  );
}

function Health(): JSX.Element | null {
  const { chat } = usePlayground();
  const storage = useSignal<BrowserStorage | undefined>(undefined);
  const finished = chat.finished.value;
  useEffect(() => {
    let wanted = true;
    void readBrowserStorage().then((read) => {
      if (wanted) storage.value = read;
    });
    return () => {
      wanted = false;
    };
  }, [finished, storage]);
  const known = storage.value;
  if (known === undefined) return null;
  return (
    <dl class="facts" data-testid="storage-health">
      <dt>Used</dt>
      <dd>
        {formatBytes(known.usage)} of {formatBytes(known.quota)} that the browser allows
      </dd>
      <dt>Persistence</dt>
      <dd>
        {known.persisted
          ? "granted: the browser does not clear it on its own"
          : "best effort: the browser may clear it when the disk is full"}
      </dd>
    </dl>
  );
}
