/** An error as it is shown in place: never a stack, never a key. */
export interface Failure {
  /** Absent where a reload has kept the fact alone. */
  code?: string;
  message: string;
  hint?: string;
  node?: string;
}

/** What to do in the playground, where the error itself does not say. */
const HINTS: Record<string, string> = {
  E_LLM: "Check the address, the model and the key in Settings, or switch to the demo model.",
  E_LLM_TIMEOUT: "The model did not answer in time. Try again, or use a faster model.",
  E_LLM_RESPONSE: "The server answered, but not in the chat completions format. Check the address.",
  E_BUSY: "This conversation is answering already, perhaps in another tab. Wait or stop it there.",
  E_STORE_UNAVAILABLE:
    "The browser does not offer IndexedDB here, as in some private windows. Choose memory storage in Settings.",
  E_STORE_BLOCKED: "Another tab holds an older version of the database. Close it and reload.",
  E_STORE_QUOTA:
    "The browser's space for this page is used up. Delete conversations or free disk space.",
  E_WASM_LOAD: "The runtime could not be fetched. Check the connection and reload the page.",
};

export function toFailure(error: unknown): Failure {
  const code = field(error, "code") ?? "E_INTERNAL";
  const hint = statusHint(error) ?? field(error, "hint") ?? HINTS[code];
  const node = field(error, "node");
  return {
    code,
    message: field(error, "message") ?? "Something went wrong.",
    ...(hint === undefined ? {} : { hint }),
    ...(node === undefined ? {} : { node }),
  };
}

/** The hints of the model adapter speak to programmers; here the key, the address and the model are fields. */
const STATUS_HINTS: Record<number, string> = {
  401: "The server refuses the key: check it in Settings, or leave it empty if none is needed.",
  403: "The server refuses the key: check it in Settings, or leave it empty if none is needed.",
  404: "The server does not know this address or this model: check both in Settings.",
};

function statusHint(error: unknown): string | undefined {
  const status = read(error, "status") ?? read(read(error, "details"), "status");
  return typeof status === "number" ? STATUS_HINTS[status] : undefined;
}

function field(error: unknown, key: string): string | undefined {
  const value = read(error, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
