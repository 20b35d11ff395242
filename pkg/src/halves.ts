import { endsInHalf } from "./json.js";
import type { ChatChunk } from "./wire.js";

/**
 * Joins surrogate pairs that a stream cut in two. A piece that ends in the first half of a character keeps it
 * back until the next piece of the same text.
 */
export class Halves {
  readonly #held = new Map<string, { half: string; chunk: Piece }>();

  /** The piece with what was held before it; `undefined` if nothing of it is left. */
  mend(chunk: ChatChunk): ChatChunk | undefined {
    if (chunk.type === "finish") return chunk;
    const given = chunk.type === "tool_call" ? chunk.args : chunk.text;
    if (given === undefined) return chunk;
    const key = chunk.type === "tool_call" ? `tool_call ${chunk.index}` : chunk.type;
    let whole = (this.#held.get(key)?.half ?? "") + given;
    this.#held.delete(key);
    if (endsInHalf(whole)) {
      this.#held.set(key, { half: whole.slice(-1), chunk: bare(chunk) });
      whole = whole.slice(0, -1);
    }
    if (whole === "" && !tellsMore(chunk)) return undefined;
    return withText(chunk, whole);
  }

  /** What is still held when the stream ends: halves whose other half never came. */
  rest(): ChatChunk[] {
    return Array.from(this.#held.values(), ({ half, chunk }) => withText(chunk, half));
  }
}

type Piece = Exclude<ChatChunk, { type: "finish" }>;

function withText(chunk: Piece, text: string): ChatChunk {
  return chunk.type === "tool_call" ? { ...chunk, args: text } : { ...chunk, text };
}

function bare(chunk: Piece): Piece {
  return chunk.type === "tool_call"
    ? { type: "tool_call", index: chunk.index }
    : { type: chunk.type, text: "" };
}

function tellsMore(chunk: Piece): boolean {
  const { type: _type, text: _text, ...more } = { text: undefined, ...chunk };
  return Object.keys(more).length > 0;
}
