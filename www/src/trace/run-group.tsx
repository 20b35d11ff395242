import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { formatMs, plural } from "../lib/format.ts";
import { preview, toJsonLine } from "../lib/preview.ts";
import { kindOf, summaryOf } from "./event-kinds.ts";
import type { TraceRow, TraceRun } from "./trace.ts";

export interface RunGroupProps {
  run: TraceRun;
  wanted: (row: TraceRow) => boolean;
  /** The latest run is open, earlier ones are closed until somebody opens them. */
  latest: boolean;
}

/** Rows that are drawn at once; the rest waits behind a button. */
const PAGE = 200;

/** Characters of joined deltas in a row; the opened row has them all. */
const ROW_TEXT = 240;

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export function RunGroup({ run, wanted, latest }: RunGroupProps): JSX.Element {
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const open = chosen ?? latest;
  const ms = run.endedAt === undefined ? "running" : formatMs(run.endedAt - run.startedAt);
  return (
    <section class="run" data-testid="trace-run" data-ending={run.ending ?? "running"}>
      <div class="run-head">
        <button
          type="button"
          class="run-toggle"
          aria-expanded={open}
          onClick={() => setChosen(!open)}
        >
          <Icon name="chevron" size={14} />
          <span class="dot" aria-hidden="true" />
          <span class="run-title">{timeFormat.format(run.startedAt)}</span>
          <span class="run-facts">
            {run.ending ?? "running"} · {ms} · {plural(run.events.length + run.dropped, "event")}
          </span>
        </button>
        <CopyButton
          label="Copy this run as JSON lines"
          text={() => run.events.map(toJsonLine).join("\n")}
        />
      </div>
      {open && <Rows run={run} wanted={wanted} />}
    </section>
  );
}

function Rows({ run, wanted }: Pick<RunGroupProps, "run" | "wanted">): JSX.Element {
  const [shown, setShown] = useState(PAGE);
  const rows = run.rows.filter(wanted);
  const first = Math.max(0, rows.length - shown);
  return (
    <>
      {first > 0 && (
        <button type="button" class="link more" onClick={() => setShown(shown + PAGE)}>
          Show {plural(Math.min(PAGE, first), "earlier event")}
        </button>
      )}
      {run.dropped > 0 && (
        <p class="empty">{plural(run.dropped, "event")} beyond the limit were not kept.</p>
      )}
      <ol class="rows">
        {rows.slice(first).map((row) => (
          <Row key={row.key} row={row} startedAt={run.startedAt} />
        ))}
      </ol>
    </>
  );
}

function Row({ row, startedAt }: { row: TraceRow; startedAt: number }): JSX.Element {
  const [open, setOpen] = useState(false);
  const { event } = row;
  return (
    <li class="row" data-testid="trace-event" data-type={event.type}>
      <button type="button" class="row-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="row-time">{formatMs(Math.max(0, event.t - startedAt))}</span>
        <span class={`row-type kind-${kindOf(event)}`}>
          {event.type}
          {row.count > 1 && <span class="row-count"> ×{row.count}</span>}
        </span>
        <span class="row-text">
          {event.node !== undefined && <span class="row-node">{event.node}</span>}
          <span class="row-summary">{row.text?.slice(0, ROW_TEXT) ?? summaryOf(event)}</span>
        </span>
      </button>
      {open && <Payload row={row} />}
    </li>
  );
}

function Payload({ row }: { row: TraceRow }): JSX.Element {
  const { event, text, count } = row;
  const shown =
    text === undefined ? event : { ...event, data: { ...event.data, text }, joined: count };
  return (
    <div class="payload" data-testid="trace-payload">
      <CopyButton label="Copy this event" text={() => toJsonLine(shown)} />
      <pre>{preview(shown)}</pre>
    </div>
  );
}
