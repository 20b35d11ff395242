import { toMnemographError } from "../errors.js";
import type { Session } from "../session.js";
import type { StorageBatch, StoreWiped, Witness } from "../types.js";
import type { RowsUnder, StoredRow } from "../wire.js";
import { type Canary, CanaryKeeper } from "./canary.js";
import { hasJournal, RecoveryJournal, storageBuckets } from "./journal.js";
import { added, dependents, differing, INDEX_TABLES, type Move, movesOf } from "./moves.js";

/** How long an idle page is waited for before the copy is brought up to date, in milliseconds. */
const IDLE_MS = 2_000;

/**
 * How long what was committed waits for more of it, in milliseconds: copies take time from the commits beside them. Should
 * the page end in between, the journal catches up at the next start.
 */
const GATHER_MS = 250;

/** So often a journal may fail. */
const FAILURES = 3;

export interface RecoveryNeeds {
  session: Session;
  database: string;
  witness: Witness | undefined;
  id: () => string;
  /** The database was lost. */
  wiped: (report: StoreWiped) => void;
  /** A copy could not be kept. */
  failed: (error: unknown) => void;
}

/**
 * Notices that the database is not the one it was, and puts back what the recovery journal has of it. Keeps what that
 * takes, outside of the database and off the way of runs: a canary, and the journal where the browser has buckets.
 */
export class Recovery {
  readonly #needs: RecoveryNeeds;
  readonly #keeper: CanaryKeeper;
  #canary: Canary | undefined;
  #journal: Promise<RecoveryJournal | undefined> | undefined;
  /** What was committed and is not in the copies yet. */
  #batches: string[] = [];
  #isStale = false;
  #failures = 0;
  /** Nothing had ever been stored when it was opened: what is counted since is all there is. */
  #isNew = false;
  /** One after the other: what is kept, and what is put back. */
  #work: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #stopWaiting = (): void => {};
  readonly #erasing: string[] = [];
  #closed = false;

  constructor(needs: RecoveryNeeds) {
    this.#needs = needs;
    this.#keeper = new CanaryKeeper(needs.database, needs.witness);
  }

  /** True if anything can be noticed here. */
  static isPossible(database: string, witness: Witness | undefined): boolean {
    return hasBuckets() || new CanaryKeeper(database, witness).isPossible;
  }

  /** Looks whether the database is the one that is known, and if not puts back what it can. Never rejects. */
  open(): Promise<void> {
    return this.#next(async () => {
      this.#canary = await this.#keeper.read();
      const generation = await this.#generation();
      if (await this.#isLost(generation)) return this.#putBack();
      this.#isNew =
        generation === undefined && (await this.#rows([{ table: "threads" }])).length === 0;
      this.#stopWaiting = whenIdle(() => this.#wake());
    });
  }

  /**
   * Without a canary, the life of a database that is there is believed; one that is not may have been there. A canary may
   * be out of date, for browsers write it some seconds later: the journal knows what came after it.
   */
  async #isLost(generation: string | undefined): Promise<boolean> {
    const known = this.#canary?.store_generation;
    if (generation !== undefined && (known === undefined || known === generation)) return false;
    if (known === undefined && !(await hasJournal())) return false;
    const copied = await (await this.#open())?.generation();
    if (generation === undefined) return known !== undefined || copied !== undefined;
    return copied !== generation;
  }

  /** Something was committed: the module says so, and waits for nothing. */
  committed(batch: string): void {
    if (this.#closed) return;
    this.#batches.push(batch);
    this.#wake();
  }

  /** The database was gone when the module opened it again. */
  lost(): void {
    queueMicrotask(() => void this.#next(() => this.#putBack()));
  }

  /** Erases something of a thread. Should the page end in the midst of it, nothing of the thread is ever put back. */
  async erasing<T>(thread: string, erase: () => Promise<T>): Promise<T> {
    const note = async (): Promise<void> => (await this.#open())?.erasing([...this.#erasing]);
    this.#erasing.push(thread);
    await this.#next(note);
    try {
      return await erase();
    } finally {
      this.#isStale = true;
      await this.#next(() => this.#keep());
      this.#erasing.splice(this.#erasing.indexOf(thread), 1);
      await this.#next(note);
    }
  }

  /** Copies what waits, while the database is open. Never rejects. */
  async flush(): Promise<void> {
    if (this.#batches.length > 0) await this.#next(() => this.#keep());
  }

  /** Resolves when all that was committed is in the copies. After the session's end; never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWaiting();
    await this.#next(async () => {
      await this.#copy();
      (await this.#journal)?.close();
    });
  }

  /** Erases the copies of a database, so that nothing of it is ever put back. After {@link Recovery.close}. */
  static async erase(database: string, witness: Witness | undefined): Promise<void> {
    await new CanaryKeeper(database, witness).erase();
    await RecoveryJournal.erase(database);
  }

  #next(work: () => Promise<unknown>): Promise<void> {
    this.#work = this.#work.then(work).then(
      () => {},
      (error: unknown) => {
        const known = toMnemographError(error);
        // Who closes the runtime does not wait for copies that are not begun.
        if (known.code !== "E_CLOSED") this.#needs.failed(known);
      },
    );
    return this.#work;
  }

  /** Batches that come soon after each other are copied together. */
  #wake(): void {
    if (this.#isWaiting || this.#closed) return;
    this.#isWaiting = true;
    this.#stopWaiting();
    const timer = setTimeout(() => {
      this.#isWaiting = false;
      void this.#next(() => this.#keep());
    }, GATHER_MS);
    this.#stopWaiting = () => {
      clearTimeout(timer);
      this.#isWaiting = false;
    };
  }

  async #keep(): Promise<void> {
    if (this.#canary === undefined || this.#journal === undefined) await this.#begin();
    await this.#copy();
    if (!this.#isStale || this.#canary === undefined) return;
    this.#isStale = false;
    await this.#keepCanary(await this.#counted(this.#canary.store_generation));
  }

  /** Makes sure that the database has an id, that the journal is a copy of it, and that the canary knows it. */
  async #begin(): Promise<void> {
    const generation = (await this.#generation()) ?? (await this.#name());
    const journal = await this.#open();
    if (journal !== undefined) {
      if ((await journal.generation()) !== generation) await journal.begin(generation);
      await this.#catchUp(journal);
      await journal.erasing([...this.#erasing]);
    }
    if (this.#canary?.store_generation !== generation) {
      await this.#keepCanary(
        this.#isNew
          ? { store_generation: generation, threads: 0, rounds: 0 }
          : await this.#counted(generation),
      );
    }
  }

  async #copy(): Promise<void> {
    const texts = this.#batches.splice(0);
    if (texts.length === 0) return;
    const batches = texts.map((text) => JSON.parse(text) as StorageBatch);
    await this.#repeat(batches.flatMap(movesOf));
    if (this.#canary === undefined) return;
    const sum = (table: string): number =>
      batches.reduce((count, batch) => count + added(batch, table), 0);
    const [threads, rounds] = [sum("threads"), sum("round_ids")];
    if (threads + rounds === 0) return;
    await this.#keepCanary({
      ...this.#canary,
      threads: this.#canary.threads + threads,
      rounds: this.#canary.rounds + rounds,
    });
  }

  /** A journal that fails is opened again, and catches up; one that goes on failing is given up for this runtime. */
  async #repeat(moves: Move[]): Promise<void> {
    const journal = await this.#journal;
    try {
      await journal?.apply(moves);
    } catch (error) {
      journal?.close();
      this.#failures += 1;
      this.#journal = this.#failures < FAILURES ? undefined : Promise.resolve(undefined);
      if (this.#failures === FAILURES) this.#needs.failed(toMnemographError(error));
    }
  }

  /** Copies what the journal has not, or not so: what was committed when nobody was there to copy it. */
  async #catchUp(journal: RecoveryJournal): Promise<void> {
    const stored = await this.#rows(INDEX_TABLES.map((table) => ({ table })));
    const copied = await journal.rows(INDEX_TABLES);
    const changed = differing(stored, copied);
    const gone = differing(copied, stored);
    const moves: Move[] = [...changed, ...gone].flatMap((row) => [
      { type: "delete", table: row.table, key: row.key } as const,
      ...dependents(row).map(
        ({ table }) => ({ type: "delete_range", table, range: { prefix: row.key } }) as const,
      ),
    ]);
    const below = changed.flatMap((row) => dependents(row));
    const rows = [...changed, ...(below.length > 0 ? await this.#rows(below) : [])];
    moves.push(...rows.map((row) => ({ type: "put", ...row }) as const));
    if (moves.length > 0) await journal.apply(moves);
  }

  /** The database is another one than was known: puts back what the journal has, and reports. */
  async #putBack(): Promise<void> {
    await exclusively(this.#needs.database, async () => {
      // Another tab may have been faster.
      const canary = (await this.#keeper.read()) ?? this.#canary;
      const generation = await this.#generation();
      if (generation !== undefined && canary?.store_generation === generation) return;
      const journal = await this.#open();
      const kept = await journal?.kept();
      const isOfIt = canary === undefined || kept?.generation === canary.store_generation;
      const isContent = ({ table, key }: StoredRow): boolean =>
        table !== "meta" || key[0] !== "store_generation";
      const rows = isOfIt ? (kept?.rows ?? []).filter(isContent) : [];
      const known = canary ?? { ...countsOf(rows), store_generation: kept?.generation ?? "" };
      const fresh = await this.#name(rows);
      await journal?.follow(fresh);
      const restored = countsOf(rows);
      const { threads, rounds, store_generation } = known;
      this.#needs.wiped({
        generation: fresh,
        ...(store_generation === "" ? {} : { lost_generation: store_generation }),
        recovery_journal: journal !== undefined,
        restored,
        missing: {
          threads: Math.max(0, threads - restored.threads),
          rounds: Math.max(0, rounds - restored.rounds),
        },
      });
      await this.#keepCanary({ store_generation: fresh, ...restored });
    });
  }

  async #generation(): Promise<string | undefined> {
    const [row] = await this.#rows([{ table: "meta", prefix: ["store_generation"] }]);
    return typeof row?.value.id === "string" ? row.value.id : undefined;
  }

  /** Gives the database an id, in one commit with what is put back; the one that it has then. */
  async #name(rows: StoredRow[] = []): Promise<string> {
    const value = { v: 1, id: this.#needs.id() };
    const name: StoredRow = { table: "meta", key: ["store_generation"], value };
    await this.#needs.session.call(({ handle }) => handle.storage_restore([name, ...rows]));
    return (await this.#generation()) ?? value.id;
  }

  #rows(places: RowsUnder[]): Promise<StoredRow[]> {
    return this.#needs.session.call(({ handle }) => handle.storage_rows(places));
  }

  async #counted(store_generation: string): Promise<Canary> {
    const rows = await this.#rows([{ table: "threads" }, { table: "round_ids" }]);
    return { store_generation, ...countsOf(rows, "round_ids") };
  }

  async #keepCanary(canary: Canary): Promise<void> {
    this.#canary = canary;
    await this.#keeper.write(canary);
  }

  #open(): Promise<RecoveryJournal | undefined> {
    // Where it cannot be opened there is none; the canary tells of a loss all the same.
    this.#journal ??= RecoveryJournal.open(this.#needs.database, () => {
      // The next thing to be copied opens it again and catches up.
      this.#journal = undefined;
    }).catch(() => undefined);
    return this.#journal;
  }
}

/** True where the browser keeps buckets, and so a journal is kept. */
export const hasBuckets = (): boolean => storageBuckets() !== undefined;

function countsOf(rows: StoredRow[], roundTable = "rounds"): { threads: number; rounds: number } {
  const count = (name: string): number => rows.filter(({ table }) => table === name).length;
  return { threads: count("threads"), rounds: count(roundTable) };
}

async function exclusively(database: string, work: () => Promise<void>): Promise<void> {
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (locks === undefined) return work();
  await locks.request(`mnemograph:recovery:${encodeURIComponent(database)}`, work);
}

/** Calls back when the page has nothing to do, or after a while. Returns how to give that up. */
function whenIdle(work: () => void): () => void {
  const timer = setTimeout(work, IDLE_MS);
  // Node.js would wait for it.
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
}
