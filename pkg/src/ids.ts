import { MnemographError } from "./errors.js";
import { wellFormed } from "./json.js";

const MAX_ID = 16_384;
const MAX_SEQUENCE = 0xfff;

/** A function that gives UUIDv7s which sort in the order of their making. */
export function idSource(now: () => number): () => string {
  let last = 0;
  let sequence = 0;
  return () => {
    const time = Math.floor(now());
    if (time > last) {
      last = time;
      sequence = 0;
    } else {
      sequence += 1;
      if (sequence > MAX_SEQUENCE) {
        last += 1;
        sequence = 0;
      }
    }
    return uuid7(last, sequence);
  };
}

function uuid7(time: number, sequence: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const stamp = time.toString(16).padStart(12, "0").slice(-12);
  const version = `7${sequence.toString(16).padStart(3, "0")}`;
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${version}-${random.slice(0, 4)}-${random.slice(4)}`;
}

/** The id, if it can be part of a key. Throws `E_BAD_ID` with what is wrong with it. */
export function checkId(value: unknown, what: string): string {
  const fault = idFault(value);
  if (fault === undefined) return value as string;
  throw new MnemographError({
    code: "E_BAD_ID",
    message: `The ${what} ${fault}.`,
    hint: `A ${what} is text of 1 to ${MAX_ID} characters.`,
  });
}

function idFault(value: unknown): string | undefined {
  if (typeof value !== "string") {
    return `is ${value === null ? "null" : `of type ${typeof value}`}, not text`;
  }
  if (value === "") return "is empty";
  if (value.length > MAX_ID) return `is ${value.length} characters long`;
  if (wellFormed(value) !== value) return "holds half a character (a lone surrogate)";
  return undefined;
}
