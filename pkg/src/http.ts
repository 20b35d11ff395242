import { Fault } from "./delivery.js";
import { describeThrown } from "./errors.js";
import type { HttpOptions } from "./types.js";

/** What an `http_request` node asks for. */
export interface HttpCall {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  query: Record<string, unknown>;
  body_type: "none" | "json" | "text" | "form";
  body: unknown;
  max_bytes: number;
}

/** What the node is given. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Fetches an address that the page allows. Redirects are not followed: they could lead anywhere. Throws a
 * {@link Fault} with `E_HTTP_BLOCKED` or `E_HTTP_NETWORK`.
 */
export async function fetchAllowed(
  call: HttpCall,
  options: HttpOptions | undefined,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const url = readUrl(call);
  checkAllowed(url, options?.allow);
  const headers = readHeaders(call);
  const body = readBody(call, headers);
  const send = options?.fetch ?? fetch;
  let response: Response;
  try {
    response = await send(url, {
      method: call.method,
      headers,
      signal,
      redirect: "manual",
      credentials: "omit",
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    throw network(`The server could not be reached: ${describeThrown(error)}`);
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel();
    throw blocked(
      "The server sent the request on to another address.",
      "Write the final address into the node, and allow it.",
    );
  }
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readText(response, call.max_bytes),
  };
}

function readUrl({ url, query }: HttpCall): URL {
  let read: URL;
  try {
    read = new URL(url);
  } catch {
    throw blocked("The address is no absolute URL.", "Begin it with https://.");
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) read.searchParams.set(name, asText(value));
  }
  return read;
}

function readHeaders(call: HttpCall): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(call.headers)) {
    if (value === null || value === undefined) continue;
    try {
      headers.set(name, asText(value));
    } catch {
      // The engine's own words quote the value, which may be a key.
      throw new Fault(
        "E_HTTP_NETWORK",
        `The header "${name}" cannot be sent.`,
        "Names are letters, digits and hyphens; values are one line of Latin characters.",
      );
    }
  }
  return headers;
}

/** Dots that climb once a server has decoded the slash beside them; plain ones the URL has resolved already. */
const HIDDEN_CLIMB = /(?:%2e|\.){2}(?:%2f|%5c)|(?:%2f|%5c)(?:%2e|\.){2}/i;

/** An entry allows its own origin and, where it has a path, what lies below that path. */
function checkAllowed(url: URL, allow: readonly string[] | undefined): void {
  if (allow === undefined) {
    throw blocked(
      "This page lets graphs fetch nothing.",
      "Give createRuntime http: { allow: […] } with the origins that graphs may use.",
    );
  }
  const fits = (entry: string): boolean => {
    const base = new URL(entry);
    if (base.origin === "null" || base.origin !== url.origin) return false;
    const below = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
    if (base.pathname === "/") return true;
    if (HIDDEN_CLIMB.test(url.pathname)) return false;
    return url.pathname === base.pathname || url.pathname.startsWith(below);
  };
  if (url.username !== "" || url.password !== "" || !allow.some(fits)) {
    throw blocked(
      `This page does not let graphs fetch from ${url.origin}.`,
      `Add it to http.allow of createRuntime. Allowed: ${allow.join(", ") || "nothing"}.`,
    );
  }
}

function readBody({ body_type, body }: HttpCall, headers: Headers): BodyInit | undefined {
  const say = (type: string): void => {
    if (!headers.has("content-type")) headers.set("content-type", type);
  };
  switch (body_type) {
    case "none":
      return undefined;
    case "json":
      say("application/json");
      return JSON.stringify(body ?? null);
    case "text":
      say("text/plain;charset=UTF-8");
      return asText(body ?? "");
    case "form": {
      const fields = new URLSearchParams();
      for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
        if (value !== null && value !== undefined) fields.append(name, asText(value));
      }
      return fields;
    }
  }
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Reads no more than the node wants to keep. */
async function readText(response: Response, most: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > most) {
        await reader.cancel();
        throw new Fault(
          "E_HTTP_NETWORK",
          `The server's answer is longer than ${most} bytes.`,
          "Raise max_bytes of the node, or ask for less.",
        );
      }
      pieces.push(value);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw network(`The answer broke off: ${describeThrown(error)}`);
  }
  const whole = new Uint8Array(bytes);
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.byteLength;
  }
  return new TextDecoder().decode(whole);
}

const blocked = (message: string, hint: string): Fault =>
  new Fault("E_HTTP_BLOCKED", message, hint);

function network(message: string): Error {
  return Object.assign(new Error(message), {
    code: "E_HTTP_NETWORK",
    retryable: true,
    hint: "Look whether the server is up and allows requests from this page (CORS).",
  });
}
