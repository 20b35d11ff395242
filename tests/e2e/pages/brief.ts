import type { Message } from "mnemograph";

/** A message in one line: `user: hello`, `assistant: weather{"city":"Oslo"}`, `tool: 7 °C`. */
export function brief({ role, parts }: Pick<Message, "role" | "parts">): string {
  const texts = parts.map((part) => {
    switch (part.type) {
      case "text":
        return (part as { text: string }).text;
      case "tool_call": {
        const call = part as { name: string; args?: unknown };
        return `${call.name}${JSON.stringify(call.args)}`;
      }
      case "tool_result": {
        const { content } = part as { content: { type: string; text?: string; json?: unknown }[] };
        return content.map(({ text, json }) => text ?? JSON.stringify(json)).join();
      }
      default:
        return part.type;
    }
  });
  return `${role}: ${texts.join(" + ")}`;
}
