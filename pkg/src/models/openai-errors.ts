import { describeThrown, MnemographError } from "../errors.js";

/** Texts that must not appear in a message, because they may be keys. */
export type Secrets = readonly string[];

/** What the headers of a request hold that may be secret. */
export function secretsOf(headers: Headers): Secrets {
  const secrets: string[] = [];
  headers.forEach((value, name) => {
    if (name === "content-type" || name === "accept") return;
    secrets.push(value, value.replace(/^\w+\s+/, ""));
  });
  return secrets.filter((secret) => secret.length >= 4);
}

/** An answer whose status says that it is none. */
export async function statusError(
  response: Response,
  url: string,
  secrets: Secrets,
  now: () => number,
): Promise<MnemographError> {
  const { status } = response;
  const said = await readError(response);
  const wait = retryAfter(response.headers, now);
  const exhausted = said.code === "insufficient_quota";
  return llmError({
    message: `${origin(url)} answered ${status}: ${clean(said.message, secrets)}`,
    retryable: isRetryable(status) && !exhausted,
    hint: hintFor(status, exhausted),
    details: {
      status,
      ...(wait === undefined ? {} : { retry_after_ms: wait }),
      ...(said.code === undefined ? {} : { provider_code: clean(said.code, secrets) }),
    },
  });
}

/** An error that the server put where an answer should be. */
export function answeredError(error: unknown, secrets: Secrets): MnemographError {
  const said = describeError(error);
  const status = Number(said.code);
  const known = Number.isInteger(status) && status >= 400 && status < 600;
  return llmError({
    message: `The server broke off its answer: ${clean(said.message, secrets)}`,
    retryable: known
      ? isRetryable(status)
      : /overload|rate.?limit|server_error|timeout/i.test(`${said.code} ${said.message}`),
    details: {
      ...(known ? { status } : {}),
      ...(said.code === undefined ? {} : { provider_code: clean(said.code, secrets) }),
    },
  });
}

/** The server could not be reached, or the connection broke. */
export function networkError(cause: unknown, url: string, secrets: Secrets): MnemographError {
  return llmError({
    message: `${origin(url)} could not be reached, or the connection broke: ${clean(describeThrown(cause), secrets)}`,
    retryable: true,
    hint: "Is the server running, does it allow this page (CORS), and does the page's Content-Security-Policy allow it in connect-src?",
    details: {},
  });
}

/** The server answered something that is no chat completion. */
export function formatError(what: string, secrets: Secrets, retryable = false): MnemographError {
  return llmError({
    message: clean(what, secrets),
    retryable,
    hint: "Does `baseURL` point at an OpenAI-compatible server, with its `/v1` where it has one?",
    details: {},
  });
}

function llmError(init: {
  message: string;
  retryable: boolean;
  hint?: string | undefined;
  details: Record<string, unknown>;
}): MnemographError {
  return new MnemographError({ code: "E_LLM", ...init });
}

const MAX_BODY = 64 * 1024;

async function readError(response: Response): Promise<{ message: string; code?: string }> {
  let body: string;
  try {
    body = (await response.text()).slice(0, MAX_BODY);
  } catch {
    return { message: "the reason could not be read" };
  }
  if (/^\s*</.test(body)) return { message: "a page instead of a reason" };
  try {
    return describeError(JSON.parse(body));
  } catch {
    return { message: body.trim().slice(0, 300) || response.statusText || "no reason was given" };
  }
}

/** The many shapes of an error object: OpenAI, llama.cpp, Ollama, FastAPI. */
function describeError(body: unknown): { message: string; code?: string } {
  if (typeof body === "string") return { message: body.slice(0, 500) };
  const outer = asRecord(body);
  const error = asRecord(outer.error ?? outer);
  const message = [outer.error, error.message, outer.message, outer.detail].find(
    (candidate) => typeof candidate === "string" && candidate !== "",
  );
  const code = error.code ?? error.type;
  return {
    message: typeof message === "string" ? message.slice(0, 500) : "no reason was given",
    ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
  };
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function hintFor(status: number, exhausted: boolean): string | undefined {
  if (exhausted) return "The account has no credit left.";
  if (status === 401 || status === 403) return "Check the key that `headers` gives.";
  if (status === 404) return "Check `baseURL` and the model's name.";
  return undefined;
}

function retryAfter(headers: Headers, now: () => number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const given = headers.get("retry-after");
  if (given === null || given.trim() === "") return undefined;
  const seconds = Number(given);
  if (seconds >= 0) return Math.ceil(seconds * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/** Without what the request's headers held, and without anything that looks like a key. */
function clean(text: string, secrets: Secrets): string {
  let out = text;
  for (const secret of secrets) out = out.replaceAll(secret, "***");
  return out.replace(/\b(?:sk|pk|rk|gsk|xai|key|api)[-_][\w*.-]{6,}/gi, "***");
}

/** The address without path, query and user: those may hold keys. */
function origin(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "The server";
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
