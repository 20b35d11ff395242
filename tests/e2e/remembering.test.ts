import { afterAll, beforeAll, expect, test } from "vitest";
import { kitReady, type Site, startSite } from "./site.js";

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

test("after a reload the model is sent the whole round before, tool calls included, in order", async () => {
  const page = await site.open();
  const first = await page.evaluate(async () => {
    const { open, scriptedModel } = window.kit;
    const model = scriptedModel(
      [
        { type: "text", text: "Let me look." },
        { type: "tool_call", index: 0, call_id: "c1", name: "weather", args: '{"city":' },
        { type: "tool_call", index: 0, args: '"Oslo"}' },
        { type: "finish", reason: "tool_calls" },
      ],
      ["Hello ", "Ada, ", "it rains."].map((text) => ({ type: "text", text })),
    );
    const { graph } = await open({ models: { default: model } });
    return graph.invoke({ text: "my name is Ada", thread: "t" });
  });
  expect(first).toMatchObject({ status: "succeeded", text: "Hello Ada, it rains." });

  await page.reload();
  await kitReady(page);
  const second = await page.evaluate(async () => {
    const { open, scriptedModel, brief } = window.kit;
    const model = scriptedModel("You are Ada.");
    const { graph } = await open({ models: { default: model } });
    const { text } = await graph.invoke({ text: "what is my name?", thread: "t" });
    return {
      text,
      sent: model.requests[0]?.messages,
      lines: model.requests[0]?.messages.map(brief),
    };
  });
  expect(second.lines).toEqual([
    "system: Be brief.",
    "user: my name is Ada",
    'assistant: Let me look. + weather{"city":"Oslo"}',
    "tool: rain in Oslo",
    "assistant: Hello Ada, it rains.",
    "user: what is my name?",
  ]);
  expect(second.text).toBe("You are Ada.");
  expect(second.sent?.[2]?.parts[1]).toMatchObject({ type: "tool_call", call_id: "c1" });
  expect(second.sent?.[3]?.parts[0]).toMatchObject({
    type: "tool_result",
    call_id: "c1",
    is_error: false,
  });
});
