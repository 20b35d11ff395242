import type { RunEvent, StateMessage, TranscriptEntry } from "mnemograph";
import { describe, expect, it } from "vitest";
import { recallTurn, roundsOf } from "../src/chat/recall.ts";
import { applyEvent, fromTranscript, startTurn, type Turn } from "../src/chat/turn.ts";

const text = (said: string, channel = "reply"): object => ({
  type: "token",
  node: "agent",
  data: { channel, text: said },
});
const call = { type: "tool_call", node: "agent", data: { call_id: "c", name: "sum", args: {} } };
const result = {
  type: "tool_result",
  node: "agent",
  data: {
    call_id: "c",
    name: "sum",
    is_error: false,
    content: [{ type: "json", json: 3 }],
    ms: 5,
  },
};
const done = (said: string): object => ({
  type: "reply_done",
  node: "answer",
  data: { text: said },
});

function turnAfter(...events: object[]): Turn {
  return (events as RunEvent[]).reduce(applyEvent, startTurn("run", "question", 0));
}

/** Texts as they are, tool calls as `name:state`. */
function shown(turn: Turn): string[] {
  return turn.items.map((item) =>
    item.kind === "text" ? item.text : `${item.name}:${item.state}`,
  );
}

describe("a turn", () => {
  it.each([
    ["joins deltas", [text("a"), text("b")], ["ab"]],
    ["hides what stays inside the graph", [text("a", "internal")], []],
    [
      "keeps the order of text and tools",
      [text("a"), call, result, text("b")],
      ["a", "sum:done", "b"],
    ],
    ["shows a streamed reply once", [text("ab"), done("ab")], ["ab"]],
    ["shows a reply that came whole", [done("ab")], ["ab"]],
    ["adds a reply that differs from the stream", [text("a"), done("A!")], ["a", "A!"]],
    [
      "drops the half of a call that is made again",
      [text("a"), { type: "node_retry", node: "agent", data: {} }, text("b")],
      ["b"],
    ],
    [
      "marks a tool that was running when it was stopped",
      [call, { type: "run_cancelled", data: { reason: "" } }],
      ["sum:interrupted"],
    ],
  ])("%s", (_name, events, expected) => {
    expect(shown(turnAfter(...events))).toEqual(expected);
  });

  it("keeps the code and the hint of its error", () => {
    const error = {
      code: "E_LLM",
      message: "no answer",
      hint: "wait",
      attempt: 1,
      retryable: true,
    };
    const turn = turnAfter({ type: "run_failed", data: { error } });
    expect(turn).toMatchObject({
      status: "failed",
      failure: { code: "E_LLM", message: "no answer", hint: "wait" },
    });
  });
});

const message = (id: string, role: string, ...parts: object[]): StateMessage =>
  ({ v: 1, id, role, round: "r", status: "complete", parts, in_view: true }) as StateMessage;

const round = [
  message("m1", "user", { type: "text", text: "question" }),
  message(
    "m2",
    "assistant",
    { type: "text", text: "let me see" },
    { type: "tool_call", call_id: "c", name: "sum", args: {} },
  ),
  message("m3", "tool", {
    type: "tool_result",
    call_id: "c",
    name: "sum",
    is_error: false,
    content: [],
  }),
  message("m4", "assistant", { type: "text", text: "three" }),
];

function recalled(replies: StateMessage[], status = "complete"): string[] {
  const entry = { entry: 1, run_id: "run", status, started_at: 0, user: round[0], replies };
  const state = { node: { node: "memory" }, view: { messages: round } };
  const rounds = roundsOf([state] as unknown as Parameters<typeof roundsOf>[0]);
  return shown(recallTurn(fromTranscript(entry as TranscriptEntry), rounds));
}

describe("a recorded turn", () => {
  it("gets its tool calls and the text before them back from the memory", () => {
    expect(recalled(round.slice(3))).toEqual(["let me see", "sum:done", "three"]);
  });

  it("does not show what an agent said that did not speak to the person", () => {
    const other = message("other", "assistant", { type: "text", text: "the answer" });
    expect(recalled([other])).toEqual(["sum:done", "the answer"]);
  });
});
