import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { CopyButton } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import { toJsonLine } from "../lib/preview.ts";
import { KIND_LABELS, KINDS, type Kind, kindOf } from "./event-kinds.ts";
import { RunGroup } from "./run-group.tsx";
import type { TraceRow, TraceRun } from "./trace.ts";

/** Every event of the latest runs, as it happens. */
export function TracePane(): JSX.Element {
  const { trace } = usePlayground();
  const hidden = useSignal<ReadonlySet<Kind>>(new Set());
  const search = useSignal("");
  const runs = trace.runs.value;
  const wanted = (row: TraceRow): boolean =>
    !hidden.value.has(kindOf(row.event)) && matches(row, search.value);

  function toggle(kind: Kind): void {
    const next = new Set(hidden.peek());
    if (!next.delete(kind)) next.add(kind);
    hidden.value = next;
  }

  return (
    <div class="panel">
      <div class="panel-tools">
        <input
          type="search"
          class="input"
          aria-label="Filter events"
          placeholder="Filter by type or node"
          data-testid="trace-search"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
        <CopyButton
          label="Copy as JSON lines"
          caption="Copy"
          text={() => jsonLines(runs)}
          testId="copy-trace"
        />
        <button
          type="button"
          class="button"
          aria-label="Clear the trace"
          data-testid="clear-trace"
          disabled={runs.length === 0}
          onClick={trace.clear}
        >
          <Icon name="trash" /> Clear
        </button>
        <fieldset class="chips">
          <legend class="visually-hidden">Kinds of events</legend>
          {KINDS.map((kind) => (
            <button
              key={kind}
              type="button"
              class={`chip chip-kind kind-${kind}`}
              aria-pressed={!hidden.value.has(kind)}
              data-testid={`kind-${kind}`}
              onClick={() => toggle(kind)}
            >
              {KIND_LABELS[kind]}
            </button>
          ))}
        </fieldset>
      </div>
      <div class="panel-scroll">
        {runs.length === 0 && (
          <p class="empty">Send a message: each step of its run is listed here as it happens.</p>
        )}
        {[...runs].reverse().map((run, index) => (
          <RunGroup key={run.id} run={run} wanted={wanted} latest={index === 0} />
        ))}
      </div>
    </div>
  );
}

function matches(row: TraceRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  const { type, node } = row.event;
  return wanted === "" || type.includes(wanted) || (node ?? "").toLowerCase().includes(wanted);
}

function jsonLines(runs: readonly TraceRun[]): string {
  return runs.flatMap((run) => run.events.map(toJsonLine)).join("\n");
}
