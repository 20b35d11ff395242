// The same conversation with the runtime: a chat with one agent, a memory and a tool.
import { createRuntime, type Graph, type Runtime, type RuntimeOptions } from "mnemograph";
import { TEXT } from "./histories.js";
import type { Model } from "./model.js";

/** Id of the graph. */
export const CHAT = "chat";

type MemoryType = "buffer_memory" | "window_memory";

const document = (memory: MemoryType): object => ({
  format: "mnemograph",
  format_version: 1,
  id: CHAT,
  name: "Chat",
  nodes: [
    { id: "start", type: "chat_trigger" },
    { id: "agent", type: "ai_agent" },
    { id: "llm", type: "llm_model", settings: { model: "default" } },
    { id: "memory", type: memory },
    { id: "lookup", type: "tool", settings: { name: "lookup", run: "host:lookup" } },
    { id: "answer", type: "reply", settings: { text: "{{ nodes.agent.output }}" } },
  ],
  edges: [
    { type: "run", from: "start.out", to: "agent.in" },
    { type: "run", from: "agent.out", to: "answer.in" },
    { type: "link_llm", from: "llm.llm", to: "agent.llm" },
    { type: "link_memory", from: "memory.memory", to: "agent.memory" },
    { type: "link_tool", from: "lookup.tool", to: "agent.tools" },
  ],
});

export interface Chat {
  runtime: Runtime;
  graph: Graph;
}

export async function openChat(
  model: Model,
  options: RuntimeOptions,
  memory: MemoryType = "buffer_memory",
): Promise<Chat> {
  const runtime = await createRuntime({
    models: { default: model as never },
    tools: {
      lookup: {
        description: "Looks something up",
        parameters: { type: "object", properties: { text: { type: "string" } } },
        execute: () => TEXT,
      },
    },
    ...options,
  });
  return { runtime, graph: await runtime.load(document(memory)) };
}

export async function turn({ graph }: Chat, thread: string): Promise<void> {
  const { text } = await graph.invoke({ text: TEXT, thread });
  if (text !== TEXT) throw new Error(`the turn answered ${JSON.stringify(text)}`);
}
