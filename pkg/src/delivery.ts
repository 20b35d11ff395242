import { describeThrown, isMnemographError, readSafely } from "./errors.js";
import type { DeliveryKind } from "./handle.js";
import { NotJson, toJsonText } from "./json.js";
import type { Failure } from "./wire.js";

/** The one answer to a call. */
export interface Delivery {
  kind: Exclude<DeliveryKind, "delta">;
  payload: string;
}

/** Takes the pieces of a streamed answer; false once nobody wants them any more. */
export type Sink = (payload: string) => boolean;

/** What was wrong with what a callback gave. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A value as the end of a call. */
export function done(value: unknown): Delivery {
  return { kind: "done", payload: toJsonText(value) };
}

/** Whatever a callback threw as the end of a call. `codes` are those that it may name itself. */
export function failed(thrown: unknown, code: string, codes: ReadonlySet<string>): Delivery {
  const failure: Failure = { code, message: describeThrown(thrown) };
  if (thrown instanceof Fault) {
    failure.code = thrown.code;
    if (thrown.hint !== undefined) failure.hint = thrown.hint;
  } else {
    readFailure(thrown, failure, codes);
  }
  try {
    return { kind: "error", payload: toJsonText(failure) };
  } catch {
    return { kind: "error", payload: JSON.stringify({ code, message: "The callback failed." }) };
  }
}

/** Says what a value is that no answer can be: for messages. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}

/** Why a value is no JSON, as a fault with this code. */
export function asFault(error: unknown, code: string, subject: string): unknown {
  return error instanceof NotJson ? new Fault(code, `${subject} ${error.message}.`) : error;
}

/** Waits for a promise or anything like one; another value is given back at once. */
export function settled(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
  if (value instanceof Promise) return value;
  const then = (value as { then?: unknown }).then;
  if (typeof then !== "function") return value;
  return new Promise((resolve, reject) => {
    then.call(value, resolve, reject);
  });
}

function readFailure(thrown: unknown, failure: Failure, codes: ReadonlySet<string>): void {
  const code = readSafely(thrown, "code");
  if (typeof code === "string" && codes.has(code)) failure.code = code;
  const retryable = readSafely(thrown, "retryable");
  if (typeof retryable === "boolean") failure.retryable = retryable;
  const hint = readSafely(thrown, "hint");
  if (typeof hint === "string") failure.hint = hint;
  const facts = isMnemographError(thrown) ? thrown.details : thrown;
  const status = readSafely(facts, "status");
  if (isWhole(status, 999)) failure.status = status;
  const wait = readSafely(facts, "retry_after_ms");
  if (isWhole(wait, Number.MAX_SAFE_INTEGER)) failure.retry_after_ms = wait;
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}
