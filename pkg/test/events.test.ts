import { expect, test } from "vitest";
import { Channel } from "../src/channel.js";
import { EventQueue } from "../src/event-queue.js";
import type { RunEvent } from "../src/wire.js";
import { collect, event, token } from "./support/events.js";

function drain(queue: EventQueue): RunEvent[] {
  const all: RunEvent[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) all.push(next);
  return all;
}

/** `a1` is a token "a" with seq 1; a node can stand before it; `|` is any other event. */
function script(text: string): RunEvent[] {
  return text.split(" ").map((word, index) => {
    if (word === "|") return event("node_started", {}, index + 1);
    const [node = "", piece = ""] = word.split(":");
    return token(piece, index + 1, node);
  });
}

function shown(events: RunEvent[]): string {
  return events
    .map((each) => (each.type === "token" ? `${each.node}:${each.data.text}@${each.seq}` : "|"))
    .join(" ");
}

test.each([
  ["x:a x:b x:c", "x:abc@1"],
  ["x:a y:b x:c y:d", "x:ac@1 y:bd@2"],
  ["x:a | x:b x:c", "x:a@1 | x:bc@3"],
  ["| |", "| |"],
])("unread deltas of a node are joined up to the next other event: %s", (given, expected) => {
  const queue = new EventQueue();
  for (const each of script(given)) queue.push(each);
  expect(shown(drain(queue))).toBe(expected);
});

test("joining changes no event that somebody else holds", () => {
  const events = script("x:a x:b");
  const [queue, other] = [new EventQueue(), new EventQueue()];
  for (const each of events) {
    queue.push(each);
    other.push(each);
  }
  const fork = queue.fork();
  for (const each of script("x:c")) fork.push(each);
  expect([shown(drain(queue)), shown(drain(other)), shown(drain(fork))]).toEqual([
    "x:ab@1",
    "x:ab@1",
    "x:abc@1",
  ]);
  expect(shown(events)).toBe("x:a@1 x:b@2");
});

test("what was read is not joined any more", () => {
  const queue = new EventQueue();
  const [a, b, c] = script("x:a x:b x:c") as [RunEvent, RunEvent, RunEvent];
  queue.push(a);
  expect(queue.shift()).toBe(a);
  queue.push(b);
  queue.push(c);
  expect(shown(drain(queue))).toBe("x:bc@2");
});

test("joining and reading stay linear", () => {
  const queue = new EventQueue();
  for (let index = 0; index < 100_000; index += 1) queue.push(event("node_started", {}, index));
  expect(drain(queue)).toHaveLength(100_000);
  for (let index = 0; index < 100_000; index += 1) queue.push(token("abcdefgh", index));
  expect(queue.size).toBe(1);
});

test("readers go their own pace; a late one gets all; a slow one gets joined deltas", async () => {
  const channel = new Channel();
  const eager = channel.read();
  const slow = channel.read();
  const waiting = eager.next();
  for (const each of script("x:a x:b |")) channel.push(each);
  expect((await waiting).value).toMatchObject({ data: { text: "a" } });
  channel.end();
  expect(shown(await collect(eager))).toBe("x:b@2 |");
  expect(shown(await collect(slow))).toBe("x:ab@1 |");
  expect(shown(await collect(channel.read()))).toBe("x:ab@1 |");
});

test("several steps may be asked for at once, and the end answers all of them", async () => {
  const channel = new Channel();
  const reader = channel.read();
  const steps = [reader.next(), reader.next(), reader.next()];
  channel.push(token("a", 1));
  channel.end();
  expect((await Promise.all(steps)).map(({ done }) => done === true)).toEqual([false, true, true]);
});

test("a reader that left gets nothing more", async () => {
  const channel = new Channel();
  const reader = channel.read();
  channel.push(token("a", 1));
  await reader.return?.();
  channel.push(token("b", 2));
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});

test("an error ends each reader once", async () => {
  const channel = new Channel();
  const reader = channel.read();
  channel.end(new Error("no start"));
  await expect(reader.next()).rejects.toThrow("no start");
  expect((await reader.next()).done).toBe(true);
  await expect(channel.read().next()).rejects.toThrow("no start");
});
