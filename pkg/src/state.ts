import type { Changes } from "./changes.js";
import { MnemographError } from "./errors.js";
import type { Graph } from "./graph.js";
import { checkId } from "./ids.js";
import { NotJson, toJsonText } from "./json.js";
import type { Session } from "./session.js";
import type { Cleared, StateNode, StateView } from "./wire.js";

/** Does something that erases a part of a thread. */
export type Erasing = <T>(thread: string, erase: () => Promise<T>) => Promise<T>;

/** Which state is meant. */
export interface StatePlace {
  graph: Graph;
  /** Id of the memory node. */
  node: string;
  thread: string;
}

/**
 * What the nodes of a graph remember. Every method rejects with `E_CLOSED`, `E_RUNTIME_CRASHED`, an
 * `E_STORE_…`, or `E_BAD_ID` for a node or thread that cannot be one.
 */
export class StateApi {
  readonly #session: Session;
  readonly #changes: Changes;
  readonly #erasing: Erasing;

  /** @internal */
  constructor(session: Session, changes: Changes, erasing: Erasing) {
    this.#session = session;
    this.#changes = changes;
    this.#erasing = erasing;
  }

  /** The nodes of a graph that keep state. */
  async nodes(graph: Graph): Promise<StateNode[]> {
    return this.#session.call((opened) => opened.handle.state_nodes(graph.number(opened)));
  }

  /** What a node holds for a thread; each message says whether the model would be sent it. */
  async inspect({ graph, node, thread }: StatePlace): Promise<StateView> {
    const ids = [checkId(node, "node"), checkId(thread, "thread")] as const;
    return this.#session.call((opened) =>
      opened.handle.state_inspect(graph.number(opened), ...ids),
    );
  }

  /**
   * Puts a value into a variable of the thread, in its type, or an object in the place of all that an `agent_memory`
   * holds. Rejects with `E_COERCE` for a value of another type, `E_MEMORY_WRITE` for one beyond the limits of the
   * dictionary, `E_NOT_FOUND` for a node that keeps no value; then nothing is changed.
   */
  async set({ graph, node, thread }: StatePlace, value: unknown): Promise<void> {
    const ids = [checkId(node, "node"), checkId(thread, "thread")] as const;
    const text = asText(value);
    await this.#session.call((opened) =>
      opened.handle.state_set(graph.number(opened), ...ids, text),
    );
    this.#changes.tell(thread, "memory");
  }

  /** Forgets what a node holds for a thread, in storage and for the next prompt. */
  async clear({ graph, node, thread }: StatePlace): Promise<Cleared> {
    const ids = [checkId(node, "node"), checkId(thread, "thread")] as const;
    const cleared = await this.#erasing(thread, () =>
      this.#session.call((opened) => opened.handle.state_clear(graph.number(opened), ...ids)),
    );
    this.#changes.tell(thread, "memory");
    return cleared;
  }
}

function asText(value: unknown): string {
  try {
    return toJsonText(value ?? null);
  } catch (error) {
    const why = error instanceof NotJson ? error.message : "cannot be read";
    throw new MnemographError({ code: "E_COERCE", message: `The value ${why}.` });
  }
}
