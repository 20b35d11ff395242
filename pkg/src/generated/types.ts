// Generated from Rust by `npm run types`. Changes made here are lost.

/**
 * Whether a person is asked before a tool is called.
 */
export type Approval = "auto" | "ask" | "deny";

/**
 * What the browser says of its storage; each is absent where it does not say.
 */
export type BrowserStorage = {
  /**
   * The origin's storage is not deleted when the disk is full.
   */
  persisted?: boolean;
  /**
   * Each site that embeds the page has a storage of its own.
   */
  partitioned?: boolean;
  /**
   * Bytes that the origin uses.
   */
  usage?: number;
  /**
   * Bytes that it may use.
   */
  quota?: number;
  /**
   * The page keeps a second copy of late rounds outside of the database.
   */
  recovery_journal?: boolean;
};

/**
 * Where streamed text is going.
 */
export type Channel = "reply" | "internal";

/**
 * One piece of a streamed answer.
 */
export type ChatChunk =
  | {
      type: "text";
      /**
       * The piece.
       */
      text: string;
    }
  | {
      type: "reasoning";
      /**
       * The piece.
       */
      text?: string;
      /**
       * The provider's signature, never altered.
       */
      signature?: string;
      /**
       * True if the provider hid the text.
       */
      redacted?: boolean;
      /**
       * Opaque data of the provider.
       */
      ext?: Record<string, unknown>;
    }
  | {
      type: "tool_call";
      /**
       * Which of the calls of this answer.
       */
      index: number;
      /**
       * The provider's id, with the first piece.
       */
      call_id?: string;
      /**
       * The tool's name, with the first piece.
       */
      name?: string;
      /**
       * A piece of the arguments' JSON text.
       */
      args?: string;
    }
  | {
      type: "finish";
      /**
       * Why it ended.
       */
      reason: FinishReason;
      /**
       * Tokens of this call.
       */
      usage?: Usage;
      /**
       * The model that answered.
       */
      model?: ModelRef;
    };

/**
 * One model call.
 */
export type ChatRequest = {
  /**
   * Canonical messages: the system message first, if any; the current user message last in the first call.
   */
  messages: Array<Message>;
  /**
   * The tools on offer.
   */
  tools: Array<ToolSpec>;
  /**
   * Passed through to the model; the node's settings over the model's.
   */
  params: Record<string, unknown>;
  /**
   * JSON Schema that the answer should follow, for models that can be held to one.
   */
  response_format?: Record<string, unknown>;
  /**
   * True if the graph wants the answer in pieces; a whole answer is right all the same.
   */
  stream: boolean;
};

/**
 * A whole answer. Give `parts` (canonical) or `text` and `tool_calls`; a plain string is `text`.
 */
export type ChatResponse = {
  /**
   * The text.
   */
  text?: string;
  /**
   * Canonical parts, in order; before `text` and `tool_calls` where those are given too.
   */
  parts?: Array<Part>;
  /**
   * The calls.
   */
  tool_calls?: Array<ResponseToolCall>;
  /**
   * Why it ended.
   */
  finish_reason?: FinishReason;
  /**
   * Tokens of this call.
   */
  usage?: Usage;
  /**
   * The model that answered.
   */
  model?: ModelRef;
};

/**
 * What was cleared.
 */
export type Cleared = {
  /**
   * Messages that are gone.
   */
  messages: number;
  /**
   * The history's new epoch.
   */
  epoch: number;
};

/**
 * A piece of a tool's result.
 */
export type Content =
  | {
      type: "text";
      /**
       * The text.
       */
      text: string;
    }
  | {
      type: "json";
      /**
       * The value.
       */
      json: unknown;
    }
  | {
      type: "image";
      /**
       * Where it is.
       */
      source: Source;
      /**
       * MIME type.
       */
      media_type: string;
    }
  | {
      type: "file";
      /**
       * Where it is.
       */
      source: Source;
      /**
       * MIME type.
       */
      media_type: string;
      /**
       * Its name.
       */
      filename?: string;
    };

/**
 * Why a record could not be read.
 */
export type Damage =
  | "bad_key"
  | "wrong_type"
  | "newer_version"
  | "wrong_hash"
  | "bad_json"
  | "bad_message"
  | "wrong_count";

/**
 * An edge of a document.
 */
export type EdgeDocument = {
  /**
   * Identity for editors; unique if given.
   */
  id?: string;
  /**
   * What the edge carries.
   */
  type: EdgeType;
  /**
   * `"node.port"` where it begins.
   */
  from: string;
  /**
   * `"node.port"` where it ends.
   */
  to: string;
  /**
   * Data of the editor.
   */
  ui?: { [key in string]: JsonValue };
};

/**
 * What an edge carries.
 */
export type EdgeType =
  | "run"
  | "data"
  | "link_memory"
  | "link_llm"
  | "link_extension"
  | "link_tool"
  | "link_var";

/**
 * What an edit did.
 */
export type Edited = {
  /**
   * The messages that were taken away, in order; without those of rounds that could not be read.
   */
  removed: Array<Message>;
  /**
   * How many messages are left.
   */
  left: number;
  /**
   * The history's epoch: a new one, unless there was nothing to take away.
   */
  epoch: number;
};

/**
 * What happens after the last attempt of a step.
 */
export type ErrorMode = "fail" | "continue" | "branch";

/**
 * Events of one run as they cross, which is what a long run spends most of its time on: what they have in common once,
 * then `[seq, t, path, node or null, type, data]` for each.
 */
export type EventBatch = {
  origin: EventOrigin | null;
  events: [
    seq: number,
    t: number,
    path: string[],
    node: string | null,
    type: RunEventData["type"],
    data: RunEventData["data"],
  ][];
};

/**
 * Where events come from: the same for all events of a run.
 */
export type EventOrigin = {
  /**
   * The run.
   */
  run_id: string;
  /**
   * The thread of the run.
   */
  thread_id: string;
  /**
   * The graph of the run.
   */
  graph_id: string;
};

/**
 * Who runs a tool.
 */
export type Executor = "client" | "provider";

/**
 * The answer of the host or the storage that failed, as it reaches the engine.
 */
export type Failure = {
  /**
   * Stable code; absent means the code of the kind of call.
   */
  code?: string;
  /**
   * What went wrong, in words.
   */
  message: string;
  /**
   * True if a repetition may succeed.
   */
  retryable?: boolean;
  /**
   * HTTP status, where there was one.
   */
  status?: number;
  /**
   * How long the provider asks to wait, in milliseconds.
   */
  retry_after_ms?: number;
  /**
   * How to mend it.
   */
  hint?: string;
};

/**
 * Why a model stopped.
 */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "error" | "other";

/**
 * How much is gone.
 */
export type Forgotten = {
  /**
   * Conversations.
   */
  threads: number;
  /**
   * Stored messages, each as often as memory nodes held it.
   */
  messages: number;
};

/**
 * A graph document.
 */
export type GraphDocument = {
  /**
   * Always `"mnemograph"`.
   */
  format: "mnemograph";
  /**
   * Always 1.
   */
  format_version: 1;
  /**
   * Identity of the graph: part of the key of everything that its nodes remember. 1 to 200 characters.
   */
  id: string;
  /**
   * What people call the graph.
   */
  name?: string;
  /**
   * What the graph is for.
   */
  description?: string;
  /**
   * The nodes; their order means nothing.
   */
  nodes: Array<NodeDocument>;
  /**
   * The edges; their order decides ties.
   */
  edges?: Array<EdgeDocument>;
  /**
   * Sub-graphs by key, which nodes of type `subgraph` and tools of the whole document may use.
   */
  graphs?: { [key in string]: SubGraphDocument };
  /**
   * Changes to the default limits.
   */
  limits?: LimitsDocument;
  /**
   * What the host must offer beside what the nodes name.
   */
  requires?: Requires;
  /**
   * What becomes of a value that a template prints and that is not there, in all graphs of the document. `error`.
   */
  missing?: Missing;
  /**
   * Data of the editor.
   */
  ui?: { [key in string]: JsonValue };
};

/**
 * What the host offers: the names that graphs may use.
 */
export type HostCatalogue = {
  /**
   * Models by name, with their provider and id where the host knows them.
   */
  models: { [key in string]: ModelRef | null };
  /**
   * Tools by name.
   */
  tools: { [key in string]: HostTool };
  /**
   * Names of the functions for `call` nodes.
   */
  functions: Array<string>;
  /**
   * Node types.
   */
  nodes: Array<HostNode>;
};

/**
 * A node type of the host: a step that takes values, does something outside and gives values.
 */
export type HostNode = {
  /**
   * Name in documents.
   */
  type: string;
  /**
   * What it takes.
   */
  inputs: Array<HostPort>;
  /**
   * What it gives.
   */
  outputs: Array<HostPort>;
  /**
   * The ports by which control leaves; `out` if there are none. The first is taken unless the host says another, the
   * last after a failure with `on_error.mode` = `continue`.
   */
  exits: Array<string>;
  /**
   * Longest wait for one attempt, in milliseconds; a node's own `timeout_ms` goes before it.
   */
  timeout_ms: number;
};

/**
 * A data port of a node type of the host.
 */
export type HostPort = {
  /**
   * Name, unique among the ports of its direction.
   */
  name: string;
  /**
   * Type of its values.
   */
  type: ValueType;
  /**
   * An input without which the node cannot work.
   */
  required: boolean;
};

/**
 * A tool that the host registered.
 */
export type HostTool = {
  /**
   * What it does, for the model.
   */
  description: string;
  /**
   * JSON Schema of the arguments.
   */
  parameters: unknown;
  /**
   * Whether a person is asked before each call. A `tool` node can only tighten it.
   */
  approval: Approval;
};

/**
 * What the host is asked to do beside models and tools.
 */
export type HostWork = "function" | "http" | "node" | "schema";

/**
 * A question to a person. The run waits until it is answered by `resume`.
 */
export type Interrupt = {
  /**
   * Id, unique within the run; an answer names it.
   */
  id: string;
  /**
   * Id of the node that asks.
   */
  node: string;
  /**
   * Ids of the containers and sub-graphs around the node, outermost first.
   */
  path: Array<string>;
  /**
   * What sort of question it is.
   */
  kind: InterruptKind;
  /**
   * What the person is asked.
   */
  prompt: string;
  /**
   * The answers that are possible.
   */
  actions: Array<string>;
  /**
   * JSON Schema of the data that goes with the answer.
   */
  schema?: Record<string, unknown>;
  /**
   * After this time an answer goes to the port `timeout`; milliseconds since the epoch.
   */
  expires_at?: number;
  /**
   * The tool call that is to be approved: its name and arguments.
   */
  call?: PendingCall;
};

/**
 * What sort of question it is.
 */
export type InterruptKind = "approval" | "question" | "tool";

export type JsonValue =
  | number
  | string
  | boolean
  | Array<JsonValue>
  | { [key in string]: JsonValue }
  | null;

/**
 * A key: the address of a record within a table.
 */
export type Key = Array<KeyPart>;

/**
 * One part of a key.
 */
export type KeyPart = number | string;

/**
 * `limits` as a document gives it: only what differs from the defaults.
 */
export type LimitsDocument = {
  /**
   * Steps that a run may execute.
   */
  steps?: number;
  /**
   * Steps that may wait for the host at the same time.
   */
  max_parallel?: number;
  /**
   * Time of a run in milliseconds, without waiting for people.
   */
  run_ms?: number;
  /**
   * Time of one model call in milliseconds.
   */
  llm_timeout_ms?: number;
  /**
   * Longest silence of a streaming model in milliseconds.
   */
  llm_idle_ms?: number;
  /**
   * Passes of all loops.
   */
  loop_passes?: number;
  /**
   * Items of one loop over a list.
   */
  items?: number;
  /**
   * Sub-graphs inside each other.
   */
  depth?: number;
  /**
   * Work that one template may do.
   */
  template_fuel?: number;
  /**
   * Bytes that one template may give.
   */
  template_output?: number;
  /**
   * Bytes that are kept of one output of a node.
   */
  node_output?: number;
};

/**
 * One message: a person's input, one response of a model with all its calls, or one tool result.
 *
 * Reading is strict about the fields of 3.4 and blind to others; what must survive belongs into `meta` or `ext`.
 */
export type Message = {
  /**
   * Format version, [`MESSAGE_VERSION`].
   */
  v: number;
  /**
   * Unique; foreign ids are kept as given.
   */
  id: string;
  /**
   * The round it belongs to.
   */
  round?: string;
  /**
   * Its place in the store: given by a read, never part of what is stored.
   */
  seq?: number;
  /**
   * Who speaks.
   */
  role: Role;
  /**
   * How its round ended.
   */
  status: Status;
  /**
   * Why the round is not complete; on its last message.
   */
  error_code?: string;
  /**
   * Milliseconds since the epoch, for people; never sorted by.
   */
  created_at?: number;
  /**
   * Name of the speaker or the agent.
   */
  name?: string;
  /**
   * What is said. A tool message holds exactly one `tool_result`.
   */
  parts: Array<Part>;
  /**
   * The model that wrote it.
   */
  model?: ModelRef;
  /**
   * Why the model stopped.
   */
  finish_reason?: string;
  /**
   * Tokens used.
   */
  usage?: Usage;
  /**
   * The host's own data; never sent.
   */
  meta?: { [key in string]: JsonValue };
  /**
   * Data of foreign systems, one namespace each; opaque, preserved.
   */
  ext?: { [key in string]: JsonValue };
};

/**
 * What becomes of a value that a template prints and that is not there.
 */
export type Missing = "error" | "empty";

/**
 * Which model wrote a response, or is about to read one.
 */
export type ModelRef = {
  /**
   * Who runs it: `openai`, `anthropic`, …
   */
  provider: string;
  /**
   * Which of the provider's interfaces.
   */
  api?: string;
  /**
   * The model's id at the provider.
   */
  id: string;
  /**
   * The family whose members read each other's reasoning; absent: told from the id.
   */
  family?: string;
};

/**
 * A node of a document.
 */
export type NodeDocument = {
  /**
   * `[A-Za-z_][A-Za-z0-9_]{0,63}`, unique in the graph.
   */
  id: string;
  /**
   * Name of the node type.
   */
  type: string;
  /**
   * Version of the node type; 1 if absent.
   */
  type_version?: number;
  /**
   * What people call the node.
   */
  title?: string;
  /**
   * The settings of the node type.
   */
  settings?: { [key in string]: JsonValue };
  /**
   * Id of the container in whose body the node stands.
   */
  parent?: string;
  /**
   * What happens when the node fails.
   */
  on_error?: OnErrorDocument;
  /**
   * Time limit of one attempt, in milliseconds.
   */
  timeout_ms?: number;
  /**
   * The node is left out of runs.
   */
  disabled?: boolean;
  /**
   * Earlier ids whose stored state this node takes over.
   */
  renamed_from?: Array<string>;
  /**
   * Data of the editor.
   */
  ui?: { [key in string]: JsonValue };
};

/**
 * How a node ended.
 */
export type NodeStatus =
  | "pending"
  | "running"
  | "succeeded"
  | "skipped"
  | "handled"
  | "failed"
  | "cancelled";

/**
 * Something that happened beside the runs.
 */
export type Notice =
  | {
      type: "memory_compacted";
      data: {
        /**
         * Id of the graph.
         */
        graph: string;
        /**
         * The memory node.
         */
        node: string;
        /**
         * The thread; with scope `session`, the run.
         */
        thread: string;
        /**
         * Stored messages that the notes cover by now.
         */
        covers_count: number;
        /**
         * Stored messages that they do not cover.
         */
        left: number;
        /**
         * How long it took, in milliseconds.
         */
        ms: number;
      };
    }
  | {
      type: "summary_failed";
      data: {
        /**
         * Id of the graph.
         */
        graph: string;
        /**
         * The memory node.
         */
        node: string;
        /**
         * The thread; with scope `session`, the run.
         */
        thread: string;
        /**
         * What it failed with.
         */
        code: string;
        /**
         * Why.
         */
        message: string;
        /**
         * Attempts since the last notes that were made.
         */
        fails: number;
      };
    };

/**
 * `on_error` as a document gives it.
 */
export type OnErrorDocument = {
  /**
   * What happens after the last attempt.
   */
  mode?: ErrorMode;
  /**
   * Values of the output ports with `mode` = `continue`.
   */
  default?: { [key in string]: JsonValue };
  /**
   * Further attempts.
   */
  retry?: RetryDocument;
};

/**
 * One part of a message.
 */
export type Part =
  | {
      type: "text";
      /**
       * The text.
       */
      text: string;
      /**
       * Citations and the like, opaque.
       */
      annotations?: unknown;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "image";
      /**
       * Where it is.
       */
      source: Source;
      /**
       * MIME type.
       */
      media_type: string;
      /**
       * How closely the model should look.
       */
      detail?: string;
      /**
       * What it shows, in words.
       */
      alt?: string;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "file";
      /**
       * Where it is.
       */
      source: Source;
      /**
       * MIME type.
       */
      media_type: string;
      /**
       * Its name.
       */
      filename?: string;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "reasoning";
      /**
       * The text.
       */
      text?: string;
      /**
       * The provider's summary, opaque.
       */
      summary?: unknown;
      /**
       * The provider's signature, never altered.
       */
      signature?: string;
      /**
       * True if the provider hid the text.
       */
      redacted?: boolean;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "tool_call";
      /**
       * Ties the result to it.
       */
      call_id: string;
      /**
       * The tool.
       */
      name: string;
      /**
       * The arguments; absent if their text is not valid JSON. `null` and `{}` are values.
       */
      args?: unknown;
      /**
       * The exact text of the arguments, where `args` would not be written the same way.
       */
      args_raw?: string;
      /**
       * Who runs it.
       */
      executor?: Executor;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "tool_result";
      /**
       * The call.
       */
      call_id: string;
      /**
       * The tool.
       */
      name: string;
      /**
       * Whether it failed.
       */
      is_error: boolean;
      /**
       * The answer.
       */
      content: Array<Content>;
      /**
       * True if a later result may replace it.
       */
      preliminary?: boolean;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "refusal";
      /**
       * Its words.
       */
      text: string;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "compaction";
      /**
       * In words.
       */
      text?: string;
      /**
       * Readable by the provider only.
       */
      opaque?: unknown;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | {
      type: "data";
      /**
       * What it is.
       */
      name: string;
      /**
       * The data.
       */
      data: unknown;
      /**
       * Data of foreign systems.
       */
      ext?: { [key in string]: JsonValue };
    }
  | ({ type: `x-${string}` } & Record<string, unknown>);

/**
 * A tool call that waits for a person.
 */
export type PendingCall = {
  /**
   * The provider's id of the call.
   */
  call_id: string;
  /**
   * Name of the tool.
   */
  name: string;
  /**
   * Its arguments.
   */
  args: unknown;
};

/**
 * How long what is stored lasts.
 */
export type Persistence = "persistent" | "best_effort" | "volatile" | "unknown";

/**
 * Whose rank the notes have in what a model is sent.
 */
export type Placement = "user" | "system";

/**
 * One thing that is wrong with a document.
 */
export type Problem = {
  /**
   * The stable code.
   */
  code: ProblemCode;
  /**
   * Error or warning; follows from the code.
   */
  severity: Severity;
  /**
   * Key of the sub-graph that the problem is in; none in the graph of the document itself.
   */
  graph?: string;
  /**
   * Id of the node that is to be looked at.
   */
  node?: string;
  /**
   * Port of that node.
   */
  port?: string;
  /**
   * JSON pointer into the document. Missing where the place has none or its pointer is longer than 1 000 bytes.
   */
  path?: string;
  /**
   * What is wrong.
   */
  message: string;
  /**
   * How to mend it.
   */
  hint: string;
};

/**
 * The stable code of a load diagnostic. `E_…` are errors, `W_…` are warnings.
 */
export type ProblemCode =
  | "E_JSON"
  | "E_VERSION"
  | "E_BAD_ID"
  | "E_DUP_ID"
  | "E_UNKNOWN_TYPE"
  | "E_SETTING"
  | "E_DANGLING_EDGE"
  | "E_PORT_UNKNOWN"
  | "E_PORT_KIND"
  | "E_TYPE_MISMATCH"
  | "E_LINK_TARGET"
  | "E_MAX_CONNECTIONS"
  | "E_REQUIRED_PORT"
  | "E_CYCLE"
  | "E_CONTAINER_CROSSING"
  | "E_TRIGGER"
  | "E_VAR_DUP"
  | "E_VAR_DEFAULT"
  | "E_TEMPLATE_SYNTAX"
  | "E_TEMPLATE_REF"
  | "E_TEMPLATE_SCOPE"
  | "E_RACE"
  | "E_DEPTH"
  | "E_REQUIRES"
  | "E_DOC_LIMIT"
  | "E_INTERNAL"
  | "W_UNREACHABLE"
  | "W_MEMORY_UNLINKED"
  | "W_MESSAGES_IN_UNWIRED"
  | "W_THREAD_WITHOUT_CHAT"
  | "W_WINDOW_SMALL"
  | "W_MEMORY_SHARED_PARALLEL"
  | "W_REF_MAYBE_SKIPPED"
  | "W_UNUSED_VAR"
  | "W_SETTING_AND_EDGE"
  | "W_NO_REPLY"
  | "W_ERROR_UNWIRED"
  | "W_NOT_YET"
  | "W_UNKNOWN_SETTING";

/**
 * What a call of a model is for, so that the host can route, bill or refuse it.
 */
export type Purpose = "agent" | "response" | "classifier" | "extract" | "memory.summary" | "repair";

/**
 * A record that was left out of a read. It stays where it is.
 */
export type Quarantined = {
  /**
   * Where it is, within its table.
   */
  key: Key;
  /**
   * What is wrong with it.
   */
  damage: Damage;
  /**
   * Details, without content.
   */
  detail: string;
};

/**
 * What repair gives.
 */
export type Repaired = {
  /**
   * The list for a model. Synthetic messages are marked, see [`Message::is_synthetic`].
   */
  messages: Array<Message>;
  /**
   * What was left out.
   */
  warnings: Array<Warning>;
};

/**
 * What the host must offer, by the names it registers them under. Sorted, without repetition.
 */
export type Requires = {
  /**
   * Models.
   */
  models?: Array<string>;
  /**
   * Tools.
   */
  tools?: Array<string>;
  /**
   * Functions for `call` nodes.
   */
  functions?: Array<string>;
  /**
   * Node types.
   */
  nodes?: Array<string>;
};

/**
 * A tool call in a whole answer: `args` as JSON, or `args_raw` as the provider's exact text.
 */
export type ResponseToolCall = {
  /**
   * The provider's id; made up where absent.
   */
  call_id?: string;
  /**
   * The tool's name.
   */
  name: string;
  /**
   * Arguments.
   */
  args?: unknown;
  /**
   * The arguments' exact text.
   */
  args_raw?: string;
};

/**
 * `on_error.retry` as a document gives it.
 */
export type RetryDocument = {
  /**
   * Attempts after the first.
   */
  max?: number;
  /**
   * Wait before the first of them, in milliseconds.
   */
  delay_ms?: number;
  /**
   * By which each further wait grows.
   */
  factor?: number;
  /**
   * Longest wait, in milliseconds.
   */
  max_delay_ms?: number;
  /**
   * The codes that are tried again; empty means every retryable one.
   */
  on?: Array<string>;
};

/**
 * Who speaks.
 */
export type Role = "user" | "assistant" | "tool" | "system";

/**
 * Which rows are asked for.
 */
export type RowsUnder = {
  /**
   * The table.
   */
  table: Table;
  /**
   * What their keys begin with; all rows where absent.
   */
  prefix?: Key;
};

/**
 * The error of a node or of a whole run. Holds no conversation text.
 */
export type RunError = {
  /**
   * Stable code, `E_…`.
   */
  code: string;
  /**
   * What was attempted and what came of it.
   */
  message: string;
  /**
   * How to mend it.
   */
  hint?: string;
  /**
   * Id of the node where it happened.
   */
  node?: string;
  /**
   * Ids of the containers and sub-graphs around the node, outermost first.
   */
  path?: Array<string>;
  /**
   * How many attempts were made, from 1; 0 where nothing is attempted twice.
   */
  attempt: number;
  /**
   * True if the same message may succeed later.
   */
  retryable: boolean;
  /**
   * Status of the provider's answer, where there was one.
   */
  status?: number;
};

/**
 * One event of a run. On the wire the payload stands as `type` and `data` beside the envelope.
 */
export type RunEvent = RunEventEnvelope & RunEventData;

/**
 * The payloads by type.
 */
export type RunEventData =
  | {
      type: "run_started";
      data: {
        /**
         * Id of the trigger node.
         */
        trigger: string;
        /**
         * Semantic hash of the graph.
         */
        graph_hash: string;
      };
    }
  | { type: "node_started"; data: Record<symbol, never> }
  | {
      type: "node_finished";
      data: {
        /**
         * How it ended.
         */
        status: NodeStatus;
        /**
         * How long it took, in milliseconds.
         */
        ms: number;
      };
    }
  | { type: "node_skipped"; data: Record<symbol, never> }
  | {
      type: "node_failed";
      data: {
        /**
         * Why.
         */
        error: RunError;
      };
    }
  | {
      type: "node_retry";
      data: {
        /**
         * Number of the attempt that comes, from 2.
         */
        attempt: number;
        /**
         * Wait before it, in milliseconds.
         */
        delay_ms: number;
        /**
         * Code of the error.
         */
        code: string;
      };
    }
  | {
      type: "edge_taken";
      data: {
        /**
         * `node.port` where it begins.
         */
        from: string;
        /**
         * `node.port` where it ends.
         */
        to: string;
      };
    }
  | {
      type: "edge_skipped";
      data: {
        /**
         * `node.port` where it begins.
         */
        from: string;
        /**
         * `node.port` where it ends.
         */
        to: string;
      };
    }
  | {
      type: "token";
      data: {
        /**
         * Where it is going.
         */
        channel: Channel;
        /**
         * The piece of text.
         */
        text: string;
      };
    }
  | {
      type: "reasoning_token";
      data: {
        /**
         * The piece of text.
         */
        text: string;
      };
    }
  | {
      type: "tool_call";
      data: {
        /**
         * The provider's id of the call.
         */
        call_id: string;
        /**
         * Name of the tool.
         */
        name: string;
        /**
         * Arguments; text where they were no valid JSON.
         */
        args: unknown;
      };
    }
  | {
      type: "tool_result";
      data: {
        /**
         * The provider's id of the call.
         */
        call_id: string;
        /**
         * Name of the tool.
         */
        name: string;
        /**
         * True if the tool failed.
         */
        is_error: boolean;
        /**
         * What the model will read, whole.
         */
        content: Array<Content>;
        /**
         * How long it took, in milliseconds.
         */
        ms: number;
      };
    }
  | {
      type: "memory_read";
      data: {
        /**
         * Id of the memory node; the envelope names the step that reads.
         */
        memory: string;
        /**
         * Stored messages.
         */
        count: number;
        /**
         * Messages of them that the model is sent.
         */
        in_view: number;
      };
    }
  | {
      type: "memory_written";
      data: {
        /**
         * Id of the memory node; the envelope names the step that writes.
         */
        memory: string;
        /**
         * Messages of the round.
         */
        count: number;
        /**
         * Bytes of the round.
         */
        bytes: number;
        /**
         * SHA-256 of the round's body, hex.
         */
        hash: string;
      };
    }
  | {
      type: "loop_pass";
      data: {
        /**
         * Place of the pass or item, from 0.
         */
        index: number;
      };
    }
  | {
      type: "variable_set";
      data: {
        /**
         * Its name.
         */
        name: string;
        /**
         * How long it lives.
         */
        scope: string;
      };
    }
  | {
      type: "agent_memory_changed";
      data: {
        /**
         * Id of the node.
         */
        memory: string;
        /**
         * What was done: `set`, `delete` or `clear`.
         */
        op: string;
        /**
         * How many keys it has now.
         */
        keys: number;
      };
    }
  | {
      type: "custom";
      data: {
        /**
         * Name of the event.
         */
        name: string;
        /**
         * What goes with it.
         */
        value: unknown;
      };
    }
  | {
      type: "interrupt";
      data: {
        /**
         * The question.
         */
        interrupt: Interrupt;
      };
    }
  | {
      type: "resumed";
      data: {
        /**
         * Id of the question.
         */
        id: string;
        /**
         * What was decided; `timeout` if it came too late.
         */
        action: string;
      };
    }
  | { type: "reply_started"; data: Record<symbol, never> }
  | {
      type: "reply_done";
      data: {
        /**
         * The whole text.
         */
        text: string;
      };
    }
  | {
      type: "warning";
      data: {
        /**
         * Stable code, `W_…` or the `E_…` of what failed.
         */
        code: string;
        /**
         * What happened.
         */
        message: string;
        /**
         * What to do.
         */
        hint: string;
      };
    }
  | {
      type: "run_finished";
      data: {
        /**
         * How it ended.
         */
        status: RunStatus;
        /**
         * What was replied, whole.
         */
        text: string;
        /**
         * The named results.
         */
        outputs: Record<string, unknown>;
        /**
         * Tokens of all model calls.
         */
        usage: Usage;
      };
    }
  | {
      type: "run_failed";
      data: {
        /**
         * Why.
         */
        error: RunError;
      };
    }
  | {
      type: "run_cancelled";
      data: {
        /**
         * The reason that was given.
         */
        reason: string;
      };
    }
  | {
      type: "run_limit";
      data: {
        /**
         * Which.
         */
        error: RunError;
      };
    };

/**
 * What every event of a run carries.
 */
export type RunEventEnvelope = {
  /**
   * Version of the envelope, 1.
   */
  v: number;
  /**
   * Strictly increasing within a run, from 1.
   */
  seq: number;
  /**
   * Milliseconds since the epoch, by the host's clock.
   */
  t: number;
  /**
   * The run.
   */
  run_id: string;
  /**
   * The thread of the run.
   */
  thread_id: string;
  /**
   * The graph of the run.
   */
  graph_id: string;
  /**
   * Ids of the containers (`each[2]`) and sub-graphs around the node, outermost first.
   */
  path: Array<string>;
  /**
   * The node it is about; absent for the run itself.
   */
  node?: string;
};

/**
 * The whole result of a run.
 */
export type RunResult = {
  /**
   * How it ended.
   */
  status: RunStatus;
  /**
   * What was replied: the texts of the `reply` nodes in order, joined by a line break.
   */
  text: string;
  /**
   * The values of the `output` nodes by name.
   */
  outputs: Record<string, unknown>;
  /**
   * The messages that agents added, in order.
   */
  messages: Array<Message>;
  /**
   * Tokens of all model calls.
   */
  usage: Usage;
  /**
   * Everything that was reported as a warning.
   */
  warnings: Array<RunWarning>;
  /**
   * The run.
   */
  run_id: string;
  /**
   * The thread.
   */
  thread: string;
  /**
   * The questions that are open, where it is waiting.
   */
  interrupts?: Array<Interrupt>;
  /**
   * The run's inputs, where it was recorded: for `replay`.
   */
  recording?: unknown;
  /**
   * Why it did not succeed.
   */
  error?: RunError;
};

/**
 * How a run ended.
 */
export type RunStatus = "succeeded" | "partial" | "failed" | "cancelled" | "limit" | "waiting";

/**
 * A warning of a run.
 */
export type RunWarning = {
  /**
   * Stable code.
   */
  code: string;
  /**
   * The node it is about.
   */
  node?: string;
  /**
   * What happened.
   */
  message: string;
  /**
   * What to do.
   */
  hint: string;
};

/**
 * How long a memory lives (D24).
 */
export type Scope = "thread" | "session" | "call";

/**
 * How much a problem matters.
 */
export type Severity = "error" | "warning";

/**
 * State of a transcript's entry.
 */
export type ShownStatus = "running" | "complete" | "aborted" | "failed";

/**
 * Where an image or a file is.
 */
export type Source =
  | {
      kind: "url";
      /**
       * Its address.
       */
      url: string;
    }
  | {
      kind: "blob";
      /**
       * SHA-256 of the content, hexadecimal.
       */
      sha256: string;
      /**
       * Bytes.
       */
      size: number;
    }
  | {
      kind: "file_id";
      /**
       * Which provider.
       */
      provider: string;
      /**
       * The provider's id of the file.
       */
      id: string;
    }
  | {
      kind: "inline";
      /**
       * The content.
       */
      base64: string;
    };

/**
 * What a node keeps.
 */
export type StateKind = "messages" | "dictionary" | "variable";

/**
 * A stored message and what becomes of it.
 */
export type StateMessage = Message & { in_view: boolean };

/**
 * A node that keeps state.
 */
export type StateNode = {
  /**
   * Its id.
   */
  node: string;
  /**
   * Its type.
   */
  type: string;
  /**
   * What people call it.
   */
  title?: string;
  /**
   * What it keeps.
   */
  kind: StateKind;
  /**
   * How long.
   */
  scope: Scope;
};

/**
 * What a memory node holds for a thread.
 */
export type StateView = {
  /**
   * The node.
   */
  node: string;
  /**
   * Its type.
   */
  type: string;
  /**
   * What it keeps.
   */
  kind: StateKind;
  /**
   * How long.
   */
  scope: Scope;
  /**
   * The thread that was asked for.
   */
  thread: string;
  /**
   * Where it is stored: namespace, graph, node, thread, memory type.
   */
  storage_key: Array<string>;
  /**
   * Which life of the history this is; it changes when the history is cleared.
   */
  epoch?: number;
  /**
   * The stored messages, in order; none of a dictionary.
   */
  messages: Array<StateMessage>;
  /**
   * What is in a dictionary: what it begins with while nothing is stored.
   */
  dictionary?: Record<string, unknown>;
  /**
   * The value of a variable: its default while nothing is stored.
   */
  value?: unknown;
  /**
   * The type of a variable.
   */
  value_type?: ValueType;
  /**
   * How many messages or keys there are; 1 for a variable that is stored.
   */
  count: number;
  /**
   * How many bytes they take.
   */
  bytes: number;
  /**
   * Rounds that cannot be read. They stay where they are until the state is cleared.
   */
  quarantined: Array<Quarantined>;
  /**
   * The notes on its older part, which the model is sent instead of what they cover.
   */
  summary?: Summary;
};

/**
 * How the round of a message ended. All messages of a round that is not complete carry its status.
 */
export type Status = "complete" | "aborted" | "failed" | "incomplete" | "blocked";

/**
 * Where a runtime keeps its state.
 */
export type StorageBackend = "memory" | "indexeddb" | "custom";

/**
 * What is known of a runtime's storage. A fact that nobody knows is absent.
 */
export type StorageHealth = {
  /**
   * Where state is kept.
   */
  backend: StorageBackend;
  /**
   * How long it lasts.
   */
  persistence: Persistence;
  /**
   * True if the browser may delete it on its own.
   */
  evictable?: boolean;
  /**
   * True if each site that embeds the page has a storage of its own.
   */
  partitioned?: boolean;
  /**
   * Bytes that the origin uses, other databases included.
   */
  usage?: number;
  /**
   * Bytes that the origin may use.
   */
  quota?: number;
  /**
   * Writes of this runtime that found no room.
   */
  quota_errors: number;
  /**
   * Id of the database's life: another one than before means that the database was lost and made anew.
   */
  generation: string;
  /**
   * True if a second copy of late rounds is kept outside of the database, from which they are put back
   * should it be lost.
   */
  recovery_journal: boolean;
};

/**
 * A record and the table it is in, without its `rev`, which is the backend's.
 */
export type StoredRow = {
  /**
   * The table.
   */
  table: Table;
  /**
   * Where in it.
   */
  key: Key;
  /**
   * What it holds.
   */
  value: Record<string, unknown>;
};

/**
 * A graph inside of a document. Its identity is its key; limits are those of the document.
 */
export type SubGraphDocument = {
  /**
   * What people call the sub-graph.
   */
  name?: string;
  /**
   * What the sub-graph is for.
   */
  description?: string;
  /**
   * The nodes; their order means nothing.
   */
  nodes: Array<NodeDocument>;
  /**
   * The edges; their order decides ties.
   */
  edges?: Array<EdgeDocument>;
  /**
   * Data of the editor.
   */
  ui?: { [key in string]: JsonValue };
};

/**
 * Notes on the older part of a history.
 */
export type Summary = {
  /**
   * The notes.
   */
  text: string;
  /**
   * `seq` of the last message that they cover.
   */
  covers_seq: number;
  /**
   * How many stored messages they cover.
   */
  covers_count: number;
  /**
   * Name of the model that wrote them.
   */
  model: string;
  /**
   * Version of the built-in instructions that it followed; 0 for a prompt of the graph's author.
   */
  prompt_version: number;
  /**
   * When they were made, in milliseconds since the epoch.
   */
  created_at: number;
};

/**
 * A table. On IndexedDB each is an object store of the same name.
 */
export type Table =
  | "meta"
  | "threads"
  | "heads"
  | "rounds"
  | "round_ids"
  | "journal"
  | "summaries"
  | "transcripts"
  | "dictionaries"
  | "variables"
  | "blobs"
  | "blob_refs"
  | "graph_runs"
  | "checkpoints";

/**
 * A conversation.
 */
export type Thread = {
  /**
   * Its id.
   */
  id: string;
  /**
   * The person it belongs to.
   */
  actor: string;
  /**
   * Given by the host, or the beginning of the first message.
   */
  title?: string;
  /**
   * Milliseconds since the epoch.
   */
  created_at: number;
  /**
   * When its last turn began, milliseconds since the epoch.
   */
  updated_at: number;
  /**
   * Turns so far.
   */
  turns: number;
};

/**
 * A tool as the model is told of it.
 */
export type ToolSpec = {
  /**
   * Name that the model calls.
   */
  name: string;
  /**
   * What it does, for the model.
   */
  description: string;
  /**
   * JSON Schema of the arguments.
   */
  parameters: Record<string, unknown>;
};

/**
 * One turn of a conversation.
 */
export type TranscriptEntry = {
  /**
   * Its number in the thread, from 1.
   */
  entry: number;
  /**
   * The run.
   */
  run_id: string;
  /**
   * How far it came: `running` also if its page was closed.
   */
  status: ShownStatus;
  /**
   * Milliseconds since the epoch.
   */
  started_at: number;
  /**
   * The person's message.
   */
  user?: Message;
  /**
   * The replies, in order.
   */
  replies: Array<Message>;
};

/**
 * Tokens that a model call used.
 */
export type Usage = {
  /**
   * Tokens read.
   */
  input: number;
  /**
   * Tokens written.
   */
  output: number;
  /**
   * Of the tokens read, those that came from a cache.
   */
  cached_input?: number;
  /**
   * Of the tokens written, those of reasoning.
   */
  reasoning?: number;
};

/**
 * Type of the values of a data port.
 */
export type ValueType =
  | "string"
  | "integer"
  | "float"
  | "boolean"
  | "json"
  | "csv"
  | "dataframe"
  | "message"
  | "messages"
  | "any";

/**
 * What a model is shown.
 */
export type View = {
  /**
   * The messages, repaired.
   */
  messages: Array<Message>;
  /**
   * The ids of the stored messages among them.
   */
  in_view: Array<string>;
  /**
   * What was left out, and should not have been there.
   */
  warnings: Array<Warning>;
  /**
   * Making notes has failed for so long that not even all that is not covered is shown (D18).
   */
  degraded?: boolean;
};

/**
 * How much of a history a model is shown.
 */
export type ViewPolicy =
  | { type: "buffer" }
  | {
      type: "window";
      /**
       * At most this many stored messages; synthetic ones do not count.
       */
      size: number;
    }
  | {
      type: "summary";
      /**
       * Notes are made once more than this many stored messages are not covered by them (D10).
       */
      trigger: number;
      /**
       * At least this many messages stay as they are (D11).
       */
      keep: number;
      /**
       * Whose rank the notes have.
       */
      placement: Placement;
    };

/**
 * A run that waits for a person.
 */
export type WaitingRun = {
  /**
   * The run.
   */
  run_id: string;
  /**
   * Its thread; its own id where it has none.
   */
  thread: string;
  /**
   * Id of the graph.
   */
  graph: string;
  /**
   * Whose run it is.
   */
  actor: string;
  /**
   * Since when it waits, milliseconds since the epoch.
   */
  since: number;
  /**
   * The open questions.
   */
  interrupts: Array<Interrupt>;
};

/**
 * A remark about a view: nothing failed, but something was left out.
 */
export type Warning = {
  /**
   * `W_…`.
   */
  code: string;
  /**
   * What happened, for people.
   */
  message: string;
  /**
   * What to do about it.
   */
  hint: string;
  /**
   * The messages concerned.
   */
  message_ids: Array<string>;
};
