/** A piece of a message as it is laid out: running text, or a fenced block of code. */
export type Block =
  | { kind: "text"; spans: Span[] }
  | { kind: "code"; language: string; text: string };

export interface Span {
  code: boolean;
  text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;

/**
 * Splits a message into paragraphs and fenced code. A fence that is still open (the answer is
 * streaming) is shown as code already, so nothing flickers when it closes.
 */
export function toBlocks(source: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let code: { fence: string; language: string; lines: string[] } | undefined;

  const flush = (): void => {
    const text = paragraph.join("\n");
    if (text.trim() !== "") blocks.push({ kind: "text", spans: toSpans(text) });
    paragraph = [];
  };

  for (const line of source.split("\n")) {
    if (code !== undefined) {
      if (closes(line, code.fence)) {
        blocks.push({ kind: "code", language: code.language, text: code.lines.join("\n") });
        code = undefined;
      } else {
        code.lines.push(line);
      }
      continue;
    }
    const opening = FENCE.exec(line);
    if (opening !== null) {
      flush();
      code = { fence: opening[1] ?? "```", language: opening[2] ?? "", lines: [] };
    } else if (line.trim() === "") {
      flush();
    } else {
      paragraph.push(line);
    }
  }
  if (code !== undefined) {
    blocks.push({ kind: "code", language: code.language, text: code.lines.join("\n") });
  }
  flush();
  return blocks;
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === (fence[0] ?? "`").repeat(text.length);
}

/** Inline code between single backticks; everything else stays exactly as written. */
function toSpans(text: string): Span[] {
  return text
    .split(/(`[^`\n]+`)/)
    .filter((part) => part !== "")
    .map((part) =>
      part.length > 2 && part.startsWith("`") && part.endsWith("`")
        ? { code: true, text: part.slice(1, -1) }
        : { code: false, text: part },
    );
}
