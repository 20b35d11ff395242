// Histories written straight into the database of the runtime, in the layout of its records: ten thousand messages by
// turns would take longer than all that is measured.
import type { Round } from "./histories.js";
import { completed } from "./idb.js";

const NAMESPACE = "default";

const historyKey = (thread: string): string[] => [
  NAMESPACE,
  "chat",
  "memory",
  thread,
  "buffer_memory",
];

/** The prefix of the rounds of a thread that {@link seedRecords} wrote. */
export const roundsKey = (thread: string, epoch: number): (string | number)[] => [
  ...historyKey(thread),
  epoch,
];

/** Writes the history of one thread, as the life of it that has this epoch. */
export async function seedRecords(
  db: IDBDatabase,
  thread: string,
  epoch: number,
  rounds: Round[],
): Promise<void> {
  const bodies = await Promise.all(rounds.map(encode));
  const transaction = db.transaction(
    ["meta", "heads", "rounds", "round_ids", "threads"],
    "readwrite",
  );
  const put = (table: string, key: (string | number)[], value: object): void => {
    transaction.objectStore(table).put({ key, rev: 1, value: { v: 1, ...value } });
  };
  let [next_seq, bytes] = [1, 0];
  for (const { round_id, n, body, hash } of bodies) {
    const size = body.length;
    put("rounds", [...roundsKey(thread, epoch), next_seq], {
      round_id,
      n,
      seen_seq: next_seq - 1,
      status: "complete",
      bytes: size,
      hash,
      body,
    });
    put("round_ids", [...historyKey(thread), round_id], {
      epoch,
      first_seq: next_seq,
      n,
      bytes: size,
      final: true,
    });
    next_seq += n;
    bytes += size;
  }
  put("heads", historyKey(thread), { epoch, next_seq, count: next_seq - 1, bytes, summary_rev: 0 });
  put("heads", [NAMESPACE, 0, thread, "chat", "memory", "buffer_memory", epoch], {});
  put("meta", ["next_epoch"], { next: epoch + 1 });
  put("threads", [NAMESPACE, thread], {
    actor: "default",
    title: "A bench",
    created_at: 1_760_000_000_000,
    updated_at: 1_760_000_000_000,
    next_entry: 1,
  });
  await completed(transaction);
}

/** Texts of these histories are ASCII: as many bytes as characters. */
async function encode({ id, messages }: Round) {
  const body = JSON.stringify(messages);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  const hash = Array.from(new Uint8Array(digest), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return { round_id: id, n: messages.length, body, hash };
}
