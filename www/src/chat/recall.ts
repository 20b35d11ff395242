import type { Message, Part, StateMessage } from "mnemograph";
import type { NodeState } from "../state/memory-state.ts";
import {
  failureIn,
  messageText,
  plainResult,
  type ToolItem,
  type Turn,
  type TurnItem,
} from "./turn.ts";

/** Messages of one round, found by the id of any message of it. */
export type Rounds = ReadonlyMap<string, readonly Message[]>;

/** The rounds of every memory that was read. */
export function roundsOf(nodes: readonly NodeState[]): Rounds {
  const rounds = new Map<string, StateMessage[]>();
  for (const message of nodes.flatMap((state) => state.view?.messages ?? [])) {
    const name = message.round ?? message.id;
    rounds.set(name, [...(rounds.get(name) ?? []), message]);
  }
  return new Map(
    [...rounds.values()].flatMap((messages) => messages.map(({ id }) => [id, messages] as const)),
  );
}

/**
 * A turn from the transcript with what a memory still holds of it: the tool calls between the question and
 * the answer, and the text before them where it is this memory's agent that answered.
 */
export function recallTurn(turn: Turn, rounds: Rounds): Turn {
  const round = turn.messages.map((id) => rounds.get(id)).find((found) => found !== undefined);
  if (!turn.recorded || round === undefined) return turn;
  const replies = new Set(turn.messages.slice(1));
  const spoken = turn.items.length === 0 || round.some((message) => replies.has(message.id));
  const before = round
    .filter((message) => message.role === "assistant" && !replies.has(message.id))
    .flatMap((message) => itemsOf(message, round, spoken));
  return {
    ...turn,
    items: [...before, ...turn.items],
    ...(turn.status === "failed" ? { failure: failureIn(round) } : {}),
  };
}

function itemsOf(message: Message, round: readonly Message[], spoken: boolean): TurnItem[] {
  const text = spoken ? messageText(message) : "";
  const said: TurnItem[] = text === "" ? [] : [{ kind: "text", text }];
  const calls = message.parts.flatMap((part) =>
    part.type === "tool_call" ? [toolItem(part, round)] : [],
  );
  return [...said, ...calls];
}

function toolItem(call: Extract<Part, { type: "tool_call" }>, round: readonly Message[]): ToolItem {
  const result = round
    .flatMap((message) => message.parts)
    .flatMap((part) =>
      part.type === "tool_result" && part.call_id === call.call_id ? [part] : [],
    )[0];
  return {
    kind: "tool",
    callId: call.call_id,
    name: call.name,
    args: call.args ?? call.args_raw,
    state: result === undefined ? "interrupted" : result.is_error ? "failed" : "done",
    ...(result === undefined ? {} : { result: plainResult(result.content) }),
  };
}
