import { MnemographError } from "./errors.js";
import { checkId } from "./ids.js";
import { NotJson, toPlain } from "./json.js";
import { Recovery } from "./recovery/recovery.js";
import type { TurnOptions } from "./turns.js";
import type {
  Batch,
  ChatModel,
  HttpOptions,
  OnBusy,
  RuntimeOptions,
  StorageAdapter,
  Tool,
  Witness,
} from "./types.js";
import type { WasmSource } from "./wasm-source.js";
import type { RunEvent } from "./wire.js";

/** The options of a runtime with every default filled in. */
export interface Settings {
  database: string;
  namespace: string;
  storage: "indexeddb" | "memory" | "custom";
  adapter: StorageAdapter | undefined;
  models: Record<string, ChatModel>;
  tools: Record<string, Tool>;
  functions: NonNullable<RuntimeOptions["functions"]>;
  nodes: NonNullable<RuntimeOptions["nodes"]>;
  http: HttpOptions | undefined;
  wasm: WasmSource | undefined;
  env: Record<string, unknown>;
  onBusy: OnBusy;
  batch: Batch;
  onEvent: ((event: RunEvent) => void) | undefined;
  now: () => number;
  id: (() => string) | undefined;
  turns: TurnOptions;
  recovery: boolean;
  witness: Witness | undefined;
  /** The channel of changes; absent where state is private to the runtime, or there is none. */
  changes: (() => BroadcastChannel) | undefined;
}

/** Runtimes on one database in a browser without locks take turns by these. */
const PAGE_QUEUES = new Map<string, Promise<void>>();

/** Checks the options. Throws `E_SETTING`, `E_BAD_ID` or `E_STORE_UNAVAILABLE`. */
export function readOptions(options: RuntimeOptions): Settings {
  const database = checkId(options.database ?? "mnemograph", "database");
  const namespace = checkId(options.namespace ?? "default", "namespace");
  const storage = readStorage(options.storage);
  const kind = typeof storage === "object" ? "custom" : storage;
  const prefix = `mnemograph:${encodeURIComponent(database)}:${encodeURIComponent(namespace)}:`;
  return {
    database,
    namespace,
    storage: kind,
    adapter: typeof storage === "object" ? storage : undefined,
    models: readModels(options.models ?? {}),
    tools: options.tools ?? {},
    functions: readFunctions(options.functions ?? {}),
    nodes: options.nodes ?? {},
    http: readHttp(options.http),
    wasm: options.wasm,
    env: readRecord(options.env ?? {}, "env"),
    onBusy: oneOf(options.onBusy ?? "queue", ["queue", "reject", "cancel_previous"], "onBusy"),
    batch: readBatch(options.batch ?? "microtask"),
    onEvent: options.onEvent,
    now: options.host?.now ?? (() => Date.now()),
    id: options.host?.id,
    recovery:
      kind === "indexeddb" && options.recovery !== false
        ? Recovery.isPossible(database, options.witness)
        : false,
    witness: readWitness(options.witness),
    turns: readTurns(prefix, kind),
    changes: kind === "memory" || !hasChannels() ? undefined : () => channel(`${prefix}changes`),
  };
}

function readStorage(storage: RuntimeOptions["storage"]): "indexeddb" | "memory" | StorageAdapter {
  if (storage === undefined) return hasIndexedDb() ? "indexeddb" : "memory";
  if (typeof storage === "object" && storage !== null) {
    if (typeof storage.scan === "function" && typeof storage.commit === "function") return storage;
    throw wrong("storage", "is an object without the functions `scan` and `commit`");
  }
  oneOf(storage, ["indexeddb", "memory"], "storage");
  if (storage === "indexeddb" && !hasIndexedDb()) {
    throw new MnemographError({
      code: "E_STORE_UNAVAILABLE",
      message: "This environment has no IndexedDB.",
      hint: 'Give storage: "memory" or a storage of your own. Sandboxed frames have none.',
    });
  }
  return storage;
}

function hasIndexedDb(): boolean {
  try {
    return typeof indexedDB === "object" && indexedDB !== null;
  } catch {
    // In a sandboxed frame reading the property throws.
    return false;
  }
}

function readTurns(prefix: string, storage: Settings["storage"]): TurnOptions {
  const locks = storage === "memory" ? undefined : webLocks();
  return {
    prefix,
    locks,
    channel: hasChannels() ? channel : undefined,
    queues: storage === "memory" ? new Map() : PAGE_QUEUES,
    exclusive: storage === "memory" || (storage === "indexeddb" && locks !== undefined),
  };
}

const hasChannels = (): boolean => typeof BroadcastChannel === "function";

function channel(name: string): BroadcastChannel {
  const opened: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name);
  // Node.js would wait for it for ever.
  opened.unref?.();
  return opened;
}

function webLocks(): LockManager | undefined {
  return typeof navigator === "object" ? (navigator.locks as LockManager | undefined) : undefined;
}

function readModels(models: Record<string, ChatModel>): Record<string, ChatModel> {
  for (const [name, model] of Object.entries(models)) {
    if (typeof model !== "function") throw wrong(`models.${name}`, "is no function");
    if (model.specVersion !== undefined && model.specVersion !== 1) {
      throw wrong(
        `models.${name}`,
        `follows version ${String(model.specVersion)} of the model contract, not 1`,
      );
    }
  }
  return models;
}

function readFunctions(functions: Settings["functions"]): Settings["functions"] {
  for (const [name, each] of Object.entries(functions)) {
    if (typeof each !== "function") throw wrong(`functions.${name}`, "is no function");
  }
  return functions;
}

function readHttp(http: HttpOptions | undefined): HttpOptions | undefined {
  if (http === undefined) return undefined;
  if (!Array.isArray(http.allow)) throw wrong("http.allow", "is no list of addresses");
  for (const entry of http.allow) {
    const read = typeof entry === "string" && URL.canParse(entry) ? new URL(entry) : undefined;
    if (read === undefined || read.origin === "null") {
      throw wrong(
        "http.allow",
        `has an entry that is no address such as "https://api.example.com"`,
      );
    }
  }
  return http;
}

function readWitness(witness: Witness | undefined): Witness | undefined {
  if (witness === undefined) return undefined;
  if (typeof witness.get === "function" && typeof witness.set === "function") return witness;
  throw wrong("witness", "is an object without the functions `get` and `set`");
}

function readBatch(batch: Batch): Batch {
  if (typeof batch === "number" && batch >= 0 && batch < 60_000) return batch;
  if (batch === "microtask" || batch === "frame") return batch;
  throw wrong("batch", 'is neither "microtask" nor "frame" nor milliseconds below 60 000');
}

function readRecord(value: Record<string, unknown>, name: string): Record<string, unknown> {
  try {
    return toPlain(value) as Record<string, unknown>;
  } catch (error) {
    throw wrong(name, error instanceof NotJson ? error.message : "cannot be read");
  }
}

function oneOf<T extends string>(value: T, known: readonly T[], name: string): T {
  if (known.includes(value)) return value;
  throw wrong(name, `is none of ${known.map((each) => `"${each}"`).join(", ")}`);
}

function wrong(name: string, why: string): MnemographError {
  return new MnemographError({ code: "E_SETTING", message: `The option \`${name}\` ${why}.` });
}
