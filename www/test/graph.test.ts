import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { layOut, NODE_HEIGHT } from "../src/graph/layout.ts";
import type { GraphDocument } from "../src/lib/examples.ts";

const folder = new URL("../examples/", import.meta.url);
const examples = fs
  .readdirSync(folder)
  .map((name) => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")) as GraphDocument);

describe.each(examples)("the drawing of $id", (document) => {
  it.each([true, false])("has every node once and none over another (compact: %s)", (compact) => {
    const { places, wires, width, height, nodeWidth } = layOut(document, compact);
    expect(places.map((place) => place.node.id).sort()).toEqual(
      document.nodes.map((node) => node.id).sort(),
    );
    expect(wires).toHaveLength(document.edges.length);
    for (const a of places) {
      expect(a.x + nodeWidth).toBeLessThanOrEqual(width);
      expect(a.y + NODE_HEIGHT).toBeLessThanOrEqual(height);
      for (const b of places) {
        const apart = Math.abs(a.x - b.x) >= nodeWidth || Math.abs(a.y - b.y) >= NODE_HEIGHT;
        expect(a === b || apart).toBe(true);
      }
    }
  });
});

it("a cycle, which the runtime refuses, is drawn all the same", () => {
  const edge = (from: string, to: string): object => ({
    type: "run",
    from: `${from}.out`,
    to: `${to}.in`,
  });
  const document = {
    id: "loop",
    name: "Loop",
    nodes: [
      { id: "a", type: "ai_agent" },
      { id: "b", type: "ai_agent" },
    ],
    edges: [edge("a", "b"), edge("b", "a"), edge("a", "nowhere")],
  } as GraphDocument;
  expect(layOut(document, false).places).toHaveLength(2);
});
