// What http_request nodes may reach, against a real server: the allow-list, redirects, the size of answers.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fetchAllowed, type HttpCall } from "../src/http.js";

let origin = "";
let seen: string[] = [];
let streamClosed: Promise<void>;
const server = http.createServer((request, response) => {
  seen.push(request.url ?? "");
  if (request.url === "/away") {
    response.writeHead(302, { location: "/api/secret" }).end();
  } else if (request.url === "/endless") {
    streamClosed = new Promise((resolve) => response.once("close", resolve));
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(1_000)));
    };
    response.on("drain", write);
    write();
  } else if (request.url === "/broken") {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  } else {
    response.writeHead(200, { "x-kind": "plain" }).end(request.headers["x-key"] ?? "ok");
  }
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  seen = [];
});

const { signal } = new AbortController();

function ask(path: string, allow: string[] | undefined, more: Partial<HttpCall> = {}) {
  const call: HttpCall = {
    method: "GET",
    url: path.startsWith("/") ? origin + path : path,
    headers: {},
    query: {},
    body_type: "none",
    body: null,
    max_bytes: 10_000,
    ...more,
  };
  return fetchAllowed(call, allow && { allow }, signal);
}

test("the answer has the status, the headers and the text", async () => {
  const answer = await ask("/api", [origin], { headers: { "x-key": "k", "x-none": null } });
  expect(answer).toMatchObject({ status: 200, headers: { "x-kind": "plain" }, body: "k" });
});

test("an entry with a path allows that path and what lies below it", async () => {
  for (const entry of ["/api", "/api/"]) {
    expect((await ask("/api/a?b=c", [origin + entry])).status).toBe(200);
  }
  seen = [];
  for (const path of [
    "/",
    "/apix",
    "/api/../other",
    "/api/%2e%2e/other",
    "/api/%2e%2e%2fother",
    "/api/a%2F..%5Cother",
  ]) {
    await expect(ask(path, [`${origin}/api`]), path).rejects.toMatchObject({
      code: "E_HTTP_BLOCKED",
      hint: expect.stringContaining("http.allow"),
    });
  }
  expect(seen).toEqual([]);
});

test("no address gets round the list", async () => {
  const { port } = server.address() as AddressInfo;
  for (const url of [
    `http://localhost:${port}/`,
    `http://me:secret@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}.example.com/`,
    "file:///etc/hosts",
    "data:text/plain,x",
    "relative",
  ]) {
    const error = await ask(url, [origin]).catch((thrown: unknown) => thrown);
    expect(error, url).toMatchObject({ code: "E_HTTP_BLOCKED", hint: expect.any(String) });
    expect(String(error)).not.toContain("secret");
  }
  await expect(ask("/", undefined)).rejects.toMatchObject({ code: "E_HTTP_BLOCKED" });
  expect(seen).toEqual([]);
});

test("a redirect is refused and its target never asked", async () => {
  await expect(ask("/away", [origin])).rejects.toMatchObject({ code: "E_HTTP_BLOCKED" });
  expect(seen).toEqual(["/away"]);
});

test("an answer without end is left as soon as it is too long", async () => {
  await expect(ask("/endless", [origin])).rejects.toMatchObject({
    code: "E_HTTP_NETWORK",
    message: expect.stringContaining("10000 bytes"),
  });
  await streamClosed;
});

test("an answer that breaks off may be tried again", async () => {
  await expect(ask("/broken", [origin])).rejects.toMatchObject({
    code: "E_HTTP_NETWORK",
    retryable: true,
  });
});

test("a header that cannot be sent is named, its value is not", async () => {
  const error = await ask("/", [origin], { headers: { "x-key": "secret\nkey" } }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "E_HTTP_NETWORK" });
  expect(String(error)).toContain("x-key");
  expect(String(error)).not.toContain("secret");
});

test("the page's own fetch is used, without cookies and redirects", async () => {
  const inits: (RequestInit | undefined)[] = [];
  const own: typeof fetch = async (_url, init) => {
    inits.push(init);
    return new Response("mine");
  };
  const call = { method: "GET", url: "https://a.example/", headers: {}, query: {} } as const;
  const rest = { body_type: "none", body: null, max_bytes: 10 } as const;
  const options = { allow: ["https://a.example"], fetch: own };
  expect((await fetchAllowed({ ...call, ...rest }, options, signal)).body).toBe("mine");
  expect(inits).toMatchObject([{ redirect: "manual", credentials: "omit" }]);
});
