// A run that asks a person in one page is answered in another one: it ends, and nothing of it is done twice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

test("a tool that was asked for in a closed tab is approved in another: once called, one round stored", async () => {
  const context = await site.context();
  const asking = await site.open({ in: context });
  const asked = await asking.evaluate(async () => {
    const { open, scriptedModel } = window.kit;
    const model = scriptedModel([
      { type: "tool_call", index: 0, call_id: "c1", name: "weather", args: '{"city":"Oslo"}' },
      { type: "finish", reason: "tool_calls" },
    ]);
    const { graph } = await open({ models: { default: model } }, { approve: true });
    return graph.run({ text: "weather?", thread: "t" }).result;
  });
  expect(asked).toMatchObject({
    status: "waiting",
    interrupts: [{ kind: "tool", call: { name: "weather", args: { city: "Oslo" } } }],
  });
  await asking.close();

  const answering = await site.open({ in: context });
  const seen = await answering.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel("It rains.", "Again.");
    const { runtime, graph } = await open({ models: { default: model } }, { approve: true });
    const refused = await graph
      .run({ text: "other", thread: "t" })
      .result.catch((error: { code: string }) => error.code);
    const [waiting] = await runtime.waiting({ thread: "t" });
    const id = waiting?.run_id ?? "";
    const answer = { interrupt: waiting?.interrupts[0]?.id ?? "", action: "approve" };
    const both = await Promise.all(
      [answer, answer].map((each) =>
        runtime
          .resume(id, each)
          .then((run) => run.result)
          .then(({ status, text }) => `${status} ${text}`)
          .catch((error: { code: string }) => error.code),
      ),
    );
    await graph.invoke({ text: "and now?", thread: "t" });
    return {
      refused,
      both: both.sort(),
      prompt: model.requests.at(-1)?.messages.map(brief),
      left: await runtime.waiting(),
      shown: (await runtime.threads.transcript("t")).map(({ status }) => status),
    };
  });
  expect(seen).toEqual({
    refused: "E_BUSY",
    both: ["E_RESUME_STALE", "succeeded It rains."],
    prompt: [
      "system: Be brief.",
      "user: weather?",
      'assistant: weather{"city":"Oslo"}',
      "tool: rain in Oslo",
      "assistant: It rains.",
      "user: and now?",
    ],
    left: [],
    shown: ["complete", "complete"],
  });
  await context.close();
});
