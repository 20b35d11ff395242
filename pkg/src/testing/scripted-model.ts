import type { ChatModel, ModelAnswer, ModelContext } from "../types.js";
import type { ChatChunk, ChatRequest } from "../wire.js";

/**
 * What a scripted model does with one request: answers a text, a response or pieces, throws an error, or asks a
 * function.
 */
export type ScriptedTurn =
  | ModelAnswer
  | ChatChunk[]
  | Error
  | ((request: ChatRequest, context: ModelContext) => ModelAnswer | Promise<ModelAnswer>);

/** A model that follows a script and remembers what it was asked. */
export interface ScriptedModel extends ChatModel {
  /** Every request so far, in order. */
  readonly requests: readonly ChatRequest[];
  /** Turns that were not used yet. */
  readonly left: number;
  /** Adds turns to the end of the script. */
  add(...turns: ScriptedTurn[]): void;
}

/**
 * A model for tests: one turn of the script for each request. A request beyond the script fails with `E_LLM`.
 *
 * @example
 * const model = scriptedModel(
 *   { tool_calls: [{ call_id: "c1", name: "clock", args: {} }] },
 *   "It is noon.",
 * );
 */
export function scriptedModel(...script: ScriptedTurn[]): ScriptedModel {
  const turns = [...script];
  const requests: ChatRequest[] = [];
  const model = (
    request: ChatRequest,
    context: ModelContext,
  ): ModelAnswer | Promise<ModelAnswer> => {
    requests.push(structuredClone(request));
    if (turns.length === 0) {
      throw new Error(`The script has no turn for request ${requests.length}.`);
    }
    return play(turns.shift() as ScriptedTurn, request, context);
  };
  return Object.defineProperties(model, {
    requests: { value: requests },
    left: { get: () => turns.length },
    add: { value: (...more: ScriptedTurn[]) => void turns.push(...more) },
  }) as unknown as ScriptedModel;
}

function play(
  turn: ScriptedTurn,
  request: ChatRequest,
  context: ModelContext,
): ModelAnswer | Promise<ModelAnswer> {
  if (turn instanceof Error) throw turn;
  if (typeof turn === "function") return turn(request, context);
  return Array.isArray(turn) ? pieces(turn) : turn;
}

async function* pieces(chunks: ChatChunk[]): AsyncGenerator<ChatChunk, undefined> {
  yield* chunks;
}
