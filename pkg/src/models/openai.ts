import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { ChatModel, ModelContext } from "../types.js";
import type { ChatChunk, ChatRequest, FinishReason, ModelRef, Usage } from "../wire.js";
import {
  answeredError,
  formatError,
  networkError,
  type Secrets,
  secretsOf,
  statusError,
} from "./openai-errors.js";
import {
  DeltaReader,
  type Dialect,
  fromFinishReason,
  fromUsage,
  toServerMessages,
  toServerOptions,
} from "./openai-map.js";

/** Headers of a request. */
export type HeaderValues = Record<string, string> | Headers | [string, string][];

/** Options of {@link openaiChat}. */
export interface OpenAiChatOptions {
  /** The model's name at the server. */
  model: string;
  /** Address up to and without `/chat/completions`. `https://api.openai.com/v1`. */
  baseURL?: string | URL;
  /**
   * Sent with each request and stored nowhere: `{ authorization: "Bearer …" }`, or a function that gives them.
   * A key in a page can be read by whoever opens it: prefer a server of your own, or tokens that live shortly.
   */
  headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** Instead of the environment's `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Members of every request's body; the graph's `params` come over them. */
  params?: Record<string, unknown>;
  /** Asks for the count of tokens at the end of a stream. False for servers that refuse `stream_options`. */
  includeUsage?: boolean;
  /** Who runs the server, as it is stored with the answers. `"openai"`. */
  provider?: string;
  /** Role of the system message. `"system"`. */
  systemRole?: Dialect["systemRole"];
  /** What becomes of images in tool results. `"placeholder"`. */
  toolImages?: Dialect["toolImages"];
  /** Sends reasoning back in `reasoning_content`. False. */
  sendReasoning?: boolean;
}

/**
 * A model behind an OpenAI-compatible server: OpenAI, Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.
 *
 * Its calls fail with `E_LLM`; `details` hold `status`, `retry_after_ms` and `provider_code` where the server gave
 * them. No message holds what the headers held.
 */
export function openaiChat(options: OpenAiChatOptions): ChatModel {
  const client = new Client(options);
  const model: ModelRef = { provider: client.provider, api: "chat", id: options.model };
  const chat = (request: ChatRequest, context: ModelContext): AsyncIterable<ChatChunk> =>
    client.chat(request, context.signal);
  return Object.assign(chat, { specVersion: 1, model } as const);
}

class Client {
  readonly provider: string;
  readonly #options: OpenAiChatOptions;
  readonly #url: string;
  readonly #dialect: Dialect;

  constructor(options: OpenAiChatOptions) {
    this.#options = options;
    this.provider = options.provider ?? "openai";
    const base = String(options.baseURL ?? "https://api.openai.com/v1");
    this.#url = `${base.replace(/\/+$/, "")}/chat/completions`;
    this.#dialect = {
      systemRole: options.systemRole ?? "system",
      toolImages: options.toolImages ?? "placeholder",
      sendReasoning: options.sendReasoning ?? false,
    };
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk, undefined> {
    const headers = await this.#headers(request.stream);
    const secrets = secretsOf(headers);
    const response = await this.#send(request, headers, secrets, signal);
    if (!response.ok) throw await statusError(response, this.#url, secrets, Date.now);
    const type = response.headers.get("content-type") ?? "";
    const answer = new Answer(this.provider, this.#options.model, secrets);
    if (type.includes("text/event-stream")) {
      for await (const data of this.#events(response, secrets, signal)) {
        if (data === "[DONE]") {
          answer.done = true;
          break;
        }
        yield* answer.piece(data);
      }
    } else {
      yield* answer.whole(await this.#text(response, secrets, signal), type);
    }
    yield answer.finish();
  }

  async #headers(stream: boolean): Promise<Headers> {
    const { headers } = this.#options;
    const given = new Headers(typeof headers === "function" ? await headers() : headers);
    given.set("content-type", "application/json");
    given.set("accept", stream ? "text/event-stream" : "application/json");
    return given;
  }

  async #send(
    request: ChatRequest,
    headers: Headers,
    secrets: Secrets,
    signal: AbortSignal,
  ): Promise<Response> {
    const { model, params, includeUsage, fetch = globalThis.fetch } = this.#options;
    const { stream } = request;
    const body = {
      ...params,
      ...request.params,
      model,
      messages: toServerMessages(request.messages, this.#dialect),
      ...toServerOptions(request),
      stream,
      ...(stream && includeUsage !== false ? { stream_options: { include_usage: true } } : {}),
    };
    const init = { method: "POST", headers, body: JSON.stringify(body), signal };
    return this.#guard(() => fetch(this.#url, init), secrets, signal);
  }

  #text(response: Response, secrets: Secrets, signal: AbortSignal): Promise<string> {
    return this.#guard(() => response.text(), secrets, signal);
  }

  /** The data of each event of the stream. */
  async *#events(
    response: Response,
    secrets: Secrets,
    signal: AbortSignal,
  ): AsyncGenerator<string, undefined> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    try {
      for (;;) {
        const { done, value } = await this.#guard(() => reader.read(), secrets, signal);
        parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
        for (const { event, data } of events.splice(0)) {
          if (event === "error") throw answeredError(parsed(data) ?? data, secrets);
          // A last event without its empty line counts only if it is whole.
          if (!done || data === "[DONE]" || parsed(data)) yield data;
        }
        if (done) return;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** Network faults as ours; WebKit's own abort error is not the signal's reason. */
  async #guard<T>(step: () => Promise<T>, secrets: Secrets, signal: AbortSignal): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw networkError(error, this.#url, secrets);
    }
  }
}

/** What is known of the answer so far. */
class Answer {
  done = false;
  readonly #delta = new DeltaReader();
  readonly #provider: string;
  readonly #secrets: Secrets;
  #model: string;
  #reason: FinishReason | undefined;
  #usage: Usage | undefined;

  constructor(provider: string, model: string, secrets: Secrets) {
    this.#provider = provider;
    this.#model = model;
    this.#secrets = secrets;
  }

  *piece(data: string): Generator<ChatChunk, undefined> {
    if (data.trim() === "") return;
    const body = parsed(data);
    if (body === undefined) {
      throw formatError(`The stream holds what is no JSON: ${data.slice(0, 80)}`, this.#secrets);
    }
    yield* this.#read(body, "delta");
  }

  *whole(text: string, type: string): Generator<ChatChunk, undefined> {
    const body = parsed(text);
    if (body === undefined) {
      const what = /^\s*</.test(text) ? "a page" : `${type || "something"} that is no JSON`;
      throw formatError(`The server answered ${what} instead of a chat completion.`, this.#secrets);
    }
    if (body.error == null && !Array.isArray(body.choices)) {
      throw formatError("The server answered JSON without `choices`.", this.#secrets);
    }
    this.done = true;
    yield* this.#read(body, "message");
  }

  finish(): ChatChunk {
    if (!this.done && this.#reason === undefined) {
      throw formatError("The stream ended in the middle of the answer.", this.#secrets, true);
    }
    const reason = this.#delta.refused ? "content_filter" : (this.#reason ?? "stop");
    return {
      type: "finish",
      reason,
      model: { provider: this.#provider, api: "chat", id: this.#model },
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  *#read(body: Record<string, unknown>, key: "delta" | "message"): Generator<ChatChunk, undefined> {
    if (body.error != null) throw answeredError(body, this.#secrets);
    if (typeof body.model === "string" && body.model !== "") this.#model = body.model;
    this.#usage = fromUsage(body.usage) ?? this.#usage;
    const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
    if (!isRecord(choice)) return;
    yield* this.#delta.read(choice[key] ?? choice.message);
    if (choice.finish_reason != null) this.#reason = fromFinishReason(choice.finish_reason);
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
