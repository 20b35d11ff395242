// The histories that the benches read: the same messages for the runtime and for the floor.
import type { Message } from "mnemograph";

/** A message of a chat has about 300 bytes of JSON. */
export const TEXT = "The quick brown fox jumps over the lazy dog and is not sorry for it. "
  .repeat(3)
  .slice(0, 196);

export interface Round {
  id: string;
  messages: Message[];
}

/** So many messages: rounds of four with a tool call in each, and one of two where that leaves some. */
export function history(messages: number): Round[] {
  const rounds: Round[] = [];
  for (let left = messages; left > 0; left -= 4) {
    const id = `rnd_${rounds.length}`;
    const turn = left >= 4 ? toolTurn(id) : [said(id, 0, "user"), said(id, 1, "assistant")];
    rounds.push({ id, messages: turn });
  }
  return rounds;
}

function toolTurn(id: string): Message[] {
  const call = { type: "tool_call", call_id: `call_${id}`, name: "lookup", args: { text: TEXT } };
  const content = [{ type: "text", text: TEXT }];
  const result = {
    type: "tool_result",
    call_id: `call_${id}`,
    name: "lookup",
    is_error: false,
    content,
  };
  return [
    said(id, 0, "user"),
    message(id, 1, "assistant", call),
    message(id, 2, "tool", result),
    said(id, 3, "assistant"),
  ];
}

const said = (round: string, place: number, role: Message["role"]): Message =>
  message(round, place, role, { type: "text", text: TEXT });

const message = (round: string, place: number, role: Message["role"], part: object): Message =>
  ({
    v: 1,
    id: `${round}_${place}`,
    round,
    role,
    status: "complete",
    created_at: 1_760_000_000_000 + place,
    parts: [part],
  }) as Message;

/** A message that a turn makes. */
export const newMessage = (round: string, role: Message["role"], part: object): Message => ({
  ...message(round, 0, role, part),
  id: crypto.randomUUID(),
  created_at: Date.now(),
});

export const textPart = (text: string): object => ({ type: "text", text });
