import type { DocumentEdge, DocumentNode, GraphDocument } from "../lib/examples.ts";

/** Where a node stands, in pixels. */
export interface Place {
  node: DocumentNode;
  x: number;
  y: number;
}

export interface Wire {
  key: string;
  kind: "run" | "data" | "link";
  from: Place;
  to: Place;
}

export interface Drawing {
  places: readonly Place[];
  wires: readonly Wire[];
  width: number;
  height: number;
  nodeWidth: number;
}

export const NODE_HEIGHT = 58;
const GAP_Y = 40;
const GAP_STACK = 14;

/** Widths in pixels: where there is room, and for a pane as narrow as a telephone. */
const ROOMY = { node: 192, gap: 52, margin: 16 };
const COMPACT = { node: 138, gap: 26, margin: 2 };
export const ROOMY_FROM = 2 * (ROOMY.node + ROOMY.margin) + ROOMY.gap;

/**
 * Steps flow downwards, one row for each stage; whatever a step is linked to (model, memory, tools) is
 * stacked beside its row. What belongs to no step stands in a last row.
 */
export function layOut(document: GraphDocument, compact: boolean): Drawing {
  const { node: nodeWidth, gap, margin } = compact ? COMPACT : ROOMY;
  const columnAt = (column: number): number => margin + column * (nodeWidth + gap);
  const edges = document.edges.filter((edge) => has(document, edge.from) && has(document, edge.to));
  const links = edges.filter((edge) => edge.type.startsWith("link_"));
  const flow = edges.filter((edge) => !edge.type.startsWith("link_"));
  const linked = new Set(links.map((edge) => nodeOf(edge.from)));
  const steps = document.nodes.filter((node) => !linked.has(node.id));
  const stage = stages(steps, flow);

  const places = new Map<string, Place>();
  const rows = Math.max(0, ...stage.values()) + 1;
  const columns = Math.max(1, ...countByStage(stage));
  const side = columnAt(columns);
  let y = margin;
  for (let row = 0; row < rows; row += 1) {
    const here = steps.filter((node) => stage.get(node.id) === row);
    const beside = resourcesOf(here, links, document, places);
    const stack = beside.length * (NODE_HEIGHT + GAP_STACK) - GAP_STACK;
    const height = Math.max(NODE_HEIGHT, stack);
    here.forEach((node, column) => {
      places.set(node.id, { node, x: columnAt(column), y: y + (height - NODE_HEIGHT) / 2 });
    });
    const top = y + (height - Math.max(stack, NODE_HEIGHT)) / 2;
    beside.forEach((node, index) => {
      places.set(node.id, { node, x: side, y: top + index * (NODE_HEIGHT + GAP_STACK) });
    });
    y += height + GAP_Y;
  }
  const rest = document.nodes.filter((node) => !places.has(node.id));
  rest.forEach((node, column) => {
    places.set(node.id, { node, x: columnAt(column), y });
  });
  if (rest.length > 0) y += NODE_HEIGHT + GAP_Y;

  const all = [...places.values()];
  return {
    places: all,
    wires: edges.flatMap((edge) => wire(edge, places)),
    width: Math.max(0, ...all.map((place) => place.x + nodeWidth)) + margin,
    height: y - GAP_Y + margin,
    nodeWidth,
  };
}

/** The node part of `"node.port"`. */
export function nodeOf(end: string): string {
  const dot = end.indexOf(".");
  return dot < 0 ? end : end.slice(0, dot);
}

function has(document: GraphDocument, end: string): boolean {
  return document.nodes.some((node) => node.id === nodeOf(end));
}

/** The longest way from a node without predecessors; a cycle, which the runtime refuses, ends anyway. */
function stages(
  nodes: readonly DocumentNode[],
  edges: readonly DocumentEdge[],
): Map<string, number> {
  const stage = new Map(nodes.map((node) => [node.id, 0]));
  for (let pass = 0; pass < nodes.length; pass += 1) {
    for (const edge of edges) {
      const from = stage.get(nodeOf(edge.from));
      const to = stage.get(nodeOf(edge.to));
      if (from === undefined || to === undefined || from < to || from + 1 >= nodes.length) continue;
      stage.set(nodeOf(edge.to), from + 1);
    }
  }
  return stage;
}

function countByStage(stage: ReadonlyMap<string, number>): number[] {
  const counts: number[] = [];
  for (const row of stage.values()) counts[row] = (counts[row] ?? 0) + 1;
  return counts.filter((count) => count !== undefined);
}

function resourcesOf(
  steps: readonly DocumentNode[],
  links: readonly DocumentEdge[],
  document: GraphDocument,
  placed: ReadonlyMap<string, Place>,
): DocumentNode[] {
  const here = new Set(steps.map((node) => node.id));
  const ids = new Set(
    links.filter((edge) => here.has(nodeOf(edge.to))).map((edge) => nodeOf(edge.from)),
  );
  return document.nodes.filter((node) => ids.has(node.id) && !placed.has(node.id));
}

function wire(edge: DocumentEdge, places: ReadonlyMap<string, Place>): Wire[] {
  const from = places.get(nodeOf(edge.from));
  const to = places.get(nodeOf(edge.to));
  if (from === undefined || to === undefined) return [];
  const kind = edge.type === "run" ? "run" : edge.type === "data" ? "data" : "link";
  return [{ key: `${edge.from}>${edge.to}`, kind, from, to }];
}

/** The line of a wire: downwards between steps, sideways from a resource to its step. */
export function wirePath({ kind, from, to }: Wire, nodeWidth: number): string {
  if (kind === "link") {
    const x1 = from.x;
    const y1 = from.y + NODE_HEIGHT / 2;
    const x2 = to.x + nodeWidth;
    const y2 = to.y + NODE_HEIGHT / 2;
    const middle = (x1 + x2) / 2;
    return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  }
  const x1 = from.x + nodeWidth / 2;
  const y1 = from.y + NODE_HEIGHT;
  const x2 = to.x + nodeWidth / 2;
  const y2 = to.y;
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}
