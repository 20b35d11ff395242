import { useComputed, useSignal } from "@preact/signals";
import { Fragment, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Scroller } from "../app/controls.tsx";
import { usePlayground } from "../app/playground.ts";
import type { DocumentNode } from "../lib/examples.ts";
import { preview } from "../lib/preview.ts";
import { type Drawing, layOut, NODE_HEIGHT, type Place, ROOMY_FROM, wirePath } from "./layout.ts";
import { type Activity, activityOf } from "./node-activity.ts";

/** The graph that runs, to look at. Nodes light up while a run passes them. */
export function GraphPane(): JSX.Element {
  const { session, trace, chat } = usePlayground();
  const document = session.example.value.document;
  const compact = useSignal(false);
  const drawing = useComputed(() => layOut(session.example.value.document, compact.value)).value;
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) compact.value = entry.contentRect.width < ROOMY_FROM;
    });
    if (panel.current !== null) observer.observe(panel.current);
    return () => observer.disconnect();
  }, [compact]);
  const activity = useComputed(() => {
    const own = trace.runs.value.filter((run) => run.thread === chat.thread.value);
    return activityOf(session.example.value.document, own.at(-1));
  }).value;
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const node = document.nodes.find((item) => item.id === selected);

  return (
    <div class="panel" ref={panel}>
      <div class="panel-tools">
        <p class="panel-text">
          <strong>{document.name}</strong> <code>{document.id}</code>
        </p>
        <Legend />
      </div>
      <Scroller label="Drawing of the graph" class="panel-scroll graph-scroll">
        <Canvas
          drawing={drawing}
          activity={activity}
          selected={selected}
          onSelect={(id) => setSelected(id === selected ? undefined : id)}
        />
      </Scroller>
      {node !== undefined && <NodeDetail node={node} />}
    </div>
  );
}

interface CanvasProps {
  drawing: Drawing;
  activity: ReadonlyMap<string, Activity>;
  selected: string | undefined;
  onSelect: (id: string) => void;
}

function Canvas({ drawing, activity, selected, onSelect }: CanvasProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.style.setProperty("width", `${drawing.width}px`);
    box.current?.style.setProperty("height", `${drawing.height}px`);
  }, [drawing]);
  return (
    <div class="canvas" ref={box} data-testid="graph">
      <svg
        class="wires"
        width={drawing.width}
        height={drawing.height}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        aria-hidden="true"
      >
        {drawing.wires.map((wire) => (
          <path
            key={wire.key}
            class={`wire wire-${wire.kind}`}
            d={wirePath(wire, drawing.nodeWidth)}
          />
        ))}
        {drawing.wires
          .filter((wire) => wire.kind === "run")
          .map(({ key, to }) => (
            <path
              key={key}
              class="arrow"
              d={`M${to.x + drawing.nodeWidth / 2 - 5} ${to.y - 8} l5 7 l5 -7 z`}
            />
          ))}
      </svg>
      <ul class="nodes" aria-label="Nodes">
        {drawing.places.map((place) => (
          <NodeBox
            key={place.node.id}
            place={place}
            width={drawing.nodeWidth}
            activity={activity.get(place.node.id)}
            selected={place.node.id === selected}
            targets={drawing.wires
              .filter((wire) => wire.from === place)
              .map((wire) => titleOf(wire.to.node))}
            onSelect={() => onSelect(place.node.id)}
          />
        ))}
      </ul>
    </div>
  );
}

interface NodeBoxProps {
  place: Place;
  width: number;
  activity: Activity | undefined;
  selected: boolean;
  targets: readonly string[];
  onSelect: () => void;
}

function NodeBox({
  place,
  width,
  activity,
  selected,
  targets,
  onSelect,
}: NodeBoxProps): JSX.Element {
  const box = useRef<HTMLLIElement>(null);
  const { node, x, y } = place;
  useEffect(() => {
    const style = box.current?.style;
    style?.setProperty("left", `${x}px`);
    style?.setProperty("top", `${y}px`);
    style?.setProperty("width", `${width}px`);
    style?.setProperty("height", `${NODE_HEIGHT}px`);
  }, [x, y, width]);
  return (
    <li class="node" ref={box}>
      <button
        type="button"
        class={`node-button group-${groupOf(node.type)}`}
        aria-pressed={selected}
        data-testid="graph-node"
        data-node={node.id}
        data-activity={activity}
        onClick={onSelect}
      >
        <span class="node-title">{titleOf(node)}</span>
        <span class="node-kind">{node.type}</span>
        {activity !== undefined && <span class="visually-hidden">, {activity}</span>}
        {targets.length > 0 && <span class="visually-hidden">, leads to {targets.join(", ")}</span>}
      </button>
    </li>
  );
}

function NodeDetail({ node }: { node: DocumentNode }): JSX.Element {
  const settings = Object.entries(node.settings ?? {});
  return (
    <Scroller label={`Settings of ${titleOf(node)}`} class="node-detail">
      <h3>
        {titleOf(node)} <code>{node.id}</code>
      </h3>
      {settings.length === 0 && <p class="empty">All settings have their defaults.</p>}
      <dl class="facts">
        {settings.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <pre>{typeof value === "string" ? value : preview(value)}</pre>
            </dd>
          </Fragment>
        ))}
      </dl>
    </Scroller>
  );
}

function Legend(): JSX.Element {
  return (
    <p class="legend">
      <span class="legend-run">runs after</span>
      <span class="legend-link">is linked to</span>
    </p>
  );
}

function titleOf(node: DocumentNode): string {
  return node.title ?? node.id;
}

function groupOf(type: string): string {
  if (type.endsWith("_trigger")) return "trigger";
  if (type.endsWith("_memory") || type === "memory_store") return "memory";
  if (type === "llm_model") return "model";
  if (type === "tool") return "tool";
  if (type === "note") return "note";
  return "step";
}
