import type { Changes } from "./changes.js";
import { checkId } from "./ids.js";
import type { Session } from "./session.js";
import type { StatePlace } from "./state.js";
import type { Edited } from "./wire.js";

/** A round of a memory node: everything one execution of an agent added. */
export interface RoundPlace extends StatePlace {
  /** Its id, which each of its messages carries as `round`. */
  round: string;
}

/** Does something while no run goes on in a thread. */
export type WhileIdle = <T>(thread: string, work: () => Promise<T>) => Promise<T>;

/**
 * Edits what memory nodes hold. An edit waits for the run of the thread that goes on, so one that is awaited inside a
 * tool of that very run never comes. Where another tab could not be kept out, the edit wins: a run that saw what was
 * taken away answers, warns with `W_STALE_EPOCH` and stores nothing. The transcript stays as it is. Every method
 * rejects with `E_CLOSED`, `E_RUNTIME_CRASHED`, an `E_STORE_…`, `E_BAD_ID` for a round that is not there, or `E_BUSY`
 * while a run of the thread waits for a person.
 */
export class MessagesApi {
  readonly #session: Session;
  readonly #changes: Changes;
  readonly #whileIdle: WhileIdle;

  /** @internal */
  constructor(session: Session, changes: Changes, whileIdle: WhileIdle) {
    this.#session = session;
    this.#changes = changes;
    this.#whileIdle = whileIdle;
  }

  /**
   * Takes the rounds after `round` away. What is gone is given back.
   *
   * @example
   * const { messages } = await runtime.state.inspect({ graph, node: "memory", thread: "t1" });
   * const round = messages[0].round;
   * const { removed } = await runtime.messages.truncateAfter({ graph, node: "memory", thread: "t1", round });
   */
  async truncateAfter(place: RoundPlace): Promise<Edited> {
    return this.#edit("truncate_after", place);
  }

  /** Takes one round away: the message of the person with all that answered it. What is gone is given back. */
  async deleteRound(place: RoundPlace): Promise<Edited> {
    return this.#edit("delete_round", place);
  }

  async #edit(
    type: "truncate_after" | "delete_round",
    { graph, node, thread, round }: RoundPlace,
  ): Promise<Edited> {
    const ids = [checkId(node, "node"), checkId(thread, "thread")] as const;
    const edit = { type, round: checkId(round, "round") };
    const edited = await this.#whileIdle(thread, () =>
      this.#session.call((opened) => opened.handle.state_edit(graph.number(opened), ...ids, edit)),
    );
    if (edited.removed.length > 0) this.#changes.tell(thread, "memory");
    return edited;
  }
}
