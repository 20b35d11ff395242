import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { compileWasm, type WasmSource } from "../src/wasm-source.js";

const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
let server: Server;
let base: string;

const pages: Record<string, { status?: number; type: string; body: string | Uint8Array }> = {
  "/ok.wasm": { type: "application/wasm", body: EMPTY },
  "/plain.wasm": { type: "application/octet-stream", body: EMPTY },
  "/page.wasm": { type: "text/html", body: "<!doctype html><title>App</title>" },
  "/liar.wasm": { type: "application/wasm", body: "<html></html>" },
  "/cut.wasm": { type: "application/wasm", body: EMPTY.slice(0, 6) },
  "/text.wasm": { type: "application/wasm", body: "version https://git-lfs" },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages[request.url ?? ""] ?? { status: 404, type: "text/plain", body: "no" };
    response.writeHead(page.status ?? 200, { "content-type": page.type }).end(page.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test.each<[string, () => WasmSource]>([
  ["bytes", () => EMPTY],
  ["a buffer", () => EMPTY.buffer],
  ["a view into more", () => new Uint8Array([9, ...EMPTY, 9]).subarray(1, 9)],
  ["a module", () => new WebAssembly.Module(EMPTY)],
  ["a response", () => new Response(EMPTY)],
  ["a function", () => async () => EMPTY],
  ["an address", () => `${base}/ok.wasm`],
  ["a URL of another type", () => new URL(`${base}/plain.wasm`)],
])("the module may be %s", async (_name, source) => {
  expect(await compileWasm(source())).toBeInstanceOf(WebAssembly.Module);
});

test("an environment without WebAssembly is told so", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  try {
    await expect(compileWasm(EMPTY)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      hint: expect.stringContaining("browsers"),
    });
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each<[string, () => WasmSource, object]>([
  [
    "nothing there",
    () => `${base}/none.wasm`,
    { details: { status: 404 }, hint: expect.stringContaining("mnemograph/wasm") },
  ],
  [
    "a page",
    () => `${base}/page.wasm`,
    { message: expect.stringContaining("<!doctype html>"), hint: expect.stringContaining("Vite") },
  ],
  [
    "a page that says it is wasm",
    () => `${base}/liar.wasm`,
    { details: { first_bytes: "<html></html>" } },
  ],
  ["a file cut off", () => `${base}/cut.wasm`, { hint: expect.stringContaining("damaged") }],
  ["text", () => `${base}/text.wasm`, { message: expect.stringContaining("no wasm module") }],
  [
    "nobody listens",
    () => "http://127.0.0.1:1/x.wasm",
    { retryable: true, hint: expect.stringContaining("connect-src") },
  ],
  ["no such file", () => new URL("file:///nowhere.wasm"), {}],
  ["neither", () => 5 as never, { message: expect.stringContaining("neither") }],
  [
    "a function that throws",
    () => () => {
      throw new Error("boom");
    },
    { message: expect.stringContaining("boom") },
  ],
])("what cannot be loaded is E_WASM_LOAD: %s", async (_name, source, expected) => {
  await expect(compileWasm(source())).rejects.toMatchObject({ code: "E_WASM_LOAD", ...expected });
});

test.each([
  "WebAssembly.compile(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source",
  "call to WebAssembly.compile() blocked by CSP",
  "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script in the following Content Security Policy directive",
])("a policy that forbids wasm is E_CSP: %s", async (message) => {
  const { compile } = WebAssembly;
  WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError(message));
  try {
    await expect(compileWasm(EMPTY)).rejects.toMatchObject({
      code: "E_CSP",
      hint: expect.stringContaining("wasm-unsafe-eval"),
    });
  } finally {
    WebAssembly.compile = compile;
  }
});
