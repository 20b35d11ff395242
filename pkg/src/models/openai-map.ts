/**
 * Canonical messages to and from OpenAI's chat completions, as pure functions of plain data. Nothing here knows
 * of HTTP.
 */
import type {
  ChatChunk,
  ChatRequest,
  Content,
  FinishReason,
  Message,
  Part,
  ToolSpec,
  Usage,
} from "../wire.js";

/** How this server differs from OpenAI's. */
export interface Dialect {
  /** Role of the system message. Newer OpenAI models read `developer`. */
  systemRole: "system" | "developer";
  /** Whether images in tool results follow as a message of the user; they are only named otherwise. */
  toolImages: "placeholder" | "user_message";
  /** Whether reasoning goes back in `reasoning_content`, for servers that ask for it. */
  sendReasoning: boolean;
}

type Image = Extract<Content, { type: "image" }>;

/** A message in the server's form. */
export type ServerMessage = Record<string, unknown>;

/** The conversation in the server's form. */
export function toServerMessages(messages: Message[], dialect: Dialect): ServerMessage[] {
  const out: ServerMessage[] = [];
  let images: Image[] = [];
  const flush = (): void => {
    if (images.length > 0) out.push({ role: "user", content: images.map(toServerPart) });
    images = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") flush();
    switch (message.role) {
      case "system":
        out.push({ role: dialect.systemRole, content: plainText(message.parts) });
        break;
      case "user":
        out.push({ role: "user", ...name(message), content: userContent(message.parts) });
        break;
      case "assistant":
        out.push(assistantMessage(message, dialect));
        break;
      case "tool":
        for (const part of message.parts) {
          if (part.type !== "tool_result") continue;
          out.push({ role: "tool", tool_call_id: part.call_id, content: resultText(part) });
          if (dialect.toolImages === "user_message") images.push(...part.content.filter(isImage));
        }
        break;
    }
  }
  flush();
  return out;
}

/** The request's other members. */
export function toServerOptions(request: ChatRequest): Record<string, unknown> {
  const { tools, response_format } = request;
  return {
    ...(tools.length === 0 ? {} : { tools: tools.map(toServerTool) }),
    ...(response_format === undefined
      ? {}
      : { response_format: toResponseFormat(response_format) }),
  };
}

function toServerTool({ name, description, parameters }: ToolSpec): unknown {
  return { type: "function", function: { name, description, parameters } };
}

function toResponseFormat(schema: Record<string, unknown>): unknown {
  const title = typeof schema.title === "string" ? schema.title : "";
  const name = title.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) || "answer";
  return { type: "json_schema", json_schema: { name, schema } };
}

function name(message: Message): { name?: string } {
  return message.name !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(message.name)
    ? { name: message.name }
    : {};
}

function plainText(parts: Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function userContent(parts: Part[]): unknown {
  const sendable = parts.filter(isSendable);
  const only = sendable[0];
  if (sendable.length === 1 && only?.type === "text") return only.text;
  return sendable.map(toServerPart);
}

type Sendable = Extract<Part, { type: "text" | "image" | "file" }>;

function isSendable(part: Part): part is Sendable {
  return part.type === "text" || part.type === "image" || part.type === "file";
}

function isImage(part: Content): part is Image {
  return part.type === "image";
}

function toServerPart(part: Sendable): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source, media_type } = part;
  if (part.type === "image") {
    const url = source.kind === "url" ? source.url : dataUrl(source, media_type);
    if (url === undefined) return { type: "text", text: `[image: ${part.alt ?? media_type}]` };
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return { type: "image_url", image_url: { url, ...detail } };
  }
  const filename = part.filename === undefined ? {} : { filename: part.filename };
  if (source.kind === "file_id") return { type: "file", file: { file_id: source.id, ...filename } };
  const audio = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(media_type)?.[1];
  if (audio !== undefined && source.kind === "inline") {
    const format = audio === "wav" ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data: source.base64, format } };
  }
  const data = dataUrl(source, media_type);
  if (data !== undefined) return { type: "file", file: { file_data: data, ...filename } };
  const where = source.kind === "url" ? ` at ${source.url}` : "";
  return { type: "text", text: `[file: ${part.filename ?? media_type}${where}]` };
}

function dataUrl(source: Image["source"], media_type: string): string | undefined {
  return source.kind === "inline" ? `data:${media_type};base64,${source.base64}` : undefined;
}

function assistantMessage(message: Message, dialect: Dialect): ServerMessage {
  const content: unknown[] = [];
  const calls: unknown[] = [];
  const reasoning: string[] = [];
  for (const part of message.parts) {
    if (part.type === "text") content.push({ type: "text", text: part.text });
    else if (part.type === "refusal") content.push({ type: "refusal", refusal: part.text });
    else if (part.type === "reasoning" && typeof part.text === "string") reasoning.push(part.text);
    else if (part.type === "tool_call" && part.executor !== "provider")
      calls.push(toServerCall(part));
  }
  const only = content[0] as { type: string; text: string } | undefined;
  const single = content.length === 1 && only?.type === "text";
  return {
    role: "assistant",
    ...name(message),
    content: single ? only.text : content.length === 0 ? null : content,
    ...(dialect.sendReasoning && reasoning.length > 0
      ? { reasoning_content: reasoning.join("") }
      : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The model's exact text of the arguments goes back as it came, valid JSON or not. `null` is not `{}`. */
function toServerCall({ args = {}, ...part }: Extract<Part, { type: "tool_call" }>): unknown {
  const written = part.args_raw ?? JSON.stringify(args);
  return { id: part.call_id, type: "function", function: { name: part.name, arguments: written } };
}

function resultText(part: Extract<Part, { type: "tool_result" }>): string {
  const text = part.content.map(contentText).join("\n");
  return part.is_error && !/^error\b/i.test(text) ? `Error: ${text}` : text;
}

function contentText(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return JSON.stringify(content.json) ?? "null";
    case "image":
      return `[image: ${content.media_type}]`;
    case "file":
      return `[file: ${content.filename ?? content.media_type}]`;
  }
}

/** Why the server stopped. */
export function fromFinishReason(reason: unknown): FinishReason {
  switch (reason) {
    case "stop":
    case "length":
    case "tool_calls":
    case "content_filter":
    case "error":
      return reason;
    case "function_call":
      return "tool_calls";
    default:
      return "other";
  }
}

/** The server's count of tokens. */
export function fromUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const cached = count(record(usage.prompt_tokens_details).cached_tokens);
  const reasoning = count(record(usage.completion_tokens_details).reasoning_tokens);
  return {
    input: count(usage.prompt_tokens) ?? 0,
    output: count(usage.completion_tokens) ?? 0,
    ...(cached === undefined ? {} : { cached_input: cached }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** Reads the `delta` of a streamed choice, or the `message` of a whole one, piece by piece. */
export class DeltaReader {
  /** Index by the server's id, for servers that give every parallel call the same index or none. */
  readonly #byId = new Map<string, number>();
  readonly #idAt = new Map<number, string>();
  #used = 0;
  refused = false;

  read(delta: unknown): ChatChunk[] {
    if (!isRecord(delta)) return [];
    const chunks: ChatChunk[] = [];
    const reasoning = text(delta.reasoning_content) ?? text(delta.reasoning);
    if (reasoning) chunks.push({ type: "reasoning", text: reasoning });
    const content = contentOf(delta.content);
    if (content) chunks.push({ type: "text", text: content });
    const refusal = text(delta.refusal);
    if (refusal) {
      this.refused = true;
      chunks.push({ type: "text", text: refusal });
    }
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : legacyCall(delta);
    for (const [place, call] of calls.filter(isRecord).entries()) {
      chunks.push(this.#call(call, place));
    }
    return chunks;
  }

  #call(call: Record<string, unknown>, place: number): ChatChunk {
    const id = text(call.id) || undefined;
    const fn = record(call.function);
    const name = text(fn.name) || undefined;
    const args =
      text(fn.arguments) ?? (isRecord(fn.arguments) ? JSON.stringify(fn.arguments) : undefined);
    return {
      type: "tool_call",
      index: this.#index(count(call.index) ?? place, id),
      ...(id === undefined ? {} : { call_id: id }),
      ...(name === undefined ? {} : { name }),
      ...(args === undefined ? {} : { args }),
    };
  }

  #index(given: number, id: string | undefined): number {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    const taken = id !== undefined && this.#idAt.has(given);
    const index = taken ? this.#used : given;
    this.#used = Math.max(this.#used, index + 1);
    if (id !== undefined) {
      this.#byId.set(id, index);
      this.#idAt.set(index, id);
    }
    return index;
  }
}

function legacyCall(delta: Record<string, unknown>): unknown[] {
  return isRecord(delta.function_call) ? [{ index: 0, function: delta.function_call }] : [];
}

/** Text, also where a server sends it as a list of parts. */
function contentOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return text(content);
  return content.map((part) => (isRecord(part) ? (text(part.text) ?? "") : "")).join("");
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
