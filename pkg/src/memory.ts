import type { Session } from "./session.js";
import type { Message, ModelRef, Repaired, Summary, View, ViewPolicy } from "./wire.js";

/**
 * The rules of conversation memory as functions: the very ones that a run uses. They read and write nothing.
 * Every method rejects with `E_CLOSED`, `E_RUNTIME_CRASHED`, or `E_COERCE` for what are no messages.
 */
export class MemoryApi {
  readonly #session: Session;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * What a model would be sent of these messages, with the ids of those among them that it is sent. Reasoning
   * is kept for the model that it came from, `target`, alone. With a policy of type `summary`, `summary` stands for the
   * messages whose `seq` it covers.
   *
   * @example
   * const { messages } = await runtime.memory.view(stored, { type: "window", size: 10 });
   */
  async view(
    messages: Message[],
    policy: ViewPolicy = { type: "buffer" },
    { target, summary }: { target?: ModelRef; summary?: Summary } = {},
  ): Promise<View> {
    const options = {
      policy,
      ...(target === undefined ? {} : { target }),
      ...(summary === undefined ? {} : { summary }),
    };
    return this.#session.pure((glue) => glue.memory_view(messages, options));
  }

  /** Messages that every provider takes: each tool call with its result, nothing that was cut off. */
  async repair(messages: Message[]): Promise<Repaired> {
    return this.#session.pure((glue) => glue.memory_repair(messages));
  }
}
