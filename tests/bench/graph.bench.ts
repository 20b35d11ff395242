// Steps of graphs against the same steps as awaited JavaScript functions, all in one page: chains, loops, templates.
import { createRuntime, type Graph, type Runtime } from "mnemograph";
import * as graphs from "./parts/graphs.js";
import { compare, median, type Row, row } from "./parts/measure.js";

type Log = (line: string) => void;

/** A graph, the same work by hand, and what both give. */
interface Case {
  work: string;
  document: object;
  data?: unknown;
  byHand: () => Promise<unknown>;
  gives: unknown;
}

const CHAINS = [1, 10, 100, 1_000];
const PASSES = 1_000;

const step = async (): Promise<void> => {};

async function chain(length: number): Promise<number> {
  for (let i = 0; i < length; i += 1) await step();
  return length;
}

async function loop(passes: number): Promise<number> {
  let count = 0;
  while (count < passes) {
    await step();
    count += 1;
  }
  return count;
}

async function each(items: readonly number[]): Promise<number[]> {
  const results: number[] = [];
  for (const item of items) {
    await step();
    results.push(item * 2);
  }
  return results;
}

const people = Array.from({ length: 100 }, (_, i) => ({ name: `person ${i}`, age: i }));

const line = ({ name, age }: (typeof people)[number]): string =>
  `${name.toUpperCase()} is ${age < 18 ? "young" : age}\n`;

const numbers = Array.from({ length: PASSES }, (_, i) => i);

const CASES: readonly Case[] = [
  ...CHAINS.map((length) => ({
    work: `chain of ${length} empty steps`,
    document: graphs.chain(length),
    byHand: () => chain(length),
    gives: length,
  })),
  {
    work: `loop of ${PASSES} passes`,
    document: graphs.loop(PASSES),
    byHand: () => loop(PASSES),
    gives: PASSES,
  },
  ...[1, 32].map((concurrency) => ({
    work: `for each of ${PASSES} items, ${concurrency} at a time`,
    document: graphs.each(PASSES, concurrency),
    data: numbers,
    byHand: () => each(numbers),
    gives: numbers.map((item) => item * 2),
  })),
  {
    work: "template of 100 lines",
    document: graphs.template(),
    data: people,
    byHand: async () => people.map(line).join(""),
    gives: people.map(line).join(""),
  },
];

export default async function bench(log: Log) {
  let heard = 0;
  const quiet = await createRuntime({ storage: "memory" });
  const told = await createRuntime({
    storage: "memory",
    onEvent: () => {
      heard += 1;
    },
  });
  const rows: Row[] = [];
  const chains: number[] = [];
  for (const one of CASES) {
    log(one.work);
    const ways = {
      floor: () => byHand(one),
      own: await ran(quiet, one),
      told: await ran(told, one),
    };
    const { floor, own, told: withEvents } = await compare(ways);
    rows.push(row(one.work, floor, own));
    rows.push(row(`${one.work}, all events heard`, floor, withEvents));
    if (one.work.startsWith("chain")) chains.push(median(own));
  }
  if (heard === 0) throw new Error("no event was heard");
  await quiet.close();
  await told.close();
  const [shortest = Number.NaN, longest = Number.NaN] = [chains[0], chains.at(-1)];
  const steps = (CHAINS.at(-1) ?? 0) - (CHAINS[0] ?? 0);
  const perStep = ((longest - shortest) / steps) * 1_000;
  return {
    title: "Steps of graphs against awaited functions",
    tables: [{ title: "times", rows }],
    notes: [
      `a run with one step ${(shortest * 1_000).toFixed(0)} µs; each further step ${perStep.toFixed(2)} µs`,
    ],
  };
}

async function byHand({ byHand, gives, work }: Case): Promise<undefined> {
  check(work, await byHand(), gives);
  return undefined;
}

/** Loads the graph; gives what runs it once. */
async function ran(runtime: Runtime, { document, data, gives, work }: Case) {
  const graph: Graph = await runtime.load(document);
  return async (): Promise<undefined> => {
    const { outputs } = await graph.invoke({ data });
    check(work, outputs.result, gives);
    return undefined;
  };
}

/** Cheap enough to be part of every sample: lists are compared by length and last item. */
function check(work: string, found: unknown, expected: unknown): void {
  const short = (value: unknown): unknown =>
    Array.isArray(value) ? `${value.length} ${value.at(-1)}` : value;
  if (short(found) !== short(expected)) {
    throw new Error(`${work} gave ${JSON.stringify(found)?.slice(0, 200)}`);
  }
}
