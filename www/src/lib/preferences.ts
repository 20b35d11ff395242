import { effect, type Signal, signal } from "@preact/signals";

const PREFIX = "mnemograph.playground.";

/** localStorage behind one probe: where it is denied the values live as long as the page. */
const backing: Pick<Storage, "getItem" | "setItem" | "removeItem"> = probe() ?? inMemory();

function probe(): Storage | undefined {
  try {
    const key = `${PREFIX}probe`;
    localStorage.setItem(key, "1");
    localStorage.removeItem(key);
    return localStorage;
  } catch {
    return undefined;
  }
}

function inMemory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/** One value under its own key, so that two tabs never overwrite each other's other settings. */
export function readPreference(name: string): unknown {
  const text = backing.getItem(PREFIX + name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function writePreference(name: string, value: unknown): void {
  try {
    if (value === undefined) backing.removeItem(PREFIX + name);
    else backing.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Quota or a policy: a preference that cannot be kept is not worth an error.
  }
}

/** A signal that is written back whenever it changes. `parse` turns what was stored into a valid value. */
export function preference<T>(name: string, parse: (stored: unknown) => T): Signal<T> {
  const value = signal(parse(readPreference(name)));
  let first = true;
  effect(() => {
    const next = value.value;
    if (!first) writePreference(name, next);
    first = false;
  });
  return value;
}

/** A parser that accepts the listed texts and falls back to the first. */
export function oneOf<const T extends string>(...allowed: [T, ...T[]]): (stored: unknown) => T {
  return (stored) => allowed.find((item) => item === stored) ?? allowed[0];
}

export function numberBetween(min: number, max: number, fallback: number) {
  return (stored: unknown): number =>
    typeof stored === "number" && stored >= min && stored <= max ? stored : fallback;
}

export function textOr(fallback: string) {
  return (stored: unknown): string => (typeof stored === "string" ? stored : fallback);
}

export function flag(fallback: boolean) {
  return (stored: unknown): boolean => (typeof stored === "boolean" ? stored : fallback);
}
