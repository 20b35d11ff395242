// A conversation that is remembered, written by hand on IndexedDB: the least that gives the same guarantees. A round is
// stored whole or not at all and outlives a power cut, its id makes a second try harmless, another tab's round is never
// overwritten, a page that is closed in a turn leaves its question in the journal, and the person's transcript goes with
// the round. What it leaves out: locks, hashes, repair, events, graphs.
import type { Message } from "mnemograph";
import { newMessage, type Round, TEXT, textPart } from "./histories.js";
import { answered, below, completed, openDatabase } from "./idb.js";
import type { Model } from "./model.js";

const STORES = ["heads", "rounds", "round_ids", "journal", "threads", "transcripts"] as const;
const RELAXED = { durability: "relaxed" } as const;
const STRICT = { durability: "strict" } as const;

export interface Head {
  rev: number;
  next_seq: number;
  count: number;
  bytes: number;
}

interface StoredRound {
  round_id: string;
  n: number;
  body: string;
}

const prefix = (thread: string): IDBValidKey[] => ["default", "chat", "memory", thread];

export const openFloor = (name: string): Promise<IDBDatabase> => openDatabase(name, STORES);

/** Writes a history as turns would have. */
export async function seedFloor(db: IDBDatabase, thread: string, rounds: Round[]): Promise<void> {
  const transaction = db.transaction(["heads", "rounds", "round_ids", "threads"], "readwrite");
  const head: Head = { rev: 1, next_seq: 1, count: 0, bytes: 0 };
  for (const { id, messages } of rounds) {
    const stored: StoredRound = {
      round_id: id,
      n: messages.length,
      body: JSON.stringify(messages),
    };
    transaction.objectStore("rounds").put(stored, [...prefix(thread), head.next_seq]);
    transaction.objectStore("round_ids").put({ first_seq: head.next_seq }, [...prefix(thread), id]);
    grow(head, stored);
  }
  transaction.objectStore("heads").put(head, prefix(thread));
  transaction.objectStore("threads").put({ actor: "default", next_entry: 1 }, ["default", thread]);
  await completed(transaction);
}

function grow(head: Head, { n, body }: StoredRound): void {
  head.next_seq += n;
  head.count += n;
  head.bytes += body.length;
}

/** When the parts of a turn were over. */
export interface Marks {
  stored?: number;
}

/** One turn: read, note, ask the model until it answers, store. Nobody is asked before it is noted. */
export async function floorTurn(
  db: IDBDatabase,
  thread: string,
  model: Model,
  marks: Marks = {},
): Promise<string> {
  const round = crypto.randomUUID();
  const user = newMessage(round, "user", textPart(TEXT));
  const { head, messages, record } = await read(db, thread);
  const made = [user];
  await begin(db, thread, record, round, user);
  let answer = await model({ messages: [...messages, ...made] });
  while (typeof answer !== "string") {
    const [call] = answer.tool_calls;
    made.push(newMessage(round, "assistant", { type: "tool_call", ...call }));
    await note(db, thread, round, made);
    const content = [textPart(TEXT)];
    made.push(
      newMessage(round, "tool", { type: "tool_result", ...call, is_error: false, content }),
    );
    await note(db, thread, round, made);
    answer = await model({ messages: [...messages, ...made] });
  }
  made.push(newMessage(round, "assistant", textPart(answer)));
  await append(db, thread, head, { id: round, messages: made }, record.next_entry);
  marks.stored = performance.now();
  return answer;
}

interface ThreadRecord {
  actor: string;
  next_entry: number;
}

async function read(
  db: IDBDatabase,
  thread: string,
): Promise<{ head: Head; messages: Message[]; record: ThreadRecord }> {
  const transaction = db.transaction(["heads", "rounds", "threads", "journal"]);
  const [head, rounds, record, open] = await Promise.all([
    answered<Head>(transaction.objectStore("heads").get(prefix(thread))),
    answered<StoredRound[]>(transaction.objectStore("rounds").getAll(below(prefix(thread)))),
    answered<ThreadRecord>(transaction.objectStore("threads").get(["default", thread])),
    answered(transaction.objectStore("journal").getAll(below(prefix(thread)))),
  ]);
  if (open.length > 0) throw new Error("a turn of this bench was broken off");
  return { head, messages: rounds.flatMap(({ body }) => JSON.parse(body) as Message[]), record };
}

/** The journal's row and the open entry of the transcript; the model is asked when they are stored. */
function begin(
  db: IDBDatabase,
  thread: string,
  record: ThreadRecord,
  round: string,
  user: Message,
): Promise<void> {
  const transaction = db.transaction(["journal", "threads", "transcripts"], "readwrite", RELAXED);
  const entry = ["default", thread, record.next_entry];
  transaction
    .objectStore("journal")
    .put({ body: JSON.stringify([user]) }, [...prefix(thread), round]);
  transaction
    .objectStore("threads")
    .put({ ...record, next_entry: record.next_entry + 1 }, ["default", thread]);
  transaction
    .objectStore("transcripts")
    .put({ status: "running", body: JSON.stringify({ user, replies: [] }) }, entry);
  transaction.commit();
  return completed(transaction);
}

function note(db: IDBDatabase, thread: string, round: string, made: Message[]): Promise<void> {
  const transaction = db.transaction("journal", "readwrite", RELAXED);
  transaction
    .objectStore("journal")
    .put({ body: JSON.stringify(made) }, [...prefix(thread), round]);
  transaction.commit();
  return completed(transaction);
}

/** Stores a round, with the check that nobody was faster and that it is not there yet. */
export async function append(
  db: IDBDatabase,
  thread: string,
  head: Head,
  { id, messages }: Round,
  entry: number,
): Promise<void> {
  const stored: StoredRound = { round_id: id, n: messages.length, body: JSON.stringify(messages) };
  const shown = JSON.stringify({ user: messages[0], replies: [messages.at(-1)] });
  const stores = ["heads", "rounds", "round_ids", "journal", "transcripts"];
  const transaction = db.transaction(stores, "readwrite", STRICT);
  const [now, known] = await Promise.all([
    answered<Head>(transaction.objectStore("heads").get(prefix(thread))),
    answered(transaction.objectStore("round_ids").getKey([...prefix(thread), id])),
  ]);
  if (now.rev !== head.rev || known !== undefined) throw new Error("another tab was faster");
  const next = { ...head, rev: head.rev + 1 };
  grow(next, stored);
  transaction.objectStore("rounds").put(stored, [...prefix(thread), head.next_seq]);
  transaction.objectStore("round_ids").put({ first_seq: head.next_seq }, [...prefix(thread), id]);
  transaction.objectStore("heads").put(next, prefix(thread));
  transaction
    .objectStore("transcripts")
    .put({ status: "complete", body: shown }, ["default", thread, entry]);
  transaction.objectStore("journal").delete([...prefix(thread), id]);
  transaction.commit();
  await completed(transaction);
}

/** What an append must know, read before its time is taken. */
export const readHead = (db: IDBDatabase, thread: string): Promise<Head> =>
  answered(db.transaction("heads").objectStore("heads").get(prefix(thread)));

/** The round's record alone, with nothing that guards it. */
export async function putOneRound(
  db: IDBDatabase,
  thread: string,
  seq: number,
  { id, messages }: Round,
  durability: IDBTransactionDurability,
): Promise<void> {
  const transaction = db.transaction("rounds", "readwrite", { durability });
  const stored: StoredRound = { round_id: id, n: messages.length, body: JSON.stringify(messages) };
  transaction.objectStore("rounds").put(stored, [...prefix(thread), seq]);
  transaction.commit();
  await completed(transaction);
}

/** A turn with its history in RAM. */
export async function ramTurn(messages: Message[], model: Model): Promise<string> {
  const round = crypto.randomUUID();
  const user = newMessage(round, "user", textPart(TEXT));
  const answer = await model({ messages: [...messages, user] });
  if (typeof answer !== "string") throw new Error("this model has no tools");
  messages.push(user, newMessage(round, "assistant", textPart(answer)));
  return answer;
}
