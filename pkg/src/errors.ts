import type { ErrorCode, Problem, RunError } from "./wire.js";

const MARK = Symbol.for("mnemograph.error");

/** What an error is made of. */
export interface ErrorInit {
  code: string;
  message: string;
  /** Id of the node where it happened. */
  node?: string | undefined;
  /** Containers and sub-graphs around the node. */
  path?: string[] | undefined;
  /** True if the same call may succeed later. */
  retryable?: boolean | undefined;
  /** Facts beside the message; plain data. */
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
  /** How to mend it. */
  hint?: string | undefined;
}

/** An error as plain data: what `toJSON` gives and `fromJSON` takes. */
export interface ErrorJson {
  name: string;
  code: string;
  message: string;
  node?: string;
  path?: string[];
  retryable: boolean;
  details: Record<string, unknown>;
  cause?: { name: string; message: string; code?: string };
  hint?: string;
  problems?: Problem[];
}

/**
 * Every rejection of this package. `code` is stable (`E_…`), the message is for people.
 * Recognise it with {@link isMnemographError}, which also works across copies of the package.
 */
export class MnemographError extends Error {
  override readonly name: string = "MnemographError";
  /** Stable code. Codes of later versions and of other code are texts too. */
  readonly code: ErrorCode | (string & Record<never, never>);
  /** Id of the node where it happened. */
  readonly node?: string;
  /** Containers and sub-graphs around the node. */
  readonly path?: string[];
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Facts beside the message. */
  readonly details: Record<string, unknown>;
  /** How to mend it. */
  readonly hint?: string;

  constructor(init: ErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.retryable = init.retryable ?? false;
    this.details = init.details ?? {};
    if (init.node !== undefined) this.node = init.node;
    if (init.path !== undefined) this.path = init.path;
    if (init.hint !== undefined) this.hint = init.hint;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Plain data that survives `structuredClone`, `postMessage` and JSON. */
  toJSON(): ErrorJson {
    const cause = describeCause(this.cause);
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      details: plain(this.details),
      ...(this.node === undefined ? {} : { node: this.node }),
      ...(this.path === undefined ? {} : { path: this.path }),
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(cause === undefined ? {} : { cause }),
    };
  }

  /** The error again, from what {@link MnemographError.toJSON} gave. */
  static fromJSON(json: ErrorJson): MnemographError {
    if (json.problems) return new GraphError(json.problems);
    return new MnemographError({ ...json, cause: json.cause && reviveCause(json.cause) });
  }
}

/** A graph document that cannot be loaded, with everything that is wrong with it. */
export class GraphError extends MnemographError {
  override readonly name = "GraphError";
  /** All problems of the document, warnings included. */
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    const errors = problems.filter((problem) => problem.severity === "error");
    const first = errors[0];
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    super({
      code: first?.code ?? "E_INTERNAL",
      message: `The graph cannot be loaded: ${first?.message ?? "no reason was given"}${more}`,
      node: first?.node,
      hint: first?.hint,
    });
    this.problems = problems;
  }

  override toJSON(): ErrorJson {
    return { ...super.toJSON(), problems: this.problems };
  }
}

/** True for an error of this package, also one of another copy of it on the same page. */
export function isMnemographError(value: unknown): value is MnemographError {
  try {
    return typeof value === "object" && value !== null && MARK in value;
  } catch {
    return false;
  }
}

/** Whatever was thrown as an error of this package; `code` is for what names none. */
export function toMnemographError(thrown: unknown, code = "E_INTERNAL"): MnemographError {
  if (isMnemographError(thrown)) return thrown;
  const read = (key: string): unknown => readSafely(thrown, key);
  const named = read("code");
  const known = typeof named === "string" && named.startsWith("E_");
  return new MnemographError({
    code: known ? named : code,
    message: describeThrown(thrown),
    node: optionalText(read("node")),
    path: textList(read("path")),
    retryable: read("retryable") === true,
    details: record(read("details")),
    hint: optionalText(read("hint")),
    cause: known ? read("cause") : thrown,
  });
}

/** The error of a run as something to throw. */
export function fromRunError(error: RunError, cause?: unknown): MnemographError {
  return new MnemographError({
    code: error.code,
    message: error.message,
    node: error.node,
    path: error.path,
    retryable: error.retryable,
    hint: error.hint,
    details: {
      attempt: error.attempt,
      ...(error.status === undefined ? {} : { status: error.status }),
    },
    cause,
  });
}

/** The message of whatever was thrown, also where reading it throws again. */
export function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return shorten(thrown);
  if (thrown === undefined) return "nothing was thrown as a reason";
  const message = readSafely(thrown, "message");
  if (typeof message === "string" && message !== "") return shorten(message);
  const name = readSafely(thrown, "name");
  if (typeof name === "string" && name !== "") return shorten(name);
  try {
    return shorten(typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown));
  } catch {
    return "a value that cannot be shown";
  }
}

/** A property, or `undefined` where there is none or reading it throws. */
export function readSafely(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null)
    return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

const MAX_MESSAGE = 2_000;

function shorten(text: string | undefined): string {
  if (text === undefined) return "a value that cannot be shown";
  if (text.length <= MAX_MESSAGE) return text;
  const cut = text.codePointAt(MAX_MESSAGE - 1);
  const whole = cut !== undefined && cut > 0xffff ? MAX_MESSAGE - 1 : MAX_MESSAGE;
  return `${text.slice(0, whole)}…`;
}

function describeCause(cause: unknown): ErrorJson["cause"] {
  if (cause === undefined) return undefined;
  const name = readSafely(cause, "name");
  const code = readSafely(cause, "code");
  return {
    name: typeof name === "string" ? name : typeof cause,
    message: describeThrown(cause),
    ...(typeof code === "string" ? { code } : {}),
  };
}

function reviveCause(json: NonNullable<ErrorJson["cause"]>): Error {
  const cause = new Error(json.message);
  cause.name = json.name;
  return json.code === undefined ? cause : Object.assign(cause, { code: json.code });
}

function plain(details: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(details)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textList(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value
    : undefined;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
