// Models that answer at once, for the runtime and the floor alike.
import type { Message } from "mnemograph";
import { TEXT } from "./histories.js";

interface ToolCall {
  call_id: string;
  name: string;
  args: { text: string };
}

export type Answer = string | { tool_calls: [ToolCall] };

export type Model = (request: { messages: Message[] }) => Answer | Promise<Answer>;

/** When a turn asked its model for the first time, and when it had the last answer. */
export interface Asked {
  asked?: number;
  answered?: number;
}

/** Answers with a text of 196 characters. */
export const instantModel =
  (marks: Asked = {}): Model =>
  () => {
    marks.asked = performance.now();
    marks.answered = marks.asked;
    return TEXT;
  };

export interface ToolModelOptions {
  marks?: Asked;
  /** Comes before the last answer. */
  wait?: () => Promise<void>;
}

/** Calls one tool first: a round of four messages. */
export const toolModel =
  ({ marks = {}, wait }: ToolModelOptions = {}): Model =>
  async ({ messages }) => {
    if (messages.at(-1)?.role !== "tool") {
      marks.asked = performance.now();
      const call_id = `call_${messages.length}`;
      return { tool_calls: [{ call_id, name: "lookup", args: { text: TEXT } }] };
    }
    if (wait) await wait();
    marks.answered = performance.now();
    return TEXT;
  };
