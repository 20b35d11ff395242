import type { ChatModel, ModelContext } from "../types.js";
import type { ChatChunk, ChatRequest, ModelRef } from "../wire.js";
import { demoNotes } from "./demo-notes.js";
import { demoAnswer } from "./demo-script.js";

/** Options of {@link demoModel}. */
export interface DemoModelOptions {
  /** Milliseconds between words; 0 for tests. 25. */
  delayMs?: number;
}

const MODEL: ModelRef = { provider: "mnemograph", api: "demo", id: "demo" };

/**
 * A model without key and network: a script that is the same on every machine. It remembers what the history it is
 * sent holds (a name, where people live, what they like), uses tools for weather, time and sums where the graph
 * links some, and says plainly that it is a demo.
 */
export function demoModel(options: DemoModelOptions = {}): ChatModel {
  const { delayMs = 25 } = options;
  const chat = (request: ChatRequest, context: ModelContext): AsyncIterable<ChatChunk> =>
    answer(request, context, delayMs);
  return Object.assign(chat, { specVersion: 1, model: MODEL } as const);
}

async function* answer(
  request: ChatRequest,
  { signal, purpose }: ModelContext,
  delayMs: number,
): AsyncGenerator<ChatChunk, undefined> {
  const { text, calls } =
    purpose === "memory.summary" ? { text: demoNotes(request), calls: [] } : demoAnswer(request);
  const words = text.split(/(?<=\s)/);
  for (const word of words) {
    await pause(delayMs, signal);
    yield { type: "text", text: word };
  }
  // Ids that do not repeat within a conversation: the number of messages grows with each call.
  const round = request.messages.length;
  for (const [index, { name, args }] of calls.entries()) {
    await pause(delayMs, signal);
    yield { type: "tool_call", index, call_id: `demo_${round}_${index}`, name };
    yield { type: "tool_call", index, args: JSON.stringify(args) };
  }
  yield {
    type: "finish",
    reason: calls.length > 0 ? "tool_calls" : "stop",
    usage: { input: countWords(request), output: words.length },
    model: MODEL,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function countWords(request: ChatRequest): number {
  return request.messages
    .flatMap((message) => message.parts)
    .reduce((sum, part) => sum + (part.type === "text" ? part.text.split(/\s+/).length : 1), 0);
}
