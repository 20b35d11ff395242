/** What a value is cut to. A trace may hold anything a tool returned. */
export interface PreviewLimits {
  depth: number;
  entries: number;
  text: number;
  total: number;
}

const DEFAULTS: PreviewLimits = { depth: 8, entries: 100, text: 4_000, total: 40_000 };

/**
 * Indented JSON-like text of any value: circular, huge, binary and throwing values are shown
 * shortened and never throw. Meant for eyes; use `toJsonLine` for machines.
 */
export function preview(value: unknown, limits: Partial<PreviewLimits> = {}): string {
  const { depth, entries, text, total } = { ...DEFAULTS, ...limits };
  const open = new Set<object>();
  let budget = total;

  function emit(piece: string): string {
    budget -= piece.length;
    return piece;
  }

  function show(item: unknown, level: number): string {
    if (budget <= 0) return "…";
    if (typeof item === "string") return emit(quote(item, text));
    if (typeof item === "bigint") return emit(`${item}n`);
    if (typeof item === "function") return emit(`[function ${item.name}]`);
    if (typeof item !== "object" || item === null) return emit(String(item));
    return structure(item, level);
  }

  function structure(item: object, level: number): string {
    if (open.has(item)) return emit("[circular]");
    open.add(item);
    try {
      const name = specialName(item);
      if (name !== undefined) return emit(name);
      if (level >= depth) return emit(Array.isArray(item) ? `[… ${item.length} items]` : "{…}");
      return Array.isArray(item) ? list(item, level) : record(item, level);
    } catch {
      // A revoked proxy, for example, throws whatever is asked of it.
      return emit("[unreadable]");
    } finally {
      open.delete(item);
    }
  }

  function list(items: readonly unknown[], level: number): string {
    const parts = items.slice(0, entries).map((item) => show(item, level + 1));
    if (items.length > entries) parts.push(`… ${items.length - entries} more`);
    return wrap("[", "]", parts, level);
  }

  function record(item: object, level: number): string {
    const keys = Object.keys(item);
    const parts = keys
      .slice(0, entries)
      .map((key) => `${emit(quote(key, 200))}: ${show(read(item, key), level + 1)}`);
    if (keys.length > entries) parts.push(`… ${keys.length - entries} more`);
    return wrap("{", "}", parts, level);
  }

  return show(value, 0);
}

function wrap(open: string, close: string, parts: readonly string[], level: number): string {
  if (parts.length === 0) return open + close;
  const inner = "  ".repeat(level + 1);
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${"  ".repeat(level)}${close}`;
}

function quote(value: string, limit: number): string {
  if (value.length <= limit) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, limit))}… ${value.length - limit} more characters`;
}

function read(item: object, key: string): unknown {
  try {
    return (item as Record<string, unknown>)[key];
  } catch (error) {
    return `[throws ${error instanceof Error ? error.message : String(error)}]`;
  }
}

/** Things whose own keys say nothing: bytes, elements, errors, dates. */
function specialName(item: object): string | undefined {
  if (item instanceof ArrayBuffer) return `[${item.byteLength} bytes]`;
  if (ArrayBuffer.isView(item)) return `[${item.constructor.name}, ${item.byteLength} bytes]`;
  if (item instanceof Blob) return `[${item.constructor.name}, ${item.size} bytes]`;
  if (typeof Node === "function" && item instanceof Node) return `[${item.nodeName} node]`;
  if (item instanceof Date) return `[date ${item.getTime()}]`;
  if (item instanceof Map || item instanceof Set) {
    return `[${item.constructor.name} of ${item.size}]`;
  }
  return undefined;
}

/** One line of JSON; what cannot be written as JSON becomes its preview as text. */
export function toJsonLine(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return JSON.stringify(preview(value));
  }
}
