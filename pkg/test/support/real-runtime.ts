import { afterEach } from "vitest";
import {
  createRuntime,
  type Graph,
  type Runtime,
  type RuntimeOptions,
  type Tool,
} from "../../src/index.js";
import { type ScriptedTurn, scriptedModel } from "../../src/testing/index.js";
import { chatGraph } from "./chat-graph.js";

/** A tool without secrets. */
export const clock: Tool = {
  description: "Tells the time",
  parameters: {
    type: "object",
    properties: { zone: { type: "string" } },
    additionalProperties: false,
  },
  execute: ({ zone }) => ({ zone: zone ?? "UTC", time: "12:00" }),
};

const opened: Runtime[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((runtime) => runtime.close()));
});

/** A runtime on the real module, closed after the test, and the usual graph. */
export async function open(
  script: ScriptedTurn[],
  options: RuntimeOptions = {},
): Promise<{ model: ReturnType<typeof scriptedModel>; runtime: Runtime; graph: Graph }> {
  const model = scriptedModel(...script);
  const runtime = await createRuntime({
    storage: "memory",
    models: { default: model },
    tools: { clock },
    ...options,
  });
  opened.push(runtime);
  return { model, runtime, graph: await runtime.load(chatGraph()) };
}

/** The model calls the clock. */
export const useClock: ScriptedTurn = [
  { type: "tool_call", index: 0, call_id: "c1", name: "clock", args: '{"zone": ' },
  { type: "tool_call", index: 0, args: '"CET"}' },
  { type: "finish", reason: "tool_calls" },
];
