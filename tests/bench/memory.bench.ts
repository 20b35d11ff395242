// The foundation against IndexedDB by hand, all in one page: appending a round, reading a view, a whole turn.
import { type Chat, openChat, turn } from "./parts/chat.js";
import {
  append,
  floorTurn,
  type Marks,
  openFloor,
  putOneRound,
  ramTurn,
  readHead,
  seedFloor,
} from "./parts/floor.js";
import { history, type Round } from "./parts/histories.js";
import { answered, below, deleteDatabase, openDatabase } from "./parts/idb.js";
import { compare, median, type Row, row } from "./parts/measure.js";
import { type Asked, instantModel, type Model, toolModel } from "./parts/model.js";
import { roundsKey, seedRecords } from "./parts/records.js";
import { type Trace, trace } from "./parts/trace.js";

const SIZES = [10, 1_000, 10_000];

/** Histories in RAM come about by turns, which read all there is: longer ones would take minutes. */
const RAM_SIZES = [10, 1_000];

type Log = (line: string) => void;

export default async function bench(log: Log) {
  const rows: Row[] = [];
  const parts: Row[] = [];
  const traces: Record<string, Trace> = {};
  log("append");
  rows.push(...(await appends()));
  for (const size of SIZES) {
    log(`view of ${size}`);
    rows.push(await views(size));
  }
  const growth: string[] = [];
  const turns: Compared[] = [];
  for (const size of SIZES) {
    log(`turn on ${size}`);
    turns.push(await turnsOn(size, "plain", parts, traces));
  }
  rows.push(...turns.map((compared) => compared.row));
  growth.push(grown("turn, IndexedDB", turns));
  log("turn with a tool");
  rows.push((await turnsOn(10, "tool", parts, traces)).row);
  const inRam: Compared[] = [];
  for (const size of RAM_SIZES) {
    log(`turn in RAM on ${size}`);
    inRam.push(await ramTurns(size));
  }
  rows.push(...inRam.map((compared) => compared.row));
  growth.push(grown("turn, storage memory", inRam));
  return {
    title: "Memory against IndexedDB by hand",
    tables: [
      { title: "times", rows },
      { title: "where a turn's time goes", rows: parts },
      { title: "what one turn asks of IndexedDB", rows: Object.entries(traces).map(traced) },
    ],
    notes: growth,
    traces,
  };
}

/** Two ways to do a turn, at one size of the history. */
interface Compared {
  size: number;
  row: Row;
  floor: number[];
  own: number[];
}

function grown(what: string, turns: Compared[]): string {
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last) return "";
  const own = median(last.own) / median(first.own);
  const floor = median(last.floor) / median(first.floor);
  return `growth of a ${what}, ${last.size} / ${first.size} messages: × ${own.toFixed(1)} (by hand × ${floor.toFixed(1)})`;
}

const traced = ([what, { reads, writes, strict, requests }]: [string, Trace]): Row => ({
  turn: what,
  "read transactions": reads,
  "write transactions": writes,
  "of them strict": strict,
  requests,
});

function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

const databases = counter();

/** A new name for each row. */
const freshName = (): string => `bench-${databases()}`;

/** A time in which nobody asks anything: what a turn has noted is on the disk then. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12));

/** From the model's last answer to `memory_written`, on a thread of its own for each turn. */
async function appends(): Promise<Row[]> {
  const [name, floorName] = [freshName(), freshName()];
  const marks: Asked & Marks = {};
  const chat = await openChat(toolModel({ marks, wait: quiet }), {
    database: name,
    onEvent: ({ type }) => {
      if (type === "memory_written") marks.stored = performance.now();
    },
  });
  const floor = await openFloor(floorName);
  await seedFloor(floor, "guarded", []);
  const [round] = history(4) as [Round];
  const [turns, entries, seqs] = [counter(), counter(), counter()];
  const putOne = (durability: IDBTransactionDurability) => async () => {
    await quiet();
    const begun = performance.now();
    await putOneRound(floor, durability, seqs(), round, durability);
    return performance.now() - begun;
  };
  const samples = await compare({
    guarded: async () => {
      const head = await readHead(floor, "guarded");
      await quiet();
      const entry = entries();
      const begun = performance.now();
      await append(floor, "guarded", head, { ...round, id: `rnd_${entry}` }, entry);
      return performance.now() - begun;
    },
    strict: putOne("strict"),
    relaxed: putOne("relaxed"),
    own: async () => {
      await turn(chat, `append-${turns()}`);
      return (marks.stored ?? Number.NaN) - (marks.answered ?? Number.NaN);
    },
  });
  await dispose(chat, name, floor, floorName);
  const { guarded, strict, relaxed, own } = samples;
  return [
    row("append 4 messages, strict (floor: the same batch)", guarded, own, "1.15"),
    row("append 4 messages, strict (floor: one put, strict)", strict, own),
    row("append 4 messages, strict (floor: one put, relaxed)", relaxed, own),
  ];
}

/** All messages of a thread, as objects. */
async function views(size: number): Promise<Row> {
  const name = freshName();
  const chat = await openChat(instantModel(), { database: name });
  const db = await openDatabase(name);
  await seedRecords(db, "t", 1, history(size));
  const expect = (count: number): undefined => {
    if (count !== size) throw new Error(`${count} messages were read, not ${size}`);
  };
  const samples = await compare({
    floor: async () => {
      const store = db.transaction("rounds").objectStore("rounds");
      const rows = await answered<{ value: { body: string } }[]>(
        store.getAll(below(roundsKey("t", 1))),
      );
      const messages = rows.flatMap(({ value }) => JSON.parse(value.body) as object[]);
      return expect(messages.length);
    },
    own: async () => {
      const { runtime, graph } = chat;
      const state = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
      return expect(state.messages.filter(({ in_view }) => in_view).length);
    },
  });
  db.close();
  await dispose(chat, name);
  return row(`view of ${size} messages`, samples.floor, samples.own, size === 10_000 ? "1.3" : "");
}

/** Short histories are used up by the turns themselves, so there are many of them. */
const threadsFor = (size: number): number => (size < 100 ? 120 : size < 5_000 ? 4 : 1);

async function turnsOn(
  size: number,
  kind: "plain" | "tool",
  parts: Row[],
  traces: Record<string, Trace>,
): Promise<Compared> {
  const [name, floorName] = [freshName(), freshName()];
  const marks: Asked & Marks = {};
  const floorMarks: Asked & Marks = {};
  const modelOf = (seen: Asked = {}): Model =>
    kind === "plain" ? instantModel(seen) : toolModel({ marks: seen });
  const chat = await openChat(modelOf(marks), {
    database: name,
    onEvent: ({ type }) => {
      if (type === "memory_written") marks.stored = performance.now();
    },
  });
  const floor = await openFloor(floorName);
  const db = await openDatabase(name);
  const threads = threadsFor(size);
  const rounds = history(size);
  for (let i = 0; i < threads; i += 1) {
    await seedRecords(db, `t${i}`, i + 1, rounds);
    await seedFloor(floor, `t${i}`, rounds);
  }
  db.close();
  const byHand = modelOf(floorMarks);
  const next = { own: counter(), floor: counter() };
  const threadOf = (way: "own" | "floor"): string => `t${next[way]() % threads}`;
  const clocks = { own: newClock(), floor: newClock() };
  const samples = await compare({
    floor: async () => {
      const begun = performance.now();
      await floorTurn(floor, threadOf("floor"), byHand, floorMarks);
      clocks.floor(begun, floorMarks);
      return undefined;
    },
    own: async () => {
      const begun = performance.now();
      await turn(chat, threadOf("own"));
      clocks.own(begun, marks);
      return undefined;
    },
  });
  const work = `${kind === "plain" ? "turn" : "turn with a tool call"} on ${size} messages`;
  parts.push(clocks.floor.row(`${work}, by hand`), clocks.own.row(`${work}, mnemograph`));
  if (size === 10) {
    traces[`${work}, by hand`] = await trace(() => floorTurn(floor, threadOf("floor"), byHand));
    traces[`${work}, mnemograph`] = await trace(() => turn(chat, threadOf("own")));
  }
  await dispose(chat, name, floor, floorName);
  return { size, row: row(work, samples.floor, samples.own, "1.15"), ...samples };
}

interface Clock {
  (begun: number, marks: Asked & Marks): void;
  row(work: string): Row;
}

/** Keeps the parts of turns: until the model is asked, from its answer until the round is stored, the rest. */
function newClock(): Clock {
  const kept = { asked: [] as number[], stored: [] as number[], ended: [] as number[] };
  const clock = (begun: number, { asked = 0, answered = 0, stored = 0 }: Asked & Marks): void => {
    kept.asked.push(asked - begun);
    kept.stored.push(stored - answered);
    kept.ended.push(performance.now() - stored);
  };
  return Object.assign(clock, {
    row: (turn: string): Row => ({
      turn,
      "until the model is asked, ms": median(kept.asked),
      "from its answer to stored, ms": median(kept.stored),
      "then to the end, ms": median(kept.ended),
    }),
  });
}

async function ramTurns(size: number): Promise<Compared> {
  let model = instantModel();
  const chat = await openChat((request) => model(request), { storage: "memory" });
  const threads = size < 100 ? 120 : 1;
  for (let i = 0; i < threads; i += 1) {
    for (const { messages } of history(size)) {
      model = messages.length === 4 ? toolModel() : instantModel();
      await turn(chat, `t${i}`);
    }
  }
  model = instantModel();
  const messages = history(size).flatMap((round) => round.messages);
  const next = counter();
  const samples = await compare({
    floor: async () => {
      await ramTurn(messages.slice(0, size), model);
      return undefined;
    },
    own: async () => {
      await turn(chat, `t${next() % threads}`);
      return undefined;
    },
  });
  await chat.runtime.close();
  return {
    size,
    row: row(`turn on ${size} messages, storage memory`, samples.floor, samples.own),
    ...samples,
  };
}

async function dispose(
  { runtime }: Chat,
  name: string,
  floor?: IDBDatabase,
  floorName?: string,
): Promise<void> {
  await runtime.close();
  await deleteDatabase(name);
  floor?.close();
  if (floorName !== undefined) await deleteDatabase(floorName);
}
