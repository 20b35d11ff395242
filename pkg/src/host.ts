import { type Delivery, failed, type Sink } from "./delivery.js";
import { MnemographError } from "./errors.js";
import { unpack } from "./event-batch.js";
import type { CallKind, DeliveryKind, Host } from "./handle.js";
import { callModel } from "./model-call.js";
import type { PreparedTool } from "./schema.js";
import { callTool } from "./tool-call.js";
import type { ChatModel } from "./types.js";
import type { ChatRequest, Notice, Purpose, RunEvent, RunResult } from "./wire.js";
import { callWork, type WorkNeeds } from "./work.js";

/** What the host object needs from the runtime. */
export interface HostNeeds extends WorkNeeds {
  committed(batch: string): void;
  lost(): void;
  models: ReadonlyMap<string, ChatModel>;
  tools: ReadonlyMap<string, PreparedTool>;
  now(): number;
  id(): string;
  deliver(run_id: string, call_id: number, kind: DeliveryKind, payload: string): void;
  events(run_id: string, batch: RunEvent[]): void;
  notice(notice: Notice): void;
  finished(run_id: string, result: RunResult): void;
  /** The thread of a run; its own id where it has none. */
  threadOf(run_id: string): string;
  /** What the signals of a run are aborted with; the words are the engine's. */
  abortReason(run_id: string, words: string): unknown;
}

/** What became of the calls; for tests and for reports of faults. */
export interface CallCounts {
  started: number;
  open: number;
  /** Answers and pieces that came after the call was over. */
  late: number;
}

interface Call {
  run_id: string;
  call_id: number;
  controller: AbortController;
  over: boolean;
}

/**
 * The host object and the register of its open calls. The page's code never runs on the module's stack: calls
 * begin and signals are aborted a microtask later.
 */
export class CallRegister {
  readonly #needs: HostNeeds;
  readonly #calls = new Map<string, Call>();
  readonly #counts = { started: 0, late: 0 };
  readonly host: Host;

  constructor(needs: HostNeeds) {
    this.#needs = needs;
    this.host = {
      now: () => needs.now(),
      id: () => needs.id(),
      call: (run_id, call_id, kind, name, payload) =>
        this.#open(run_id, call_id, kind, name, payload),
      abort: (run_id, call_id, reason) =>
        this.#abort(this.#calls.get(key(run_id, call_id)), reason),
      events: (run_id, batch) => needs.events(run_id, unpack(batch)),
      committed: (batch) => needs.committed(batch),
      lost: () => needs.lost(),
      notice: (notice) => needs.notice(notice),
      finished: (run_id, result) => {
        this.abortRun(run_id, "the run is over");
        needs.finished(run_id, result);
      },
    };
  }

  /** What became of the calls so far. */
  get counts(): CallCounts {
    return { ...this.#counts, open: this.#calls.size };
  }

  /** Aborts what a run has open. */
  abortRun(run_id: string, reason: string): void {
    for (const call of this.#calls.values()) {
      if (call.run_id === run_id) this.#abort(call, reason);
    }
  }

  /** Aborts everything that is open. */
  abortAll(reason: string): void {
    for (const call of this.#calls.values()) this.#abort(call, reason);
  }

  #open(run_id: string, call_id: number, kind: CallKind, name: string, payload: string): void {
    const call: Call = { run_id, call_id, controller: new AbortController(), over: false };
    this.#calls.set(key(run_id, call_id), call);
    queueMicrotask(() => void this.#perform(call, kind, name, payload));
  }

  async #perform(call: Call, kind: CallKind, name: string, payload: string): Promise<void> {
    if (call.over) return;
    this.#counts.started += 1;
    let delivery: Delivery;
    try {
      delivery = await this.#answer(call, kind, name, payload);
    } catch (error) {
      delivery = failed(error, CODE_OF[kind], NONE);
    }
    if (!this.#deliver(call, delivery.kind, delivery.payload)) return;
    call.over = true;
    this.#calls.delete(key(call.run_id, call.call_id));
  }

  #answer(call: Call, kind: CallKind, name: string, payload: string): Delivery | Promise<Delivery> {
    if (kind === "model") return this.#model(call, name, payload);
    if (kind === "tool") return this.#tool(call, name, payload);
    const given = JSON.parse(payload) as { payload: unknown; node: string };
    const { signal } = call.controller;
    const thread_id = this.#needs.threadOf(call.run_id);
    const context = { signal, run_id: call.run_id, thread_id, node: given.node };
    return callWork(kind, name, given.payload, context, this.#needs);
  }

  #model(call: Call, name: string, payload: string): Delivery | Promise<Delivery> {
    const model = this.#needs.models.get(name);
    if (model === undefined) return unknownName("E_NO_MODEL", "model", name, this.#needs.models);
    const { request, purpose, node } = JSON.parse(payload) as {
      request: ChatRequest;
      purpose: Purpose;
      node: string;
    };
    const sink: Sink = (piece) => this.#deliver(call, "delta", piece);
    const { signal } = call.controller;
    return callModel(model, request, { signal, run_id: call.run_id, node, purpose }, sink);
  }

  #tool(call: Call, name: string, payload: string): Delivery | Promise<Delivery> {
    const tool = this.#needs.tools.get(name);
    if (tool === undefined) return unknownName("E_TOOL", "tool", name, this.#needs.tools);
    const { args, agreed, call_id, thread_id } = JSON.parse(payload) as {
      args?: unknown;
      agreed: boolean;
      call_id: string;
      thread_id: string;
    };
    const { signal } = call.controller;
    return callTool(tool, args, { signal, run_id: call.run_id, thread_id, call_id }, agreed);
  }

  /** False, and counted, if the call is over. */
  #deliver(call: Call, kind: DeliveryKind, payload: string): boolean {
    if (call.over) {
      this.#counts.late += 1;
      return false;
    }
    this.#needs.deliver(call.run_id, call.call_id, kind, payload);
    return true;
  }

  #abort(call: Call | undefined, reason: string): void {
    if (call === undefined) return;
    call.over = true;
    this.#calls.delete(key(call.run_id, call.call_id));
    const why = this.#needs.abortReason(call.run_id, reason);
    queueMicrotask(() => call.controller.abort(why));
  }
}

const NONE: ReadonlySet<string> = new Set();

/** What a fault of the package itself is called, by the kind of call. */
const CODE_OF: Record<CallKind, string> = {
  model: "E_LLM",
  tool: "E_TOOL",
  function: "E_CALL",
  http: "E_HTTP_NETWORK",
  node: "E_CALL",
  schema: "E_CALL",
};

function unknownName(
  code: string,
  what: "model" | "tool",
  name: string,
  known: ReadonlyMap<string, unknown>,
): Delivery {
  const names = Array.from(known.keys(), (each) => `"${each}"`).join(", ") || "none";
  return failed(
    new MnemographError({
      code,
      message: `No ${what} of the name "${name}" is registered.`,
      hint: `Give it to createRuntime under \`${what}s\`. Registered: ${names}.`,
    }),
    code,
    NONE,
  );
}

function key(run_id: string, call_id: number): string {
  return `${call_id} ${run_id}`;
}
