import type { WasmSource } from "./wasm-source.js";
import type {
  Approval,
  ChatChunk,
  ChatRequest,
  ChatResponse,
  KeyPart,
  Message,
  ModelRef,
  Part,
  Purpose,
  RunEvent,
  ValueType,
} from "./wire.js";

/** What a model callback is told beside the request. */
export interface ModelContext {
  /** Aborted when the answer is no longer wanted: cancelled, timed out, closed. */
  signal: AbortSignal;
  run_id: string;
  /** Id of the node that asks. */
  node: string;
  /** What the call is for, to route, bill or refuse it. */
  purpose: Purpose;
}

/** What a model callback may give: a whole answer, or its pieces as they come. */
export type ModelAnswer =
  | string
  | ChatResponse
  | AsyncIterable<ChatChunk | string>
  | ReadableStream<ChatChunk | string>;

/**
 * A model: called for each request of a graph. Throw a {@link MnemographError} with code `E_LLM` and
 * `retryable: true` for a fault that may pass.
 */
export interface ChatModel {
  (request: ChatRequest, context: ModelContext): ModelAnswer | Promise<ModelAnswer>;
  /** Version of this contract; 1 where absent. */
  readonly specVersion?: 1;
  /** Which model answers, where that is known: its reasoning is sent back to itself alone. */
  readonly model?: ModelRef;
}

/** What a tool is told beside its arguments. */
export interface ToolContext {
  /** Aborted when the result is no longer wanted. */
  signal: AbortSignal;
  run_id: string;
  thread_id: string;
  /** The provider's id of the call. */
  call_id: string;
}

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** A schema of a library that follows Standard Schema and can say itself as JSON Schema. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

/** What a Standard Schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
      }>;
    };

/**
 * A tool of the page. The arguments are checked against `parameters` before `execute` is called; the model
 * is told of wrong ones. What `execute` gives is sent to the model; what it throws is sent as an error.
 */
export interface Tool<Args = Record<string, unknown>> {
  /** What it does, for the model. */
  description: string;
  /** JSON Schema of the arguments, or a schema of zod, ArkType or any library of the same standard. */
  parameters: JsonSchema | StandardSchema<Args>;
  execute(args: Args, context: ToolContext): unknown;
  /**
   * Whether a person is asked before each call: `"auto"` (default) calls at once, `"ask"` lets the run wait for
   * `runtime.resume`, `"deny"` never calls. A function decides by the arguments, each time; one that throws is an
   * error of the tool, and no call is made. A `tool` node can only tighten it.
   */
  approval?: Approval | ((args: Args, context: ToolContext) => Approval | Promise<Approval>);
}

/** What a function of a `call` node is told beside its arguments. */
export interface FunctionContext {
  /** Aborted when the result is no longer wanted. */
  signal: AbortSignal;
  run_id: string;
  thread_id: string;
  /** Id of the node that asks. */
  node: string;
}

/** A data port of a {@link NodeType}: the type of its values, or more. */
export type NodePort = ValueType | { type: ValueType; required?: boolean };

/** What a node of the page is given. */
export interface NodeCall<Settings = Record<string, unknown>> {
  /** Templates are evaluated, and the whole fits the schema. */
  settings: Settings;
  /** The inputs that have a value, by name. */
  inputs: Record<string, unknown>;
}

/** What a node of the page gives; nothing counts as `{}`. */
export interface NodeResult {
  /** Values of outputs, by name. */
  outputs?: Record<string, unknown>;
  /** The port by which control leaves: one of `exits`, the first where absent. */
  exit?: string;
}

/** What `execute` of a node may give. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return is one
export type NodeAnswer = NodeResult | undefined | void;

/**
 * A node type of the page: a step with ports of its own. It is checked, retried, timed and recorded as the built-in
 * ones are. What `execute` throws is the error of the step (`E_CALL`; `retryable: true` lets `on_error.retry` act).
 */
export interface NodeType<Settings = Record<string, unknown>> {
  ports?: {
    inputs?: Record<string, NodePort>;
    outputs?: Record<string, NodePort>;
    /** Ports by which control leaves. `["out"]`. */
    exits?: readonly string[];
  };
  /** JSON Schema of the settings, or a schema of zod, ArkType or any library of the same standard. Anything goes where absent. */
  settings?: JsonSchema | StandardSchema<Settings>;
  /** Longest wait for one attempt, in milliseconds; a node's own `timeout_ms` goes before it. 30 000. */
  timeoutMs?: number;
  execute(call: NodeCall<Settings>, context: FunctionContext): NodeAnswer | Promise<NodeAnswer>;
}

/** What `http_request` nodes may do. */
export interface HttpOptions {
  /**
   * What graphs may fetch: origins (`https://api.example.com`) or origins with a path, which allow what lies below
   * it. Redirects are not followed and no cookies are sent.
   */
  allow: readonly string[];
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** A person's answer to a run that waits. */
export interface Answer {
  /** Id of the interrupt. */
  interrupt: string;
  /** One of its actions; `"answer"` for a question. */
  action?: string;
  /** What goes with it: the text of an answer, `{comment}` of an approval, the fields of a form. */
  data?: unknown;
  /** Go on although the graph has changed since. */
  allowChangedGraph?: boolean;
}

/** What happens to a message on a thread where a run is going on. */
export type OnBusy = "queue" | "reject" | "cancel_previous";

/** When events are delivered: after each step of the engine, once a frame, or each so many milliseconds. */
export type Batch = "microtask" | "frame" | number;

/** Options of {@link createRuntime}. */
export interface RuntimeOptions {
  /** Name of the database. `"mnemograph"`. */
  database?: string;
  /** First part of every key: one for each signed-in person. `"default"`. */
  namespace?: string;
  /** Where state is kept. `"indexeddb"` where there is one, else `"memory"`. */
  storage?: "indexeddb" | "memory" | StorageAdapter;
  /** Models by the names that graphs use. */
  models?: Record<string, ChatModel>;
  /** Tools by the names that graphs use. */
  tools?: Record<string, Tool>;
  /** Functions for `call` nodes by the names that graphs use. What they give is the node's `result`. */
  functions?: Record<string, (args: never, context: FunctionContext) => unknown>;
  /** Node types by the names that graphs use. */
  // biome-ignore lint/suspicious/noExplicitAny: each has settings of its own
  nodes?: Record<string, NodeType<any>>;
  /** What `http_request` nodes may fetch. Nothing where absent. */
  http?: HttpOptions;
  /** The wasm module, where it is not to be fetched from its place beside this file. */
  wasm?: WasmSource;
  /** Constants of the page for templates (`env`). */
  env?: Record<string, unknown>;
  /** What happens to a message on a busy thread. `"queue"`. */
  onBusy?: OnBusy;
  /**
   * Notice it when the browser has lost the database (`storewiped`), and put back what a recovery journal has of it: a
   * second copy of late rounds, kept where the browser has storage buckets. For `"indexeddb"` alone. True.
   */
  recovery?: boolean;
  /** Something of the host's that outlives the origin's storage; see {@link Witness}. */
  witness?: Witness;
  /** When events are delivered. `"microtask"`. */
  batch?: Batch;
  /** Told every event of every run. A throw is reported and stops nothing. */
  onEvent?: (event: RunEvent) => void;
  /** Clock and ids of the host, for tests. */
  host?: { now?: () => number; id?: () => string };
}

/** Input of a run. */
export interface RunInput {
  /** Text of the person's message. */
  text?: string;
  /** A whole message instead, in the canonical form; what is missing is filled in. */
  message?: Pick<Message, "parts"> & Partial<Message>;
  /** Images and files that go with the text. */
  attachments?: Part[];
  /** Id of the conversation. Without one nothing outlives the run. */
  thread?: string;
  /** The person whose conversation it is. `"default"`. */
  actor?: string;
  /** Id of the trigger node that starts. The first that fits. */
  trigger?: string;
  /** Name of an event: the `event_trigger` that takes it starts, and may say the thread. */
  event?: string;
  /** What a manual run or an event brings. */
  data?: unknown;
  /** Keep the run's inputs as `result.recording`, for `graph.replay`. They hold what was written and answered. */
  record?: boolean;
  /** Stops the run. */
  signal?: AbortSignal;
  /** What happens if the thread is busy; the runtime's option where absent. */
  onBusy?: OnBusy;
}

/** A stored record. */
export interface StoredRecord {
  key: KeyPart[];
  /** Raised by each put. */
  rev: number;
  value: Record<string, unknown>;
}

/** Which keys a scan reads, in key order. */
export interface StorageRange {
  prefix?: KeyPart[];
  gt?: KeyPart[];
  gte?: KeyPart[];
  lt?: KeyPart[];
  lte?: KeyPart[];
}

/** A write, all or nothing. Order: checks, range deletes, deletes, puts. */
export interface StorageBatch {
  checks: { table: string; key: KeyPart[]; rev: number | null }[];
  puts: { table: string; key: KeyPart[]; value: Record<string, unknown> }[];
  deletes: { table: string; key: KeyPart[] }[];
  deleteRanges: { table: string; range: StorageRange }[];
  durability: "relaxed" | "strict";
}

/**
 * Where the host keeps a few bytes about the database (no text, no ids) that outlive all of the origin's storage, such as
 * a cookie or an account's settings: by them a loss of everything is noticed.
 */
export interface Witness {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(value: string): void | Promise<void>;
}

/** The database was lost and made anew: the browser deleted it, or somebody did. */
export interface StoreWiped {
  /** Id of the database's new life. */
  generation: string;
  /** That of the life before, where it is known. */
  lost_generation?: string;
  /** True if there was a recovery journal to put back from. */
  recovery_journal: boolean;
  /** What was put back. */
  restored: { threads: number; rounds: number };
  /** What was there before, as far as that is known, and was not put back. */
  missing: { threads: number; rounds: number };
}

/** A storage of the page's own: any ordered, transactional key-value store. */
export interface StorageAdapter {
  scan(
    table: string,
    range: StorageRange,
    options: { limit?: number; reverse?: boolean },
  ): Promise<StoredRecord[]>;
  /** Resolves once the batch is durable as asked. */
  commit(batch: StorageBatch): Promise<"committed" | "conflict">;
}
