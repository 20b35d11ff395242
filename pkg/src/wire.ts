/** What crosses between the runtime and the page, in the form in which it is stored and sent. */

/** Any value that JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Who wrote a message. */
export type Role = "user" | "assistant" | "tool" | "system";

/** How the round of a message ended. */
export type MessageStatus = "complete" | "aborted" | "failed" | "incomplete" | "blocked";

/** Data of foreign systems, one namespace each; kept and given back as it came. */
export type Ext = Record<string, unknown>;

/** Where the bytes of an image or a file are. */
export type Source =
  | { kind: "url"; url: string }
  | { kind: "blob"; sha256: string; size: number }
  | { kind: "file_id"; provider: string; id: string }
  | { kind: "inline"; base64: string };

/** An image. */
export interface ImagePart {
  type: "image";
  source: Source;
  media_type: string;
  detail?: string;
  alt?: string;
  ext?: Ext;
}

/** A file; audio and video too. */
export interface FilePart {
  type: "file";
  source: Source;
  media_type: string;
  filename?: string;
  ext?: Ext;
}

/** What a tool result holds. */
export type Content =
  | { type: "text"; text: string }
  | { type: "json"; json: unknown }
  | ImagePart
  | FilePart;

/** A part of a message. */
export type Part =
  | { type: "text"; text: string; annotations?: unknown[]; ext?: Ext }
  | ImagePart
  | FilePart
  | {
      type: "reasoning";
      text?: string;
      summary?: unknown;
      signature?: string;
      redacted?: boolean;
      ext?: Ext;
    }
  | {
      type: "tool_call";
      call_id: string;
      name: string;
      /** Absent where the model wrote no valid JSON. */
      args?: unknown;
      /** The model's exact text, where `args` does not give it back. */
      args_raw?: string;
      executor?: "client" | "provider";
      ext?: Ext;
    }
  | {
      type: "tool_result";
      call_id: string;
      name: string;
      is_error: boolean;
      content: Content[];
      preliminary?: boolean;
      ext?: Ext;
    }
  | { type: "refusal"; text: string; ext?: Ext }
  | { type: "compaction"; text?: string; opaque?: unknown; ext?: Ext }
  | { type: "data"; name: string; data: unknown; ext?: Ext }
  | { type: `x-${string}`; [key: string]: unknown };

/** Tokens. */
export interface Usage {
  input: number;
  output: number;
  /** Of the tokens read, those that came from a cache. */
  cached_input?: number;
  /** Of the tokens written, those of reasoning. */
  reasoning?: number;
}

/** Which model answered. */
export interface ModelRef {
  provider: string;
  api?: string;
  id: string;
  family?: string;
}

/** A message in the canonical form. */
export interface Message {
  v: 1;
  id: string;
  round?: string;
  seq?: number;
  role: Role;
  status: MessageStatus;
  error_code?: string;
  /** Milliseconds since the epoch. */
  created_at?: number;
  name?: string;
  parts: Part[];
  model?: ModelRef;
  finish_reason?: string;
  usage?: Usage;
  meta?: Record<string, unknown>;
  ext?: Ext;
}

/** What a model call is for. */
export type Purpose = "agent";

/** A tool as the model is told of it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** One model call. */
export interface ChatRequest {
  /** Canonical messages, the system message first if there is one. */
  messages: Message[];
  /** The tools on offer. */
  tools: ToolSpec[];
  /** JSON Schema that the answer has to fit. */
  response_format?: Record<string, unknown>;
  /** Passed through to the model. */
  params: Record<string, unknown>;
  /** True if the graph wants the answer in pieces; a whole answer is right all the same. */
  stream: boolean;
}

/** Why a model stopped. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "error" | "other";

/** One piece of a streamed answer. */
export type ChatChunk =
  | { type: "text"; text: string }
  | { type: "reasoning"; text?: string; signature?: string; redacted?: boolean; ext?: Ext }
  | { type: "tool_call"; index: number; call_id?: string; name?: string; args?: string }
  | { type: "finish"; reason: FinishReason; usage?: Usage; model?: ModelRef };

/** A tool call in a whole answer: `args`, or `args_raw` as the model's exact text. */
export interface ResponseToolCall {
  call_id?: string;
  name: string;
  args?: unknown;
  args_raw?: string;
}

/** A whole answer: `text` and `tool_calls`, or canonical `parts`. */
export interface ChatResponse {
  text?: string;
  parts?: Part[];
  tool_calls?: ResponseToolCall[];
  finish_reason?: FinishReason;
  usage?: Usage;
  model?: ModelRef;
}

/** The error of a node or of a whole run. Holds no text of the conversation. */
export interface RunError {
  code: string;
  message: string;
  hint?: string;
  node?: string;
  path?: string[];
  /** How many attempts were made, from 1; 0 where nothing is attempted twice. */
  attempt: number;
  /** True if the same message may succeed later. */
  retryable: boolean;
  status?: number;
}

/** How a call of a model or a tool failed, as the engine is told. */
export interface Failure {
  code?: string;
  message: string;
  retryable?: boolean;
  status?: number;
  retry_after_ms?: number;
  hint?: string;
}

/** How a node ended. */
export type NodeStatus =
  | "pending"
  | "running"
  | "succeeded"
  | "skipped"
  | "handled"
  | "failed"
  | "cancelled";

/** How a run ended. */
export type RunStatus = "succeeded" | "partial" | "failed" | "cancelled" | "limit";

/** The payloads of events by type. */
export interface EventPayloads {
  run_started: { trigger: string; graph_hash: string };
  node_started: Record<string, never>;
  node_finished: { status: NodeStatus; ms: number };
  node_skipped: Record<string, never>;
  node_failed: { error: RunError };
  node_retry: { attempt: number; delay_ms: number; code: string };
  edge_taken: { from: string; to: string };
  edge_skipped: { from: string; to: string };
  token: { channel: "reply" | "internal"; text: string };
  reasoning_token: { text: string };
  tool_call: { call_id: string; name: string; args: unknown };
  tool_result: { call_id: string; name: string; is_error: boolean; content: Content[]; ms: number };
  memory_read: { count: number; in_view: number };
  memory_written: { count: number; bytes: number; hash: string };
  reply_started: Record<string, never>;
  reply_done: { text: string };
  warning: { code: string; message: string; hint: string };
  run_finished: {
    status: RunStatus;
    text: string;
    outputs: Record<string, unknown>;
    usage: Usage;
  };
  run_failed: { error: RunError };
  run_cancelled: { reason: string };
  run_limit: { error: RunError };
}

/** The envelope of every event. */
export interface EventEnvelope {
  v: 1;
  /** Strictly increasing within a run. Joined deltas carry the `seq` of the first of them. */
  seq: number;
  /** Milliseconds since the epoch. */
  t: number;
  run_id: string;
  thread_id: string;
  graph_id: string;
  /** Containers and sub-graphs around the node. */
  path: unknown[];
  /** The node it is about; absent for the run itself. */
  node?: string;
}

/** An event of a run; `type` tells what `data` holds. */
export type RunEvent = {
  [T in keyof EventPayloads]: EventEnvelope & { type: T; data: EventPayloads[T] };
}[keyof EventPayloads];

/** A warning of a run. */
export interface RunWarning {
  code: string;
  node?: string;
  message: string;
  hint: string;
}

/** What a run gives back. */
export interface RunResult {
  status: RunStatus;
  /** What was replied, whole. */
  text: string;
  /** The values of the `output` nodes by name. */
  outputs: Record<string, unknown>;
  /** The messages that agents added, in order. */
  messages: Message[];
  usage: Usage;
  warnings: RunWarning[];
  run_id: string;
  thread: string;
  error?: RunError;
}

/** One thing that is wrong with a document. */
export interface Problem {
  code: string;
  severity: "error" | "warning";
  node?: string;
  port?: string;
  /** JSON pointer into the document. */
  path?: string;
  message: string;
  hint: string;
}

/** What a check of a document found. */
export interface CheckResult {
  /** True if the document can be loaded; warnings allow that. */
  ok: boolean;
  problems: Problem[];
  /** Semantic hash: the same for two documents that do the same. */
  hash?: string;
}

/** A conversation. */
export interface Thread {
  id: string;
  actor: string;
  title?: string;
  created_at: number;
  updated_at: number;
  /** Turns so far. */
  turns: number;
}

/** One turn of a conversation as the channel showed it. */
export interface TranscriptEntry {
  entry: number;
  run_id: string;
  status: "running" | "complete" | "aborted" | "failed";
  started_at: number;
  user?: Message;
  replies: Message[];
}

/** A node that keeps state. */
export interface StateNode {
  node: string;
  type: string;
  title?: string;
  kind: "messages";
  scope: "thread" | "session" | "call";
}

/** A stored message and whether the model is sent it in the next turn. */
export interface StateMessage {
  message: Message;
  in_view: boolean;
}

/** What a memory node holds for a thread. */
export interface StateView {
  node: string;
  type: string;
  kind: "messages";
  scope: "thread" | "session" | "call";
  thread: string;
  /** Where it is stored: namespace, graph, node, thread, memory type. */
  storage_key: string[];
  /** Which life of the history this is; it changes when the history is cleared. */
  epoch?: number;
  messages: StateMessage[];
  count: number;
  bytes: number;
}

/** What was cleared. */
export interface Cleared {
  messages: number;
  epoch: number;
}
