// Graphs of many small steps.

interface Node {
  id: string;
  type: string;
  parent?: string;
  settings?: object;
}

/** Edges as pairs of ports, `from` and `to`. */
type Pair = readonly [from: string, to: string];

const START: Node = { id: "start", type: "manual_trigger" };

const result = (value: unknown): Node => ({
  id: "result",
  type: "output",
  settings: { name: "result", value },
});

const graph = (id: string, nodes: Node[], runs: Pair[]): object => ({
  format: "mnemograph",
  format_version: 1,
  id,
  nodes,
  edges: runs.map(([from, to]) => ({ type: "run", from, to })),
  limits: { steps: 100_000, loop_passes: 100_000, items: 100_000, template_fuel: 10_000_000 },
});

/** Steps that do nothing, one after another, and the length as the result. */
export function chain(length: number): object {
  const ids = Array.from({ length }, (_, i) => `step_${i}`);
  const way = ["start", ...ids, "result"];
  return graph(
    `chain-${length}`,
    [START, ...ids.map((id) => ({ id, type: "merge" })), result(length)],
    way.slice(1).map((id, i) => [`${way[i]}.out`, `${id}.in`] as const),
  );
}

/** A loop that does nothing so many times, and its passes as the result. */
export const loop = (passes: number): object =>
  graph(
    `loop-${passes}`,
    [
      START,
      {
        id: "loop",
        type: "while_loop",
        settings: { condition: `variables.loop_index < ${passes}`, max_iterations: passes + 1 },
      },
      { id: "empty", type: "merge", parent: "loop" },
      result("{{ nodes.loop.iterations }}"),
    ],
    [
      ["start.out", "loop.in"],
      ["loop.body", "empty.in"],
      ["loop.done", "result.in"],
    ],
  );

/** Each number of the run's data twice itself. */
export const each = (items: number, concurrency: number): object =>
  graph(
    `each-${items}-${concurrency}`,
    [
      START,
      {
        id: "each",
        type: "for_each",
        settings: { items: "{{ trigger.data }}", concurrency, result: "{{ item * 2 }}" },
      },
      { id: "empty", type: "merge", parent: "each" },
      result("{{ nodes.each.results }}"),
    ],
    [
      ["start.out", "each.in"],
      ["each.body", "empty.in"],
      ["each.done", "result.in"],
    ],
  );

/** A line for each person of the run's data. */
export const template = (): object =>
  graph(
    "template",
    [
      START,
      result(
        '{% for person in trigger.data %}{{ person.name|upper }} is {{ "young" if person.age < 18 else person.age }}\n{% endfor %}',
      ),
    ],
    [["start.out", "result.in"]],
  );
