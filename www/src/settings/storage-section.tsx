import { useSignal } from "@preact/signals";
import type { StorageHealth } from "mnemograph";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { usePlayground } from "../app/playground.ts";
import { DATABASE, type StorageKind } from "../app/session.ts";
import { formatBytes, plural } from "../lib/format.ts";

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

const PERSISTENCE: Record<StorageHealth["persistence"], string> = {
  persistent: "granted: the browser does not clear it on its own",
  best_effort: "best effort: the browser may clear it when the disk is full",
  volatile: "none: it is gone when the page is closed",
  unknown: "the browser does not say",
};

function Health(): JSX.Element | null {
  const { chat, session } = usePlayground();
  const health = useSignal<StorageHealth | undefined>(undefined);
  const finished = chat.finished.value;
  const runtime = session.opened.value?.runtime;
  useEffect(() => {
    let wanted = true;
    runtime?.storage.health().then(
      (read) => {
        if (wanted) health.value = read;
      },
      () => {
        // What keeps the storage from answering is told where it is used.
        if (wanted) health.value = undefined;
      },
    );
    return () => {
      wanted = false;
    };
  }, [finished, runtime, health]);
  const known = health.value;
  if (known === undefined) return null;
  return (
    <dl class="facts" data-testid="storage-health">
      {known.usage !== undefined && known.quota !== undefined && (
        <>
          <dt>Used</dt>
          <dd>
            {formatBytes(known.usage)} of {formatBytes(known.quota)} that the browser allows
          </dd>
        </>
      )}
      <dt>Persistence</dt>
      <dd>{PERSISTENCE[known.persistence]}</dd>
      {known.partitioned === true && (
        <>
          <dt>Apart</dt>
          <dd>Each site that embeds this page has conversations of its own.</dd>
        </>
      )}
      {known.quota_errors > 0 && (
        <>
          <dt>Full</dt>
          <dd>{plural(known.quota_errors, "write")} found no room since the page was opened.</dd>
        </>
      )}
    </dl>
  );
}
