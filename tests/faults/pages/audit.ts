import type { Graph, Runtime } from "mnemograph";
import { brief } from "../../e2e/pages/brief.js";
import type { Audit, SeenRound } from "../tells.js";
import { answer } from "./answer.js";

/** What a thread holds, as the SDK shows it and as it lies in the database. */
export async function audit(runtime: Runtime, graph: Graph, thread = "t"): Promise<Audit> {
  const { messages, quarantined } = await runtime.state.inspect({ graph, node: "memory", thread });
  const rounds = new Map<string, SeenRound>();
  for (const message of messages) {
    const id = message.round ?? "";
    const seen = rounds.get(id) ?? { status: message.status ?? "", lines: [] };
    seen.lines.push(brief(message).replace(/~.*/, ""));
    rounds.set(id, seen);
  }
  const below = await readBelow("mnemograph");
  return { rounds: [...rounds.values()], ...below, quarantined: quarantined.length };
}

type Row = { key: (string | number)[]; value: Record<string, number | string> };

/** What heads, rounds and ids of rounds say against each other. */
async function readBelow(database: string): Promise<Pick<Audit, "disagreements" | "gaps">> {
  const opened = await answer(indexedDB.open(database));
  const stores = opened.transaction(["heads", "rounds", "round_ids"]);
  const [heads, rounds, ids] = await Promise.all(
    ["heads", "rounds", "round_ids"].map((name) =>
      answer<Row[]>(stores.objectStore(name).getAll(IDBKeyRange.lowerBound([]))),
    ),
  );
  opened.close();
  const found: string[] = [];
  let gaps = 0;
  const under = (rows: Row[] = [], key: Row["key"]): Row[] =>
    rows.filter((row) => key.every((part, at) => row.key[at] === part));
  // Under a head there are marks of its lives, which count nothing.
  for (const head of (heads ?? []).filter(({ key }) => key.length === 5)) {
    const own = under(rounds, [...head.key, Number(head.value.epoch)]);
    let seq = 1;
    for (const { key, value } of own) {
      const first = Number(key.at(-1));
      if (first < seq) found.push(`a round begins at ${first}, within the one before`);
      if (first > seq) gaps += 1;
      seq = first + Number(value.n);
    }
    const count = own.reduce((sum, { value }) => sum + Number(value.n), 0);
    if (head.value.count !== count) found.push(`the head counts ${head.value.count} of ${count}`);
    if (head.value.next_seq !== seq) found.push(`the head goes on at ${head.value.next_seq}`);
    const known = new Set(under(ids, head.key).map(({ key }) => key.at(-1)));
    for (const { value } of own)
      if (!known.has(value.round_id ?? "")) found.push(`the round ${value.round_id} has no id`);
  }
  return { disagreements: found, gaps };
}
