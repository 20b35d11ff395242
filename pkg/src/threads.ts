import type { Changes } from "./changes.js";
import { MnemographError } from "./errors.js";
import { checkId } from "./ids.js";
import type { Session } from "./session.js";
import type { Erasing } from "./state.js";
import type { Thread, TranscriptEntry } from "./wire.js";

/**
 * The conversations of this namespace. Every method rejects with `E_CLOSED`, `E_RUNTIME_CRASHED` or an
 * `E_STORE_…`, and with `E_BAD_ID` for an id that cannot be one.
 */
export class ThreadsApi {
  readonly #session: Session;
  readonly #changes: Changes;
  readonly #newId: () => string;
  readonly #erasing: Erasing;

  /** @internal */
  constructor(session: Session, changes: Changes, newId: () => string, erasing: Erasing) {
    this.#erasing = erasing;
    this.#session = session;
    this.#changes = changes;
    this.#newId = newId;
  }

  /** Conversations, newest first: of one person if `actor` is given, at most `limit`, those after `after`. */
  async list(filter: { actor?: string; limit?: number; after?: string } = {}): Promise<Thread[]> {
    const { actor, limit, after } = filter;
    const checked = {
      ...(actor === undefined ? {} : { actor: checkId(actor, "actor") }),
      ...(limit === undefined ? {} : { limit }),
      ...(after === undefined ? {} : { after: checkId(after, "thread") }),
    };
    return this.#session.call(({ handle }) => handle.threads_list(checked));
  }

  /** One conversation, or `undefined`. */
  async get(id: string): Promise<Thread | undefined> {
    const checked = checkId(id, "thread");
    const thread = await this.#session.call(({ handle }) => handle.threads_get(checked));
    return thread ?? undefined;
  }

  /** What was said, as the channel showed it, oldest first: the last `limit` entries before entry `before`. */
  async transcript(
    id: string,
    page: { limit?: number; before?: number } = {},
  ): Promise<TranscriptEntry[]> {
    const checked = checkId(id, "thread");
    return this.#session.call(({ handle }) => handle.threads_transcript(checked, page));
  }

  /** Makes a conversation before its first message. Rejects with `E_THREAD_ACTOR` if it is someone else's. */
  async create(input: { id?: string; actor?: string; title?: string } = {}): Promise<Thread> {
    const { id, actor, title } = input;
    const checked = {
      id: id === undefined ? this.#newId() : checkId(id, "thread"),
      ...(actor === undefined ? {} : { actor: checkId(actor, "actor") }),
      ...(title === undefined ? {} : { title: checkTitle(title) }),
    };
    const made = await this.#session.call(({ handle }) => handle.threads_create(checked));
    this.#changes.tell(made.id, "thread");
    return made;
  }

  /** Gives a conversation another title. */
  async rename(id: string, title: string): Promise<Thread> {
    const checked = checkId(id, "thread");
    const text = checkTitle(title);
    const renamed = await this.#session.call(({ handle }) => handle.threads_rename(checked, text));
    this.#changes.tell(checked, "thread");
    return renamed;
  }

  /** Removes a conversation with what its nodes remember of it. False if there was none. */
  async delete(id: string): Promise<boolean> {
    const checked = checkId(id, "thread");
    const existed = await this.#erasing(checked, () =>
      this.#session.call(({ handle }) => handle.threads_delete(checked)),
    );
    if (existed) this.#changes.tell(checked, "all");
    return existed;
  }
}

function checkTitle(title: unknown): string {
  if (typeof title === "string") return title;
  throw new MnemographError({ code: "E_SCHEMA", message: "The title of a thread is text." });
}
