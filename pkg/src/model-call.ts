import {
  asFault,
  type Delivery,
  describeValue,
  done,
  Fault,
  failed,
  type Sink,
  settled,
} from "./delivery.js";
import { Halves } from "./halves.js";
import { MAX_TEXT, toJsonText, toPlain, wellFormed } from "./json.js";
import type { ChatModel, ModelContext } from "./types.js";
import type { ChatChunk, ChatRequest, FinishReason, ModelRef, Usage } from "./wire.js";

/** Codes that a model may name itself; anything else it throws is `E_LLM`. */
const MODEL_CODES: ReadonlySet<string> = new Set([
  "E_LLM",
  "E_LLM_RESPONSE",
  "E_LLM_TIMEOUT",
  "E_CONTEXT_TOO_LARGE",
  "E_HISTORY_REJECTED",
]);

/** Calls a model and brings whatever it does into one of the three forms of a delivery. Never rejects. */
export async function callModel(
  model: ChatModel,
  request: ChatRequest,
  context: ModelContext,
  sink: Sink,
): Promise<Delivery> {
  try {
    const given = settled(model(request, context));
    const answer = given instanceof Promise ? await given : given;
    const pull = streamOf(answer);
    if (pull === undefined) return done(readResponse(answer));
    await forward(pull, context.signal, sink);
    return done(null);
  } catch (error) {
    return failed(
      asFault(error, "E_LLM_RESPONSE", "What the model answered"),
      "E_LLM",
      MODEL_CODES,
    );
  }
}

/** The next pieces of a stream, and its end. */
interface Pull {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  stop(): unknown;
}

function streamOf(answer: unknown): Pull | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const iterate = (answer as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator];
  if (typeof iterate === "function") {
    const iterator = iterate.call(answer) as AsyncIterator<unknown>;
    return { next: async () => iterator.next(), stop: () => iterator.return?.() };
  }
  if (typeof (answer as { getReader?: unknown }).getReader !== "function") return undefined;
  const reader = (answer as ReadableStream<unknown>).getReader();
  return { next: () => reader.read(), stop: () => reader.cancel() };
}

async function forward(pull: Pull, signal: AbortSignal, sink: Sink): Promise<void> {
  const stop = once(() => quietly(pull.stop));
  signal.addEventListener("abort", stop, { once: true });
  const halves = new Halves();
  let size = 0;
  let wanted = !signal.aborted;
  try {
    while (wanted) {
      const step = await pull.next();
      if (typeof step !== "object" || step === null) throw noStep();
      if (step.done) break;
      const chunk = halves.mend(readChunk(step.value));
      if (chunk === undefined) continue;
      const payload = chunkText(chunk);
      size += payload.length;
      if (size > MAX_TEXT) {
        throw new Fault(
          "E_LLM_RESPONSE",
          `The model's answer is larger than ${MAX_TEXT} characters.`,
        );
      }
      wanted = sink(payload);
    }
    for (const chunk of halves.rest()) sink(chunkText(chunk));
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (!wanted) stop();
}

/** The chunk as JSON text. Pieces of text are the many: they take the short way. */
function chunkText(chunk: ChatChunk): string {
  if (chunk.type !== "text") return toJsonText(chunk);
  return `{"type":"text","text":${JSON.stringify(wellFormed(chunk.text))}}`;
}

/** A chunk of the exact shape, from whatever was yielded. */
function readChunk(value: unknown): ChatChunk {
  if (typeof value === "string") return { type: "text", text: value };
  const short = shortChunk(value);
  if (short) return short;
  const plain = toPlain(value, "keep") as Record<string, unknown>;
  const type = typeof value === "object" && value !== null ? plain.type : undefined;
  switch (type) {
    case "text":
      return { type, text: text(plain, "text", type) };
    case "reasoning":
      return {
        type,
        ...pick(plain, "text"),
        ...pick(plain, "signature"),
        ...(typeof plain.redacted === "boolean" ? { redacted: plain.redacted } : {}),
        ...(isRecord(plain.ext) ? { ext: plain.ext } : {}),
      };
    case "tool_call":
      return {
        type,
        index: index(plain.index),
        ...pick(plain, "call_id"),
        ...pick(plain, "name"),
        ...pick(plain, "args"),
      };
    case "finish":
      return { type, reason: finishReason(plain.reason), ...readUsage(plain), ...readModel(plain) };
    default:
      throw new Fault(
        "E_LLM_RESPONSE",
        `The model's stream gave ${typeof type === "string" ? `a piece of the unknown type "${type.slice(0, 40)}"` : describeValue(value)}.`,
        'Yield text, or { type: "text" | "reasoning" | "tool_call" | "finish", … }.',
      );
  }
}

function shortChunk(value: unknown): ChatChunk | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const { type, text: piece } = value as Record<string, unknown>;
    return type === "text" && typeof piece === "string" ? { type, text: piece } : undefined;
  } catch {
    return undefined;
  }
}

/** A response of the exact shape, from whatever was returned. */
function readResponse(value: unknown): unknown {
  if (typeof value === "string") return value;
  const plain = typeof value === "object" && value !== null ? toPlain(value) : undefined;
  if (!isRecord(plain)) throw noResponse(describeValue(value));
  const { text, parts, tool_calls, finish_reason } = plain;
  if (text == null && parts == null && tool_calls == null) {
    throw noResponse("an object without text, parts or tool_calls");
  }
  if (text != null && typeof text !== "string")
    throw noResponse(`text that is ${describeValue(text)}`);
  for (const [name, list] of Object.entries({ parts, tool_calls })) {
    if (list != null && !(Array.isArray(list) && list.every(isRecord))) {
      throw noResponse(`${name} that are no list of objects`);
    }
  }
  return {
    ...(text == null ? {} : { text }),
    ...(parts == null ? {} : { parts }),
    ...(tool_calls == null
      ? {}
      : { tool_calls: (tool_calls as Record<string, unknown>[]).map(readCall) }),
    ...(finish_reason == null ? {} : { finish_reason: finishReason(finish_reason) }),
    ...readUsage(plain),
    ...readModel(plain),
  };
}

function readCall(call: Record<string, unknown>): unknown {
  if (typeof call.name !== "string") throw noResponse("a tool call without a name");
  return {
    name: call.name,
    ...pick(call, "call_id"),
    ...pick(call, "args_raw"),
    ...("args" in call ? { args: call.args } : {}),
  };
}

function noResponse(what: string): Fault {
  return new Fault(
    "E_LLM_RESPONSE",
    `The model answered ${what}.`,
    "Return text, { text, tool_calls, … } or an async iterable of pieces.",
  );
}

function noStep(): Fault {
  return new Fault("E_LLM_RESPONSE", "The model's stream has a `next` that gives no object.");
}

const REASONS: ReadonlySet<unknown> = new Set<FinishReason>([
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "error",
  "other",
]);

function finishReason(value: unknown): FinishReason {
  return REASONS.has(value) ? (value as FinishReason) : "other";
}

function readUsage(from: Record<string, unknown>): { usage?: Usage } {
  const usage = from.usage;
  if (!isRecord(usage)) return {};
  const cached = tokens(usage.cached_input);
  const reasoning = tokens(usage.reasoning);
  return {
    usage: {
      input: tokens(usage.input) ?? 0,
      output: tokens(usage.output) ?? 0,
      ...(cached === undefined ? {} : { cached_input: cached }),
      ...(reasoning === undefined ? {} : { reasoning }),
    },
  };
}

function tokens(value: unknown): number | undefined {
  const known = typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  return known ? Math.round(value) : undefined;
}

function readModel(from: Record<string, unknown>): { model?: ModelRef } {
  const model = from.model;
  if (!isRecord(model)) return {};
  const { provider, api, id } = model;
  if (typeof provider !== "string" || typeof id !== "string") return {};
  return { model: { provider, id, ...(typeof api === "string" ? { api } : {}) } };
}

function index(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 10_000)
    return value;
  throw new Fault(
    "E_LLM_RESPONSE",
    "The model's stream gave a tool call without a whole number `index`.",
  );
}

function text(from: Record<string, unknown>, key: string, type: string): string {
  const value = from[key];
  if (typeof value === "string") return value;
  throw new Fault(
    "E_LLM_RESPONSE",
    `The model's stream gave a piece of type "${type}" without text.`,
  );
}

function pick<K extends string>(from: Record<string, unknown>, key: K): { [P in K]?: string } {
  const value = from[key];
  return typeof value === "string" ? ({ [key]: value } as { [P in K]: string }) : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function once(action: () => void): () => void {
  let ran = false;
  return () => {
    if (ran) return;
    ran = true;
    action();
  };
}

function quietly(action: () => unknown): void {
  try {
    const result = settled(action());
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // The stream is being dropped: how it takes that is nobody's concern.
  }
}
