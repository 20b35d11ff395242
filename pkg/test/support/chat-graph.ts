/** The usual graph: a chat, an agent with a model, a buffer memory and one tool, a reply. */
export function chatGraph(id = "chat"): object {
  return {
    format: "mnemograph",
    format_version: 1,
    id,
    name: "Chat",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "agent", type: "ai_agent", settings: { system_prompt: "Be short." } },
      { id: "llm", type: "llm_model", settings: { model: "default", max_retries: 0 } },
      { id: "memory", type: "buffer_memory" },
      { id: "clock", type: "tool", settings: { name: "clock", run: "host:clock" } },
      { id: "answer", type: "reply", settings: { text: "{{ nodes.agent.output }}" } },
    ],
    edges: [
      { type: "run", from: "start.out", to: "agent.in" },
      { type: "run", from: "agent.out", to: "answer.in" },
      { type: "link_llm", from: "llm.llm", to: "agent.llm" },
      { type: "link_memory", from: "memory.memory", to: "agent.memory" },
      { type: "link_tool", from: "clock.tool", to: "agent.tools" },
    ],
  };
}
