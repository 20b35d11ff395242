// How a piece of work is timed: never for its own sake, always beside another way to do the same.

/** Does the work once; gives its milliseconds if it has a clock of its own. */
export type Work = () => Promise<number | undefined> | undefined;

/** Samples of each way, taken in the same rounds; milliseconds for one piece of work. */
export type Samples<Name extends string> = Record<Name, number[]>;

/** A sample repeats the work until this much time is measured: the timer's steps then do not count. */
const SAMPLE_MS = 5;

const MIN_ROUNDS = 5;

export interface Effort {
  /** At most so many rounds. */
  rounds?: number;
  /** No further round begins after this time, once there are five. */
  budgetMs?: number;
}

/** Warms up, then takes one sample of each way a round, in an order that turns around with each round. */
export async function compare<Name extends string>(
  ways: Record<Name, Work>,
  { rounds = 25, budgetMs = 4_000 }: Effort = {},
): Promise<Samples<Name>> {
  const names = Object.keys(ways) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Samples<Name>;
  for (const name of names) for (let i = 0; i < 2; i += 1) await sample(ways[name]);
  const begun = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    if (round >= MIN_ROUNDS && performance.now() - begun > budgetMs) break;
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) samples[name].push(await sample(ways[name]));
  }
  return samples;
}

async function sample(work: Work): Promise<number> {
  const begun = performance.now();
  let [measured, times] = [0, 0];
  do {
    const own = await work();
    measured = own === undefined ? performance.now() - begun : measured + own;
    times += 1;
  } while (measured < SAMPLE_MS);
  return measured / times;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Between the two nearest values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** The median of the rounds' own ratios: what slows a whole round down is in both and falls out. */
export const ratio = (values: readonly number[], floor: readonly number[]): number =>
  median(values.map((value, round) => value / (floor[round] ?? Number.NaN)));

export type Row = Record<string, string | number>;

/** A line of a table: some work by hand and by the runtime. */
export const row = (
  work: string,
  floor: readonly number[],
  own: readonly number[],
  goal = "",
): Row => ({
  work,
  "floor ms": median(floor),
  p10: quantile(floor, 0.1),
  p95: quantile(floor, 0.95),
  "mnemograph ms": median(own),
  "p10 ": quantile(own, 0.1),
  "p95 ": quantile(own, 0.95),
  "× floor": ratio(own, floor),
  goal,
});
