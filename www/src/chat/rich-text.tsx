import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { CopyButton, Scroller } from "../app/controls.tsx";
import { type Block, toBlocks } from "../lib/text-blocks.ts";

/** A message as paragraphs and code. Everything is text: no HTML string exists anywhere. */
export function RichText({ text }: { text: string }): JSX.Element {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    <div class="rich-text">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }): JSX.Element {
  if (block.kind === "code") {
    return (
      <div class="code-block">
        <div class="code-bar">
          <span>{block.language === "" ? "code" : block.language}</span>
          <CopyButton label="Copy code" text={() => block.text} />
        </div>
        <Scroller label="Code" class="code-scroll">
          <pre dir="ltr">
            <code>{block.text}</code>
          </pre>
        </Scroller>
      </div>
    );
  }
  return (
    <p dir="auto">
      {block.spans.map((span, index) =>
        span.code ? <code key={index}>{span.text}</code> : span.text,
      )}
    </p>
  );
}
