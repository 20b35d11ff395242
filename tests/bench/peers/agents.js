// One agent turn with one tool and a model that answers at once, in libraries that run agents. Each `turn` is a whole
// turn: question, call, result, answer.

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph/web";
import {
  Agent,
  tool as agentsTool,
  MemorySession,
  Runner,
  setTracingDisabled,
  Usage,
} from "@openai/agents-core";
import { tool as aiSdkTool, generateText, isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "langchain";
import { z } from "zod";
import { TEXT } from "../parts/histories.js";

const description = "Looks something up";
const schema = z.object({ text: z.string() });
const args = { text: TEXT };
const written = JSON.stringify(args);
const execute = async () => TEXT;

/** A number for each call of a tool. */
let calls = 0;

const nextCall = () => {
  calls += 1;
  return `call_${calls}`;
};

function expect(found, who) {
  if (found !== TEXT) throw new Error(`${who} answered ${JSON.stringify(found)}`);
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const aiSdkModel = () =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) =>
      prompt.at(-1).role === "tool"
        ? {
            content: [{ type: "text", text: TEXT }],
            finishReason: { unified: "stop", raw: "stop" },
            usage,
            warnings: [],
          }
        : {
            content: [
              { type: "tool-call", toolCallId: nextCall(), toolName: "lookup", input: written },
            ],
            finishReason: { unified: "tool-calls", raw: "tool_calls" },
            usage,
            warnings: [],
          },
  });

const aiSdkTools = { lookup: aiSdkTool({ description, inputSchema: schema, execute }) };

export const aiSdk = {
  name: "AI SDK generateText",
  turn() {
    const model = aiSdkModel();
    return async () => {
      // The mock keeps every call it ever had.
      model.doGenerateCalls.length = 0;
      const { text } = await generateText({
        model,
        tools: aiSdkTools,
        stopWhen: isStepCount(5),
        messages: [{ role: "user", content: TEXT }],
      });
      expect(text, "AI SDK");
    };
  },
};

/** A streamed answer of so many pieces; gives its length. */
export const aiSdkStream = (pieces, piece) => {
  const model = new MockLanguageModelV4({
    doStream: async () => ({ stream: answerOf(pieces, piece) }),
  });
  return async () => {
    model.doStreamCalls.length = 0;
    const { textStream } = streamText({ model, prompt: TEXT });
    let length = 0;
    for await (const text of textStream) length += text.length;
    return length;
  };
};

function answerOf(pieces, piece) {
  let left = pieces;
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      controller.enqueue({ type: "text-start", id: "t" });
    },
    pull(controller) {
      if (left > 0) {
        left -= 1;
        controller.enqueue({ type: "text-delta", id: "t", delta: piece });
        return;
      }
      controller.enqueue({ type: "text-end", id: "t" });
      controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
      controller.close();
    },
  });
}

class AgentsModel {
  async getResponse({ input }) {
    const asked = typeof input === "string" || input.at(-1).role === "user";
    const item = asked
      ? {
          type: "function_call",
          callId: nextCall(),
          name: "lookup",
          arguments: written,
          status: "completed",
        }
      : said(TEXT);
    return { usage: new Usage(), output: [item], responseId: `r_${calls}` };
  }

  async *getStreamedResponse() {
    yield* [];
  }
}

const said = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

export const openAiAgents = {
  name: "OpenAI Agents",
  turn: () => agentsTurn(() => new MemorySession()),
  /** A turn on a conversation of so many messages, which the library keeps in RAM. */
  remembering(messages, text) {
    const item = (i) =>
      i % 2 === 0 ? { type: "message", role: "user", content: text(i) } : said(text(i));
    const initialItems = Array.from({ length: messages }, (_, i) => item(i));
    const session = new MemorySession({ initialItems });
    return agentsTurn(() => session);
  },
};

function agentsTurn(session) {
  setTracingDisabled(true);
  const look = agentsTool({ name: "lookup", description, parameters: schema, execute });
  const agent = new Agent({
    name: "bench",
    instructions: "Be brief.",
    model: new AgentsModel(),
    tools: [look],
  });
  const runner = new Runner({ tracingDisabled: true });
  return async () => {
    const { finalOutput } = await runner.run(agent, TEXT, { session: session() });
    expect(finalOutput, "OpenAI Agents");
  };
}

class LangChainModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType() {
    return "instant";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const message =
      messages.at(-1).getType() === "tool"
        ? new AIMessage(TEXT)
        : new AIMessage({
            content: "",
            tool_calls: [{ name: "lookup", args, id: nextCall(), type: "tool_call" }],
          });
    return { generations: [{ text: String(message.content), message }] };
  }
}

const langChainLook = langChainTool(execute, { name: "lookup", description, schema });

export const langChain = {
  name: "LangChain createAgent",
  turn: () => langChainTurn(undefined, () => ({})),
  /** A turn on a conversation of so many messages, which the library keeps in RAM. */
  async remembering(messages, text) {
    const saver = new MemorySaver();
    const config = { configurable: { thread_id: "long" } };
    const item = (i) => (i % 2 === 0 ? new HumanMessage(text(i)) : new AIMessage(text(i)));
    const seed = Array.from({ length: messages }, (_, i) => item(i));
    const made = agentWith(saver);
    await made.updateState(config, { messages: seed });
    return langChainTurn(made, () => config);
  },
};

const agentWith = (checkpointer) =>
  createAgent({
    model: new LangChainModel(),
    tools: [langChainLook],
    ...(checkpointer ? { checkpointer } : {}),
  });

function langChainTurn(given, config) {
  const agent = given ?? agentWith();
  return async () => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage(TEXT)] }, config());
    expect(messages.at(-1)?.content, "LangChain");
  };
}
