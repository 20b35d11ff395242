import type {
  Approval,
  BrowserStorage,
  CheckResult,
  Cleared,
  Edited,
  EventBatch,
  Forgotten,
  HostNode,
  Message,
  ModelRef,
  Notice,
  Repaired,
  RowsUnder,
  RunResult,
  StateNode,
  StateView,
  StorageHealth,
  StoredRow,
  Thread,
  TranscriptEntry,
  View,
  ViewPolicy,
  WaitingRun,
} from "./wire.js";
import type { WorkKind } from "./work.js";

/**
 * The seam to the wasm module. `Host` is what the module calls, `RuntimeHandle` and `Glue` are what it
 * offers. Everything else in this package knows the module only through these types.
 */

/** What kind of callback is meant. */
export type CallKind = "model" | "tool" | WorkKind;

/** What a delivery carries. */
export type DeliveryKind = "delta" | "done" | "ask" | "error";

/** Called by the module, on its own stack: never throws, never runs the page's code before it returns. */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new UUIDv7. */
  id(): string;
  /** Calls a model or a tool. The payload is JSON text. */
  call(run_id: string, call_id: number, kind: CallKind, name: string, payload: string): void;
  /** The call is no longer wanted: its signal is aborted and its answer ignored. */
  abort(run_id: string, call_id: number, reason: string): void;
  /** Events in order, after state is consistent. */
  events(run_id: string, batch: EventBatch): void;
  /** A batch has been committed, as JSON text. Told only where the configuration asks for it. */
  committed(batch: string): void;
  /** The database was gone when it was opened again. Told only where the configuration asks for it. */
  lost(): void;
  /** Something happened beside the runs. */
  notice(notice: Notice): void;
  /** After the last events of a run. */
  finished(run_id: string, result: RunResult): void;
}

/** A tool of the host as the module is told of it at the start. */
export interface HostTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  approval: Approval;
}

/** What a runtime is opened with. */
export interface HandleConfig {
  database: string;
  namespace: string;
  storage: "indexeddb" | "memory" | "custom";
  models: { name: string; model?: ModelRef }[];
  tools: HostTool[];
  functions: string[];
  nodes: HostNode[];
  env: Record<string, unknown>;
  /** The host is told of what is committed and of a database that is lost. */
  watch: boolean;
}

/** What a run is started with. */
export interface StartInput {
  run_id: string;
  text?: string;
  message?: unknown;
  attachments?: unknown[];
  thread?: string;
  actor?: string;
  trigger?: string;
  event?: string;
  record?: boolean;
  /** True if nobody follows the run step by step. */
  brief: boolean;
  data?: unknown;
  /** True if nobody else, in this tab or another, can be running this thread. */
  locked: boolean;
}

/** What a run that waits is resumed with. */
export interface ResumeInput {
  run_id: string;
  interrupt: string;
  action: string;
  data?: unknown;
  allow_changed_graph: boolean;
  locked: boolean;
}

/** What loading a document gave. */
export interface Loaded extends CheckResult {
  /** Number of the graph in this handle; absent if the document has errors. */
  graph?: number;
  id?: string;
  name?: string;
}

/** A runtime inside the module. */
export interface RuntimeHandle {
  check(text: string): CheckResult;
  load(text: string): Loaded;
  unload(graph: number): void;
  start(graph: number, input: StartInput): { run_id: string; thread: string };
  event_thread(graph: number, input: StartInput): string | undefined;
  resume(graph: number, input: ResumeInput): Promise<{ run_id: string; thread: string }>;
  waiting(thread: string | undefined): Promise<WaitingRun[]>;
  drop_waiting(run_id: string): Promise<boolean>;
  replay(graph: number, recording: string): EventBatch;
  deliver(run_id: string, call_id: number, kind: DeliveryKind, payload: string): void;
  cancel(run_id: string, reason: string): void;
  suspend(): void;
  state_nodes(graph: number): StateNode[];
  state_inspect(graph: number, node: string, thread: string): Promise<StateView>;
  state_clear(graph: number, node: string, thread: string): Promise<Cleared>;
  state_set(graph: number, node: string, thread: string, value: string): Promise<null>;
  state_edit(
    graph: number,
    node: string,
    thread: string,
    edit: { type: "truncate_after" | "delete_round"; round: string },
  ): Promise<Edited>;
  threads_list(filter: { actor?: string; limit?: number; after?: string }): Promise<Thread[]>;
  threads_get(id: string): Promise<Thread | undefined>;
  threads_create(input: { id: string; actor?: string; title?: string }): Promise<Thread>;
  threads_rename(id: string, title: string): Promise<Thread>;
  threads_delete(id: string): Promise<boolean>;
  forget(thread?: string): Promise<Forgotten>;
  threads_transcript(
    id: string,
    page: { limit?: number; before?: number },
  ): Promise<TranscriptEntry[]>;
  storage_rows(places: RowsUnder[]): Promise<StoredRow[]>;
  storage_restore(rows: StoredRow[]): Promise<number>;
  storage_health(facts: BrowserStorage, fresh: string): Promise<StorageHealth>;
  close(): Promise<void>;
}

/** The module's own exports: wasm-bindgen's glue for the target `web`. */
export interface Glue {
  /** Instantiates a compiled module. */
  default(init: { module_or_path: WebAssembly.Module }): Promise<unknown>;
  /** Replaces the instance by a fresh one of the same module (`--experimental-reset-state-function`). */
  __wbg_reset_state(): void;
  /** Says who is told of a panic. Called once for each instance. */
  on_panic(listener: (message: string) => void): void;
  /**
   * True while a call into the module is on the stack, or was when it trapped. Tells a trap of this module
   * from one of another on the same page.
   */
  entered(): boolean;
  memory_view(messages: Message[], options: { policy?: ViewPolicy; target?: ModelRef }): View;
  memory_repair(messages: Message[]): Repaired;
  RuntimeHandle: {
    open(config: HandleConfig, host: Host, adapter?: unknown): Promise<RuntimeHandle>;
  };
}
