/**
 * Turns whatever a callback gave into JSON text, or says why it cannot. The one place where foreign values
 * are read: getters, proxies and `toJSON` may throw here and nowhere else.
 */

/** Deeper values are refused at the boundary, on both sides. */
export const MAX_DEPTH = 64;

/** Longer texts are refused: they would be copied several times on their way. */
export const MAX_TEXT = 8 * 1024 * 1024;

/** Why a value is no JSON; the message names the place in it. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/** The value as JSON text; `undefined` becomes `null`. Throws {@link NotJson} alone. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(toPlain(value)) ?? "null";
}

/**
 * A copy of plain objects, lists, numbers, booleans and text. Lone surrogates become U+FFFD, unless `halves`
 * are kept for a caller who joins them. Throws {@link NotJson} alone.
 */
export function toPlain(value: unknown, halves: "replace" | "keep" = "replace"): unknown {
  const text = halves === "keep" ? (part: string) => part : wellFormed;
  const walk: Walk = { left: MAX_TEXT, above: new Set(), text };
  try {
    return copy(value, "", 0, walk) ?? null;
  } catch (error) {
    if (error instanceof NotJson) throw error;
    throw new NotJson("holds something that throws when it is read");
  }
}

/** The text with lone surrogates replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return LONE.test(text) ? text.replace(LONE_ALL, "\ufffd") : text;
}

/** True if the text ends in the first half of a surrogate pair. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

const LONE = /\p{Surrogate}/u;
const LONE_ALL = /\p{Surrogate}/gu;

interface Walk {
  left: number;
  above: Set<object>;
  text: (text: string) => string;
}

function copy(value: unknown, at: string, depth: number, walk: Walk): unknown {
  switch (typeof value) {
    case "string":
      spend(value.length, walk);
      return walk.text(value);
    case "number":
      spend(1, walk);
      return Number.isFinite(value) ? value : null;
    case "boolean":
      return value;
    case "bigint":
      spend(1, walk);
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "undefined":
    case "function":
    case "symbol":
      return undefined;
    default:
      return value === null ? null : copyObject(value as object, at, depth, walk);
  }
}

function copyObject(value: object, at: string, depth: number, walk: Walk): unknown {
  if (depth >= MAX_DEPTH) throw new NotJson(`is nested deeper than ${MAX_DEPTH} levels`);
  if (walk.above.has(value)) throw new NotJson(`refers to itself${place(at)}`);
  walk.above.add(value);
  spend(2, walk);
  const out = copyKind(value, at, depth, walk);
  walk.above.delete(value);
  return out;
}

function copyKind(value: object, at: string, depth: number, walk: Walk): unknown {
  if (Array.isArray(value)) {
    return Array.from(
      value,
      (item, index) => copy(item, `${at}/${index}`, depth + 1, walk) ?? null,
    );
  }
  if (value instanceof Map) return copyEntries(mapEntries(value, at), at, depth, walk);
  if (value instanceof Set) {
    return Array.from(
      value,
      (item, index) => copy(item, `${at}/${index}`, depth + 1, walk) ?? null,
    );
  }
  refuse(value, at);
  const own = (value as { toJSON?: unknown }).toJSON;
  if (typeof own === "function") return copy(own.call(value), at, depth + 1, walk);
  return copyEntries(Object.entries(value), at, depth, walk);
}

function copyEntries(
  entries: [string, unknown][],
  at: string,
  depth: number,
  walk: Walk,
): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, item] of entries) {
    spend(key.length + 1, walk);
    const plain = copy(item, `${at}/${key}`, depth + 1, walk);
    if (plain !== undefined) out[walk.text(key)] = plain;
  }
  return out;
}

function mapEntries(map: Map<unknown, unknown>, at: string): [string, unknown][] {
  return Array.from(map, ([key, item]) => {
    if (typeof key !== "string" && typeof key !== "number") {
      throw new NotJson(`holds a Map whose keys are no text${place(at)}`);
    }
    return [String(key), item];
  });
}

/** Objects that JSON would turn into nothing without a word. */
function refuse(value: object, at: string): void {
  if (typeof (value as { then?: unknown }).then === "function") {
    throw new NotJson(`holds a promise${place(at)}: await it first`);
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new NotJson(`holds bytes${place(at)}: give them as base64 text`);
  }
  if (Symbol.asyncIterator in value || "getReader" in value) {
    throw new NotJson(`holds a stream${place(at)}: read it first`);
  }
  if (value instanceof Error) throw new NotJson(`holds an Error${place(at)}: throw it instead`);
  if (isClass(value, "Response") || isClass(value, "Request") || isClass(value, "Blob")) {
    throw new NotJson(`holds a ${value.constructor.name}${place(at)}: read its content first`);
  }
}

function isClass(value: object, name: "Response" | "Request" | "Blob"): boolean {
  const known = globalThis[name] as (new (...args: never[]) => object) | undefined;
  return known !== undefined && value instanceof known;
}

function place(at: string): string {
  return at === "" ? "" : ` at ${at.length > 200 ? `${at.slice(0, 200)}…` : at}`;
}

function spend(size: number, walk: Walk): void {
  walk.left -= size;
  if (walk.left < 0) throw new NotJson(`is larger than ${MAX_TEXT} characters`);
}
