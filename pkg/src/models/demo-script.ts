/**
 * What the demo model says: a pure function of the request. It knows of the conversation only what the history
 * holds, so an answer from memory is proof that the memory was sent.
 */

import type { ChatRequest, Message, Part, ToolSpec } from "../wire.js";
import { saidIn } from "./demo-notes.js";

/** A call of a tool. */
export interface DemoCall {
  name: string;
  args: Record<string, unknown>;
}

/** What the model does next: says something, and calls tools if there are any calls. */
export interface DemoAnswer {
  text: string;
  calls: DemoCall[];
}

/** The next answer of the demo. */
export function demoAnswer(request: ChatRequest): DemoAnswer {
  const { messages, tools } = request;
  const results = resultsAfterLastUser(messages);
  if (results.length > 0) return { text: sayResults(results), calls: [] };
  const said = saidIn(messages);
  const asked = said.at(-1) ?? "";
  const calls = planCalls(asked, tools);
  const told = sayTold(asked);
  if (calls.length > 0)
    return { text: [told, "Let me look that up."].filter(Boolean).join(" "), calls };
  return { text: told ?? recall(asked, said) ?? wish(asked) ?? smallTalk(asked, tools), calls: [] };
}

// What people tell of themselves.

interface Fact {
  /** What the fact is about; a later one about the same replaces it. */
  about: string;
  value: string;
}

const NAME =
  /\b(?:my name is|my name's|call me|i am called|i'm called)\s+([\p{L}][\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)*)/iu;
const MY =
  /\bmy\s+((?:favou?rite\s+)?[\p{L}][\p{L} '-]{1,40}?)\s+(?:is|are)\s+([^.!?,;\n]{1,80})/iu;
const LIVE = /\bi\s+(?:live|am living)\s+in\s+([^.!?,;\n]{1,60})/iu;
const LIKE = /\bi\s+(?:really\s+)?(?:like|love|enjoy|prefer)\s+([^.!?,;\n]{1,60})/iu;
const WORK = /\bi\s+work\s+(as|at|for|in)\s+([^.!?,;\n]{1,60})/iu;
const REMEMBER = /\bremember\s+(?:that\s+)?([^.!?\n]{3,120})/iu;

/** What a text tells of who wrote it. */
export function factsIn(text: string): Fact[] {
  if (isQuestion(text)) return [];
  const facts: Fact[] = [];
  const add = (about: string, value: string | undefined): void => {
    if (value?.trim()) facts.push({ about, value: value.trim() });
  };
  const name = NAME.exec(text);
  add("name", name?.[1]?.split(/\s+(?:and|but)\b/i)[0]);
  const my = MY.exec(text);
  if (my && my[1]?.toLowerCase() !== "name") add((my[1] ?? "").toLowerCase(), my[2]);
  add("home", LIVE.exec(text)?.[1]?.split(/\s+and\s+(?:my|i)\b/i)[0]);
  add("likes", LIKE.exec(text)?.[1]);
  const work = WORK.exec(text);
  add("work", work ? `${work[1]} ${work[2]}` : undefined);
  if (facts.length === 0) add("note", REMEMBER.exec(text)?.[1]);
  return facts;
}

/** What is known of the person; later messages win. */
function knowledge(said: string[]): Map<string, string> {
  const known = new Map<string, string>();
  for (const text of said) {
    for (const { about, value } of factsIn(text)) {
      const notes = about === "note" && known.has("note") ? `${known.get("note")}; ` : "";
      known.set(about, notes + value);
    }
  }
  return known;
}

function sayTold(text: string): string | undefined {
  const facts = factsIn(text);
  if (facts.length === 0) return undefined;
  const name = facts.find((fact) => fact.about === "name");
  const rest = facts.filter((fact) => fact !== name).map(sayFact);
  const greeting = name === undefined ? "Noted:" : `Nice to meet you, ${name.value}.`;
  if (rest.length === 0)
    return `${greeting} I will remember that as long as this conversation does.`;
  return `${greeting} ${name === undefined ? "" : "I also noted: "}${rest.join(", and ")}.`.replace(
    / {2,}/g,
    " ",
  );
}

function sayFact({ about, value }: Fact): string {
  switch (about) {
    case "name":
      return `your name is ${value}`;
    case "home":
      return `you live in ${value}`;
    case "likes":
      return `you like ${value}`;
    case "work":
      return `you work ${value}`;
    case "note":
      return yours(value);
    default:
      return `your ${about} is ${value}`;
  }
}

function yours(text: string): string {
  return text
    .replace(/\bmy\b/gi, "your")
    .replace(/\bI am\b/g, "you are")
    .replace(/\bI\b/g, "you");
}

// What people ask of it.

function recall(asked: string, said: string[]): string | undefined {
  const known = knowledge(said);
  if (
    /\bwhat(?:'s| is| was) my name\b|\bwho am i\b|\bmy name\?|\b(?:know|remember) my name\b/i.test(
      asked,
    )
  ) {
    return answerOf("name", known, "your name");
  }
  if (/\bwhere do i live\b/i.test(asked)) return answerOf("home", known, "where you live");
  if (/\bwhat do i (?:like|love|enjoy|prefer)\b/i.test(asked))
    return answerOf("likes", known, "what you like");
  if (/\bwhere do i work\b|\bwhat do i do\b/i.test(asked))
    return answerOf("work", known, "what you do");
  const about =
    /\b(?:what|which|who)(?:'s| is| are| was)? my ([\p{L}][\p{L} '-]{1,40}?)\s*\?/iu.exec(
      asked,
    )?.[1];
  if (about !== undefined) return answerOf(about.toLowerCase(), known, `your ${about}`);
  if (
    /\b(?:know|remember)\b.*\b(?:about me|of me|i (?:said|told))\b|\bwhat did i (?:say|tell)\b/i.test(
      asked,
    )
  ) {
    if (known.size === 0)
      return "You have not told me anything about yourself in this conversation.";
    const facts = Array.from(known, ([topic, value]) => sayFact({ about: topic, value }));
    return `From this conversation I know that ${facts.join(", and ")}.`;
  }
  return undefined;
}

function answerOf(about: string, known: Map<string, string>, words: string): string {
  const value = known.get(about);
  return value === undefined
    ? `You have not told me ${words} in this conversation.`
    : `You told me: ${sayFact({ about, value })}.`;
}

function wish(asked: string): string | undefined {
  if (/\bweather\b/i.test(asked)) return missing("weather");
  if (/\bwhat(?:'s| is) the time\b|\bwhat time\b/i.test(asked)) return missing("clock");
  if (sumIn(asked) !== undefined) return missing("calculator");
  return undefined;
}

function missing(tool: string): string {
  return `I would need a ${tool} tool for that, and this graph links none to me.`;
}

function smallTalk(asked: string, tools: ToolSpec[]): string {
  const offer =
    tools.length === 0
      ? "Tell me your name, then ask me for it later, even after a reload."
      : `Tell me your name and ask for it later, or try my tools: ${tools.map((tool) => tool.name).join(", ")}.`;
  if (/^\s*(?:hi|hello|hey|good (?:morning|evening|day))\b/i.test(asked)) {
    return `Hello! I am a demo model: a script, not an intelligence. ${offer}`;
  }
  if (/\bthank/i.test(asked)) return "You are welcome.";
  if (asked.trim() === "") return `I got no text. ${offer}`;
  return `I am a demo model, a script without understanding, so all I can say to “${shorten(asked)}” is that I received it. ${offer}`;
}

// Tools.

function planCalls(asked: string, tools: ToolSpec[]): DemoCall[] {
  return tools.flatMap((tool) => {
    const args = argumentsFor(tool, asked);
    return args === undefined ? [] : [{ name: tool.name, args }];
  });
}

function argumentsFor(tool: ToolSpec, asked: string): Record<string, unknown> | undefined {
  if (isKeeping(tool)) return toKeep(asked);
  const named = new RegExp(`\\b${literal(tool.name)}\\b`, "i").test(asked);
  if (/weather|forecast/i.test(tool.name)) {
    if (!/\b(?:weather|forecast|rain|sunny|temperature)\b/i.test(asked)) return undefined;
    return fill(tool, placeIn(asked) ?? "Oslo");
  }
  if (/clock|time|date/i.test(tool.name)) {
    const wanted = /\b(?:what time|the time|clock|what(?:'s| is) the date|what day)\b/i.test(asked);
    return wanted || named ? fill(tool, placeIn(asked)) : undefined;
  }
  if (/calc|math|sum/i.test(tool.name)) {
    const sum = sumIn(asked);
    return sum === undefined ? undefined : fill(tool, sum);
  }
  return named ? fill(tool, asked) : undefined;
}

/** The tool of an `agent_memory` that keeps a value under a key. */
function isKeeping({ name, parameters }: ToolSpec): boolean {
  const properties = Object.keys((parameters.properties ?? {}) as object).join();
  return /(?:^|_)set$/.test(name) && properties === "key,value";
}

function toKeep(asked: string): Record<string, unknown> | undefined {
  const [fact] = factsIn(asked);
  return fact && { key: fact.about, value: fact.value };
}

/** Arguments with the text where the schema has room for one. */
function fill(tool: ToolSpec, text: string | undefined): Record<string, unknown> {
  const properties = tool.parameters.properties as
    | Record<string, { type?: unknown; enum?: unknown[] }>
    | undefined;
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required : [];
  const args: Record<string, unknown> = {};
  let given = text;
  for (const [key, schema] of Object.entries(properties ?? {})) {
    if (schema.type === "string" && schema.enum === undefined && given !== undefined) {
      args[key] = given;
      given = undefined;
    } else if (required.includes(key)) {
      args[key] = schema.enum?.[0] ?? example(schema.type);
    }
  }
  return args;
}

function example(type: unknown): unknown {
  switch (type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "demo";
  }
}

function placeIn(asked: string): string | undefined {
  return /\b(?:in|at|for)\s+(\p{Lu}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)*)/u.exec(
    asked,
  )?.[1];
}

function sumIn(asked: string): string | undefined {
  const found = /-?\d+(?:\.\d+)?(?:\s*[-+*/×÷]\s*-?\d+(?:\.\d+)?)+/.exec(asked)?.[0];
  return found?.replace(/×/g, "*").replace(/÷/g, "/");
}

interface Result {
  name: string;
  text: string;
  is_error: boolean;
}

function resultsAfterLastUser(messages: Message[]): Result[] {
  const last = messages.map((message) => message.role).lastIndexOf("user");
  return messages.slice(last + 1).flatMap((message) => message.parts.flatMap(resultOf));
}

function resultOf(part: Part): Result[] {
  if (part.type !== "tool_result") return [];
  const text = part.content.map((content) => {
    if (content.type === "text") return content.text;
    return content.type === "json" ? sayJson(content.json) : `[${content.type}]`;
  });
  return [{ name: part.name, text: text.join(" "), is_error: part.is_error }];
}

function sayJson(value: unknown): string {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.entries(value)
      .map(([key, item]) => `${key.replaceAll("_", " ")} ${sayJson(item)}`)
      .join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function sayResults(results: Result[]): string {
  return results
    .map(({ name, text, is_error }) =>
      is_error
        ? `The ${name} tool failed: ${shorten(text)}`
        : `The ${name} tool says: ${readable(text)}`,
    )
    .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(" ");
}

/** Results arrive as text; JSON in it reads better in words. */
function readable(text: string): string {
  try {
    return sayJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The text of a message, without its other parts. */
export function textOf(message: Message | undefined): string {
  return (message?.parts ?? [])
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

function isQuestion(text: string): boolean {
  return /\?\s*$/.test(text) && !/[.!]\s/.test(text) && !/\b(?:and|,)\s+what\b/i.test(text);
}

function shorten(text: string): string {
  const points = Array.from(text.trim());
  return points.length > 80 ? `${points.slice(0, 80).join("")}…` : points.join("");
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
