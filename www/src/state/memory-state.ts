import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { StateNode, StateView } from "mnemograph";
import type { Session } from "../app/session.ts";
import type { Chat } from "../chat/chat.ts";
import { type Failure, toFailure } from "../lib/failure.ts";

/** What one memory node holds for the conversation that is shown. */
export interface NodeState {
  node: StateNode;
  /** Absent where reading failed. */
  view?: StateView;
  failure?: Failure;
}

/** The State tab: every memory node of the graph. */
export interface MemoryState {
  nodes: ReadonlySignal<readonly NodeState[]>;
  failure: ReadonlySignal<Failure | undefined>;
  refresh(): Promise<void>;
  clear(node: string): Promise<void>;
  /** Takes one round, or all that came after it, away from a node. */
  remove(node: string, what: "round" | "later", round: string): Promise<void>;
}

export function createMemoryState(session: Session, chat: Chat): MemoryState {
  const nodes = signal<readonly NodeState[]>([]);
  const failure = signal<Failure | undefined>(undefined);
  let latest = 0;

  effect(() => {
    // Read again when the graph, the conversation or what was answered changes.
    void session.opened.value;
    void chat.thread.value;
    void chat.finished.value;
    void refresh();
  });

  // Notes are made after the answer has been shown.
  effect(() => session.opened.value?.runtime.on("memory_compacted", () => void refresh()));

  async function refresh(): Promise<void> {
    const mine = ++latest;
    const opened = session.opened.peek();
    const thread = chat.thread.peek();
    if (opened === undefined || thread === "") return;
    const { runtime, graph } = opened;
    try {
      const found = await runtime.state.nodes(graph);
      const states = await Promise.all(found.map((node) => inspect(node)));
      if (mine !== latest) return;
      nodes.value = states;
      failure.value = undefined;
    } catch (error) {
      if (mine === latest) failure.value = toFailure(error);
    }

    async function inspect(node: StateNode): Promise<NodeState> {
      try {
        const view = await runtime.state.inspect({ graph, node: node.node, thread });
        return { node, view };
      } catch (error) {
        return { node, failure: toFailure(error) };
      }
    }
  }

  return {
    nodes,
    failure,
    refresh,
    clear: async (node) => {
      const opened = session.opened.peek();
      if (opened === undefined) return;
      const { runtime, graph } = opened;
      const thread = chat.thread.peek();
      await runtime.state.clear({ graph, node, thread });
      await refresh();
    },
    remove: async (node, what, round) => {
      const opened = session.opened.peek();
      if (opened === undefined) return;
      const { runtime, graph } = opened;
      const place = { graph, node, thread: chat.thread.peek(), round };
      if (what === "round") await runtime.messages.deleteRound(place);
      else await runtime.messages.truncateAfter(place);
      await refresh();
    },
  };
}
