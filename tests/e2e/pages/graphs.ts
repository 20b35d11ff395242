/** What the graphs of the tests differ in. */
export interface ChatGraphOptions {
  id?: string;
  /** Id of the memory node. */
  memory?: string;
  scope?: "thread" | "session" | "call";
  /** The agent's memory is a window of so many messages, not a buffer. */
  window?: number;
  /** The agent's memory makes notes of what is more than so many messages, and keeps two as they are. */
  summary?: number;
  /** A second memory node, of a second agent that speaks first. */
  second?: string;
  /** A person must agree to each call of the tool. */
  approve?: boolean;
}

/** A chat with an agent that has a model, a memory and a tool of the page. */
export function chatGraph(options: ChatGraphOptions = {}): object {
  const { id = "chat", memory = "memory", scope = "thread", second, approve = false } = options;
  const { window, summary } = options;
  const document = {
    format: "mnemograph",
    format_version: 1,
    id,
    name: "Chat",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "agent", type: "ai_agent", settings: { system_prompt: "Be brief." } },
      { id: "llm", type: "llm_model", settings: { model: "default", max_retries: 0 } },
      window !== undefined
        ? { id: memory, type: "window_memory", settings: { scope, window_size: window } }
        : summary !== undefined
          ? {
              id: memory,
              type: "summary_memory",
              settings: { scope, summary_trigger: summary, keep_recent: 2 },
            }
          : { id: memory, type: "buffer_memory", settings: { scope } },
      {
        id: "weather",
        type: "tool",
        settings: { name: "weather", run: "host:weather", require_approval: approve },
      },
      { id: "answer", type: "reply", settings: { text: "{{ nodes.agent.output }}" } },
    ] as object[],
    edges: [
      { type: "run", from: second === undefined ? "start.out" : "first.out", to: "agent.in" },
      { type: "run", from: "agent.out", to: "answer.in" },
      { type: "link_llm", from: "llm.llm", to: "agent.llm" },
      { type: "link_memory", from: `${memory}.memory`, to: "agent.memory" },
      { type: "link_tool", from: "weather.tool", to: "agent.tools" },
    ],
  };
  if (second === undefined) return document;
  document.nodes.push(
    { id: "first", type: "ai_agent", settings: { system_prompt: "Think aloud." } },
    { id: second, type: "buffer_memory", settings: { scope } },
  );
  document.edges.push(
    { type: "run", from: "start.out", to: "first.in" },
    { type: "link_llm", from: "llm.llm", to: "first.llm" },
    { type: "link_memory", from: `${second}.memory`, to: "first.memory" },
  );
  return document;
}
