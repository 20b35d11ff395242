import { expect } from "vitest";
import type { CallKind } from "../../src/handle.js";
import { CallRegister } from "../../src/host.js";
import type { ChatModel, Tool } from "../../src/index.js";
import { NodeTypes } from "../../src/node-types.js";
import { prepareTools } from "../../src/schema.js";

/** What the module was told of a call. */
export interface Said {
  call_id: number;
  kind: string;
  payload: unknown;
}

/** The host of the callbacks with one model and one tool, both of which may be anything. */
export function hostWith(
  model: unknown,
  tool?: unknown,
  parameters: Tool["parameters"] = { type: "object" },
) {
  const said: Said[] = [];
  const execute = (tool ?? (() => null)) as Tool["execute"];
  const calls = new CallRegister({
    models: new Map([["default", model as ChatModel]]),
    tools: prepareTools({ act: { description: "", parameters, execute } }),
    functions: new Map(),
    nodes: new NodeTypes({}),
    http: undefined,
    now: () => 0,
    id: () => "id",
    deliver: (_run, call_id, kind, payload) =>
      void said.push({ call_id, kind, payload: JSON.parse(payload) }),
    events: () => {},
    committed: () => {},
    lost: () => {},
    notice: () => {},
    finished: () => {},
    threadOf: () => "t",
    abortReason: (_run, words) => new Error(words),
  });
  let next = 0;
  const call = (
    kind: CallKind,
    payload: object,
    name = kind === "model" ? "default" : "act",
  ): number => {
    next += 1;
    calls.host.call("r", next, kind, name, JSON.stringify(payload));
    return next;
  };
  const ask = () =>
    call("model", {
      request: { messages: [], tools: [], params: {} },
      purpose: "agent",
      node: "n",
    });
  const act = (args: unknown) => call("tool", { args, call_id: "c", thread_id: "t", name: "act" });
  return { calls, said, ask, act, call };
}

/** All that a model's answer became. */
export async function answerOf(model: unknown): Promise<Said[]> {
  const { calls, said, ask } = hostWith(model);
  ask();
  await until(() => calls.counts.open === 0);
  return said;
}

/** What a tool's result became. */
export async function resultOf(tool: unknown, args: unknown = {}): Promise<Said | undefined> {
  const { calls, said, act } = hostWith(undefined, tool);
  act(args);
  await until(() => calls.counts.open === 0);
  return said[0];
}

export async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 1 }).toBe(true);
}
