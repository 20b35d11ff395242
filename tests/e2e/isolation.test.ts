import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

interface Place {
  namespace?: string;
  graph?: string;
  node?: string;
  thread: string;
}

/** One turn at each place, in order: the texts of the history that the model was sent, without the question. */
function visit(page: Page, places: Place[], scope?: "thread" | "session" | "call") {
  return page.evaluate(
    async ([places, scope]) => {
      const { open, scriptedModel, brief } = window.kit;
      const seen: string[][] = [];
      for (const [index, { namespace, graph: id, node, thread }] of places.entries()) {
        const model = scriptedModel(`answer ${index}`);
        const { graph, runtime } = await open(
          { models: { default: model }, ...(namespace === undefined ? {} : { namespace }) },
          {
            ...(id === undefined ? {} : { id }),
            ...(node === undefined ? {} : { memory: node }),
            ...(scope === undefined ? {} : { scope }),
          },
        );
        await graph.invoke({ text: `question ${index}`, thread });
        seen.push(model.requests[0]?.messages.slice(1, -1).map(brief) ?? []);
        await runtime.close();
      }
      return seen;
    },
    [places, scope] as const,
  );
}

/** Ids that a joined or escaped key would confuse. */
const hostile = [
  "a",
  "ab",
  "b",
  "A",
  "á",
  "a\u0301",
  " a",
  "a/b",
  "a:b",
  'a","b',
  "a\u0000",
  "%",
  "%25",
  "__proto__",
  "constructor",
  "👩‍👩‍👧",
  "👩",
  "0",
  "null",
  "x".repeat(10_240),
  `${"x".repeat(10_239)}y`,
];

test("threads with hostile ids keep apart, over a reload too", async () => {
  const page = await site.open();
  const places = hostile.map((thread) => ({ thread }));
  expect(await visit(page, places)).toEqual(places.map(() => []));
  await page.reload();
  await kitReady(page);
  expect(await visit(page, places)).toEqual(
    places.map((_, index) => [`user: question ${index}`, `assistant: answer ${index}`]),
  );
  const listed = await page.evaluate(async () => {
    const { runtime } = await window.kit.open({});
    return (await runtime.threads.list({ limit: 100 })).map(({ id }) => id);
  });
  expect(listed.sort()).toEqual([...hostile].sort());
});

test("namespaces with hostile ids keep apart", async () => {
  const page = await site.open();
  const places = hostile.map((namespace) => ({ namespace, thread: "t" }));
  expect(await visit(page, places)).toEqual(places.map(() => []));
  expect((await visit(page, places.slice(-1))).flat()).toEqual([
    `user: question ${places.length - 1}`,
    `assistant: answer ${places.length - 1}`,
  ]);
});

test("no boundary between the parts of a key moves", async () => {
  const page = await site.open();
  const places: Place[] = [
    { namespace: "a", graph: "b", thread: "cd" },
    { namespace: "ab", graph: "c", thread: "d" },
    { namespace: "a", graph: "bc", thread: "d" },
    { namespace: "a", graph: "b", node: "memory_c", thread: "d" },
    { namespace: "a", graph: "b", thread: "c" },
  ];
  expect(await visit(page, places)).toEqual(places.map(() => []));
});

test("two graphs with equal node ids, and two nodes of one graph, share nothing", async () => {
  const page = await site.open();
  const places: Place[] = [
    { graph: "one", thread: "t" },
    { graph: "two", thread: "t" },
    { graph: "one", node: "other", thread: "t" },
    { graph: "__proto__", thread: "t" },
  ];
  expect(await visit(page, places)).toEqual(places.map(() => []));

  const both = await page.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel("a0", "b0", "a1", "b1");
    const { graph, runtime } = await open(
      { models: { default: model } },
      { id: "pair", second: "aside" },
    );
    await graph.invoke({ text: "q0", thread: "t" });
    await graph.invoke({ text: "q1", thread: "t" });
    const nodes = (await runtime.state.nodes(graph)).map(({ node }) => node);
    return { nodes, sent: model.requests.map(({ messages }) => messages.map(brief)) };
  });
  expect(both.nodes.sort()).toEqual(["aside", "memory"]);
  const [, , first, second] = both.sent;
  expect(first).toEqual(["system: Think aloud.", "user: q0", "assistant: a0", "user: q1"]);
  expect(second).toEqual(["system: Be brief.", "user: q0", "assistant: b0", "user: q1"]);
});

test.each(["session", "call"] as const)("with %s scope nothing is kept", async (scope) => {
  const page = await site.open();
  expect(await visit(page, [{ thread: "t" }, { thread: "t" }], scope)).toEqual([[], []]);
  const rows = await page.evaluate(() => window.kit.countRows());
  expect(rows).toMatchObject({ rounds: 0, heads: 0, journal: 0 });
});

test("clearing a state empties the next prompt, leaves the channel, and no other thread", async () => {
  const page = await site.open();
  await visit(page, [{ thread: "t" }, { thread: "u" }]);
  const after = await page.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel("x", "y");
    const { graph, runtime } = await open({ models: { default: model } });
    const cleared = await runtime.state.clear({ graph, node: "memory", thread: "t" });
    const empty = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    await graph.invoke({ text: "t?", thread: "t" });
    await graph.invoke({ text: "u?", thread: "u" });
    const again = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    return {
      cleared: cleared.messages,
      empty: [empty.count, empty.messages.length],
      sent: model.requests.map(({ messages }) => messages.slice(1).map(brief)),
      transcript: (await runtime.threads.transcript("t")).length,
      again: again.messages.map(brief),
    };
  });
  expect(after).toEqual({
    cleared: 2,
    empty: [0, 0],
    sent: [["user: t?"], ["user: question 1", "assistant: answer 1", "user: u?"]],
    transcript: 2,
    again: ["user: t?", "assistant: x"],
  });
});

test("a state that is cleared in mid-run stays cleared", async () => {
  const page = await site.open();
  await visit(page, [{ thread: "t" }]);
  const after = await page.evaluate(async () => {
    const { open, weatherModel, gate, until } = window.kit;
    const hold = gate();
    const { graph, runtime } = await open({
      models: { default: weatherModel(() => hold.opened) },
    });
    const run = graph.run({ text: "late", thread: "t" });
    await until(run, ({ type }) => type === "memory_read");
    await runtime.state.clear({ graph, node: "memory", thread: "t" });
    hold.open();
    const { status, warnings } = await run.result;
    const { count } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    return { status, warnings: warnings.map(({ code }) => code), count };
  });
  expect(after.count).toBe(0);
  expect(after).toMatchObject({ status: "succeeded", warnings: ["W_STALE_EPOCH"] });
});

test("threads are listed, named, read and deleted with all that belongs to them", async () => {
  const page = await site.open();
  await visit(page, [{ thread: "t" }, { thread: "u" }, { thread: "t" }]);
  const seen = await page.evaluate(async () => {
    const { open, brief, scriptedModel } = window.kit;
    const model = scriptedModel("new");
    const { runtime, graph } = await open({ models: { default: model } });
    const { threads } = runtime;
    const listed = (await threads.list()).map(({ id, turns }) => `${id} ${turns}`);
    await threads.rename("u", "Zweite 👩‍👩‍👧");
    const title = (await threads.get("u"))?.title;
    const transcript = (await threads.transcript("t")).flatMap(({ user, replies, status }) => [
      status,
      ...(user === undefined ? [] : [brief(user)]),
      ...replies.map(brief),
    ]);
    const deleted = [await threads.delete("t"), await threads.delete("t")];
    const left = (await threads.list()).map(({ id }) => id);
    const gone = await threads.get("t");
    const { count } = await runtime.state.inspect({ graph, node: "memory", thread: "t" });
    await graph.invoke({ text: "again", thread: "t" });
    const sent = model.requests[0]?.messages.map(brief);
    return { listed, title, transcript, deleted, left, gone: gone ?? null, count, sent };
  });
  expect(seen).toEqual({
    listed: ["t 2", "u 1"],
    title: "Zweite 👩‍👩‍👧",
    transcript: [
      "complete",
      "user: question 0",
      "assistant: answer 0",
      "complete",
      "user: question 2",
      "assistant: answer 2",
    ],
    deleted: [true, false],
    left: ["u"],
    gone: null,
    count: 0,
    sent: ["system: Be brief.", "user: again"],
  });
});

test("a thread of someone else is refused, and an id that cannot be one", async () => {
  const page = await site.open();
  const codes = await page.evaluate(async () => {
    const { graph } = await window.kit.open({});
    const code = (run: { result: Promise<unknown> }) =>
      run.result.then(
        (result) => (result as { error?: { code: string } }).error?.code,
        (error: unknown) => (error as { code?: string }).code,
      );
    await graph.invoke({ text: "mine", thread: "t", actor: "ada" });
    return [
      await code(graph.run({ text: "x", thread: "t", actor: "eve" })),
      await code(graph.run({ text: "x", thread: "" })),
      await code(graph.run({ text: "x", thread: "\ud800" })),
      await code(graph.run({ text: "x", thread: 5 as unknown as string })),
    ];
  });
  expect(codes).toEqual(["E_THREAD_ACTOR", "E_BAD_ID", "E_BAD_ID", "E_BAD_ID"]);
});
