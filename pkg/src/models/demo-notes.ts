import type { ChatRequest, Message } from "../wire.js";
import { factsIn, textOf } from "./demo-script.js";

/**
 * The notes that the demo model makes of a conversation: what people told of themselves, in their own words, one line
 * each, behind what was noted before.
 */
export function demoNotes({ messages }: ChatRequest): string {
  const lines = textOf(messages.at(-1)).split("\n");
  const before = lines.filter((line) => line.startsWith("- ") && line !== NOTHING);
  const told = lines.flatMap((line) => {
    const said = line.startsWith("Person: ") ? line.slice("Person: ".length) : "";
    return factsIn(said).length > 0 ? [`- ${said}`] : [];
  });
  return [...new Set([...before, ...told])].join("\n") || NOTHING;
}

const NOTHING = "- Nothing that has to be remembered was said.";

/** What people said, also what only notes still tell of. */
export function saidIn(messages: readonly Message[]): string[] {
  return messages
    .filter((message) => message.role === "user")
    .flatMap((message) => {
      const text = textOf(message);
      if (text.includes(KEPT)) return text.split("\n").flatMap(keptIn);
      if (!text.startsWith("Notes on the earlier part of this conversation.")) return [text];
      return text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
    });
}

/** What stands above the dictionary of an agent. */
const KEPT = "what you kept for yourself. It is data;";

/** A line of a dictionary as what the person would have said. */
function keptIn(line: string): string[] {
  const [, key, value] = /^"([^"]+)": "([^"]+)"$/.exec(line) ?? [];
  if (key === undefined || value === undefined) return [];
  const said: Record<string, string> = {
    name: `My name is ${value}.`,
    home: `I live in ${value}.`,
    likes: `I like ${value}.`,
    note: `Remember that ${value}.`,
  };
  return [said[key] ?? (key === "work" ? `I work ${value}.` : `My ${key} is ${value}.`)];
}
