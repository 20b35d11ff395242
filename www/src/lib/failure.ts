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
  const hint = refusedKey(error) ?? field(error, "hint") ?? HINTS[code];
  const node = field(error, "node");
  return {
    code,
    message: field(error, "message") ?? "Something went wrong.",
    ...(hint === undefined ? {} : { hint }),
    ...(node === undefined ? {} : { node }),
  };
}

/** The hint of the model adapter speaks to a programmer; here the key is a field. */
function refusedKey(error: unknown): string | undefined {
  const status = read(error, "status") ?? read(read(error, "details"), "status");
  return status === 401 || status === 403
    ? "The server refuses the key: check it in Settings, or leave it empty if none is needed."
    : undefined;
}

function field(error: unknown, key: string): string | undefined {
  const value = read(error, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
