// Values that no callback should give, and some odd ones that it may.

export const circular: Record<string, unknown> = {};
circular.self = circular;
export const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("no reading");
    },
    ownKeys: () => {
      throw new Error("no keys");
    },
    has: () => {
      throw new Error("no asking");
    },
    getPrototypeOf: () => {
      throw new Error("no parents");
    },
  },
);
let nested: unknown = 1;
for (let level = 0; level < 1_000; level += 1) nested = [nested];
export const deep = nested;
// biome-ignore lint/suspicious/noThenProperty: thenables are what is tested
export const withThen = (then: unknown): object => Object.fromEntries([["then", then]]);
export const thenable = withThen((resolve: (value: string) => void) => resolve("hello"));
export const twice = withThen(
  (resolve: (value: string) => void, reject: (error: Error) => void) => {
    resolve("first");
    resolve("second");
    reject(new Error("third"));
  },
);
export const settlesAtOnce = (resolve?: unknown): void => {
  if (typeof resolve === "function") resolve("x");
};
export function rejected(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}
export async function* stream(...pieces: unknown[]) {
  yield* pieces;
}
