import { describeThrown, MnemographError } from "./errors.js";

/** Where the wasm module comes from: an address, its bytes, a compiled module, or a function that gives one. */
export type WasmSource =
  | URL
  | string
  | Response
  | BufferSource
  | WebAssembly.Module
  | (() => WasmSource | Promise<WasmSource>);

/** Compiles the module. Throws `E_WASM_LOAD`, `E_CSP` or `E_UNSUPPORTED`, each with how to mend it. */
export async function compileWasm(source: WasmSource): Promise<WebAssembly.Module> {
  if (typeof WebAssembly !== "object") {
    throw new MnemographError({
      code: "E_UNSUPPORTED",
      message: "This environment has no WebAssembly.",
      hint: "Some browsers switch it off in their strictest mode; allow it for this site.",
    });
  }
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "function") return compileWasm(await called(source));
  if (typeof source === "string" || source instanceof URL) return compileAddress(source);
  if (isResponse(source)) return compileResponse(source, source.url || "the given Response");
  return compileBytes(source, "the given bytes", undefined);
}

async function called(
  source: () => WasmSource | Promise<WasmSource>,
): Promise<Exclude<WasmSource, () => unknown>> {
  let given: WasmSource;
  try {
    given = await source();
  } catch (cause) {
    throw loadError(`The function given as \`wasm\` failed: ${describeThrown(cause)}`, { cause });
  }
  if (typeof given === "function") {
    throw loadError("The function given as `wasm` gave another function.", {});
  }
  return given as Exclude<WasmSource, () => unknown>;
}

async function compileAddress(address: string | URL): Promise<WebAssembly.Module> {
  const url = String(address);
  if (url.startsWith("file:")) {
    const bytes = await readFile(new URL(url));
    if (bytes !== undefined) return compileBytes(bytes, url, undefined);
  }
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw loadError(`The wasm module at ${url} could not be fetched: ${describeThrown(cause)}`, {
      cause,
      url,
      hint: `Is the server reachable, and does the page's Content-Security-Policy allow it in connect-src? ${BUNDLER_HINT}`,
    });
  }
  return compileResponse(response, url);
}

async function compileResponse(response: Response, url: string): Promise<WebAssembly.Module> {
  const status = response.status;
  if (!response.ok) {
    throw loadError(
      `The wasm module at ${url} could not be fetched: the server answered ${status}.`,
      {
        url,
        status,
        hint: status === 404 ? BUNDLER_HINT : undefined,
      },
    );
  }
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/wasm") && typeof WebAssembly.compileStreaming === "function") {
    const spare = response.clone();
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (cause) {
      throwIfBlocked(cause);
      return compileBytes(await bytesOf(spare, url), url, status);
    }
  }
  return compileBytes(await bytesOf(response, url), url, status);
}

async function bytesOf(response: Response, url: string): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (cause) {
    throw loadError(`The wasm module at ${url} arrived only in part: ${describeThrown(cause)}`, {
      cause,
      url,
    });
  }
}

async function compileBytes(
  bytes: BufferSource,
  from: string,
  status: number | undefined,
): Promise<WebAssembly.Module> {
  if (!(bytes instanceof ArrayBuffer) && !ArrayBuffer.isView(bytes)) {
    throw loadError("The option `wasm` is neither an address nor a module nor bytes.", {});
  }
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  if (view[0] !== 0 || view[1] !== 0x61 || view[2] !== 0x73 || view[3] !== 0x6d) {
    throw noWasm(view, from, status);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throwIfBlocked(cause);
    throw loadError(`The wasm module at ${from} could not be compiled: ${describeThrown(cause)}`, {
      cause,
      url: from,
      status,
      hint: "The file is damaged, or the browser is too old for it.",
    });
  }
}

function noWasm(view: Uint8Array, from: string, status: number | undefined): MnemographError {
  const start = new TextDecoder().decode(view.subarray(0, 60)).trim();
  const html = start.startsWith("<");
  return loadError(
    html
      ? `Instead of the wasm module, ${from} gave a page: ${JSON.stringify(start)}`
      : `What ${from} gave is no wasm module: it begins with ${JSON.stringify(start.slice(0, 20))}.`,
    { url: from, status, first_bytes: start, hint: html ? BUNDLER_HINT : undefined },
  );
}

const BUNDLER_HINT =
  "Plain Rollup and esbuild copy no assets, and some servers answer unknown paths with a page: copy " +
  "`mnemograph/wasm` (dist/wasm/core_bg.wasm) to where your server finds it and pass its address as " +
  "createRuntime({ wasm: new URL(…) }). In Vite: import url from 'mnemograph/wasm?url', then { wasm: url }; " +
  "in its dev server also optimizeDeps.exclude: ['mnemograph'].";

function throwIfBlocked(cause: unknown): void {
  const words = describeThrown(cause);
  if (!/content security policy|unsafe-eval|\bCSP\b/i.test(words)) return;
  throw new MnemographError({
    code: "E_CSP",
    message: `The page's Content-Security-Policy forbids WebAssembly: ${words}`,
    hint: "Add 'wasm-unsafe-eval' to script-src. It allows WebAssembly alone, not eval.",
    cause,
  });
}

function loadError(
  message: string,
  more: {
    cause?: unknown;
    url?: string;
    status?: number | undefined;
    first_bytes?: string;
    hint?: string | undefined;
  },
): MnemographError {
  const { cause, hint, ...details } = more;
  return new MnemographError({
    code: "E_WASM_LOAD",
    message,
    cause,
    hint,
    retryable: details.first_bytes === undefined,
    details,
  });
}

function isResponse(value: unknown): value is Response {
  return typeof Response === "function" && value instanceof Response;
}

interface NodeProcess {
  getBuiltinModule?(name: string): unknown;
}

/** The bytes of a local file where there is a file system (Node.js); `fetch` reads no files there. */
async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { process } = globalThis as { process?: NodeProcess };
  const fs = process?.getBuiltinModule?.("node:fs/promises") as
    | { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
    | undefined;
  if (fs === undefined) return undefined;
  try {
    return await fs.readFile(url);
  } catch (cause) {
    throw loadError(`The wasm module at ${url} could not be read: ${describeThrown(cause)}`, {
      cause,
      url: String(url),
    });
  }
}
