import type {
  DeliveryKind,
  Glue,
  HandleConfig,
  Host,
  Loaded,
  RuntimeHandle,
  StartInput,
} from "../../src/handle.js";
import type { CheckResult, EventBatch } from "../../src/wire.js";
import { event, pack, result } from "./events.js";

/** A delivery as the module would get it. */
export interface Delivered {
  run_id: string;
  call_id: number;
  kind: DeliveryKind;
  payload: unknown;
}

/** What a run of the fake does; by default it finishes at once. */
export type Behaviour = (handle: FakeHandle, input: StartInput) => void;

/** The module's exports without a module: as many instances as crashes, and handles that do what the test says. */
export class FakeGlue implements Glue {
  handles: FakeHandle[] = [];
  resets = 0;
  isEntered = false;
  unloaded: number[] = [];
  failReset = false;
  failOpen: Error | undefined;
  behaviour: Behaviour = (handle, input) => handle.finish(input.run_id, "done");
  #panic: (message: string) => void = () => {};

  RuntimeHandle = {
    open: async (config: HandleConfig, host: Host): Promise<RuntimeHandle> => {
      if (this.failOpen) throw this.failOpen;
      const handle = new FakeHandle(this, config, host);
      this.handles.push(handle);
      return handle;
    },
  };

  async default(): Promise<void> {}

  memory_view(): never {
    throw new Error("The fake has no views.");
  }
  memory_repair(): never {
    throw new Error("The fake repairs nothing.");
  }

  __wbg_reset_state(): void {
    if (this.failReset) throw new RangeError("out of memory");
    this.resets += 1;
    this.isEntered = false;
  }

  on_panic(listener: (message: string) => void): void {
    this.#panic = listener;
  }

  entered(): boolean {
    return this.isEntered;
  }

  /** As a panic in the module: the hook speaks, then the trap. */
  panic(message: string): never {
    this.#panic(message);
    throw new WebAssembly.RuntimeError("unreachable");
  }

  get handle(): FakeHandle {
    const last = this.handles.at(-1);
    if (last === undefined) throw new Error("No handle was opened.");
    return last;
  }
}

export class FakeHandle implements RuntimeHandle {
  readonly config: HandleConfig;
  readonly host: Host;
  readonly delivered: Delivered[] = [];
  readonly started: StartInput[] = [];
  readonly cancelled: [string, string][] = [];
  readonly loaded: string[] = [];
  closed = 0;
  closing: () => Promise<void> = async () => {};
  asking: () => Promise<never[]> = async () => [];
  listing: () => Promise<never[]> = async () => [];
  readonly #glue: FakeGlue;

  constructor(glue: FakeGlue, config: HandleConfig, host: Host) {
    this.#glue = glue;
    this.config = config;
    this.host = host;
  }

  check(text: string): CheckResult {
    return text.includes("bad")
      ? {
          ok: false,
          problems: [
            { code: "E_JSON", severity: "error", message: "It is bad.", hint: "Make it good." },
          ],
        }
      : { ok: true, problems: [], hash: "h" };
  }

  load(text: string): Loaded {
    const checked = this.check(text);
    if (!checked.ok) return checked;
    this.loaded.push(text);
    return { ...checked, graph: this.loaded.length - 1, id: "g", name: "G" };
  }

  unload(graph: number): void {
    this.#glue.unloaded.push(graph);
  }

  start(_graph: number, input: StartInput): { run_id: string; thread: string } {
    this.started.push(input);
    this.#glue.behaviour(this, input);
    return { run_id: input.run_id, thread: input.thread ?? input.run_id };
  }

  deliver(run_id: string, call_id: number, kind: DeliveryKind, payload: string): void {
    this.delivered.push({ run_id, call_id, kind, payload: JSON.parse(payload) });
  }

  cancel(run_id: string, reason: string): void {
    this.cancelled.push([run_id, reason]);
    this.host.events(run_id, pack([event("run_cancelled", { reason }, 9)]));
    this.host.finished(run_id, result(run_id, { status: "cancelled" }));
  }

  suspend(): void {}

  event_thread(): undefined {
    return undefined;
  }
  resume(
    _graph: number,
    { run_id }: { run_id: string },
  ): Promise<{ run_id: string; thread: string }> {
    return Promise.resolve({ run_id, thread: run_id });
  }
  waiting(): Promise<never[]> {
    return this.asking();
  }
  drop_waiting(): Promise<boolean> {
    return Promise.resolve(false);
  }
  replay(): EventBatch {
    return { origin: null, events: [] };
  }

  /** Ends a run well. */
  finish(run_id: string, text: string): void {
    const usage = { input: 0, output: 0 };
    this.host.events(
      run_id,
      pack([event("run_finished", { status: "succeeded", text, outputs: {}, usage }, 8)]),
    );
    this.host.finished(run_id, result(run_id, { text }));
  }

  state_nodes(): [] {
    return [];
  }
  state_inspect(): Promise<never> {
    return new Promise(() => {});
  }
  state_clear(): Promise<{ messages: number; epoch: number }> {
    return Promise.resolve({ messages: 0, epoch: 2 });
  }
  state_edit(): Promise<{ removed: []; left: number; epoch: number }> {
    return Promise.resolve({ removed: [], left: 0, epoch: 1 });
  }
  threads_list(): Promise<never[]> {
    return this.listing();
  }
  threads_get(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  threads_create(): Promise<never> {
    return Promise.reject(Object.assign(new Error("Not hers."), { code: "E_THREAD_ACTOR" }));
  }
  threads_rename(): Promise<never> {
    return this.#glue.panic("index out of bounds");
  }
  threads_delete(): Promise<boolean> {
    return Promise.resolve(true);
  }
  state_set(): Promise<null> {
    return Promise.resolve(null);
  }
  forget(): Promise<{ threads: number; messages: number }> {
    return Promise.resolve({ threads: 0, messages: 0 });
  }
  threads_transcript(): Promise<never[]> {
    return Promise.resolve([]);
  }

  async storage_rows(): Promise<never[]> {
    return [];
  }
  async storage_restore(): Promise<number> {
    return 0;
  }
  storage_health(): Promise<never> {
    return Promise.reject(new Error("The fake stores nothing."));
  }

  close(): Promise<void> {
    this.closed += 1;
    return this.closing();
  }
}
