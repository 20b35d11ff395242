import { type } from "arktype";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Tool, tool } from "../src/index.js";
import { prepareTools } from "../src/schema.js";
import { callTool } from "../src/tool-call.js";

const json: Tool["parameters"] = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 } },
  required: ["city"],
};
const schemas: [string, unknown][] = [
  ["JSON Schema", json],
  ["zod", z.object({ city: z.string().min(1) })],
  ["ArkType", type({ city: "string > 0" })],
];
const context = { signal: new AbortController().signal, run_id: "r", thread_id: "t", call_id: "c" };

test.each(schemas)(
  "the same tool in %s: told to the model, checked, called",
  async (_name, parameters) => {
    const definition = {
      description: "d",
      parameters,
      execute: ({ city }: { city: string }) => city,
    };
    const prepared = prepareTools({ weather: definition as unknown as Tool }).get("weather");
    if (!prepared) throw new Error("It is not there.");
    expect(prepared.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string", minLength: 1 } },
      required: ["city"],
    });
    expect(await callTool(prepared, { city: "Oslo" }, context, false)).toEqual({
      kind: "done",
      payload: '"Oslo"',
    });
    for (const wrong of [{}, { city: 5 }, { city: "" }, null]) {
      const { kind, payload } = await callTool(prepared, wrong, context, false);
      expect([kind, JSON.parse(payload)]).toMatchObject(["done", { is_error: true }]);
      expect(payload).toContain("city");
    }
  },
);

test("what a schema makes of the arguments is what the tool gets", async () => {
  const prepared = prepareTools({
    t: tool({
      description: "d",
      parameters: z.object({ days: z.number().default(3) }),
      execute: ({ days }) => days,
    }),
  }).get("t");
  if (!prepared) throw new Error("It is not there.");
  expect(await callTool(prepared, {}, context, false)).toEqual({ kind: "done", payload: "3" });
});

test("a schema that cannot say itself as JSON Schema is refused with what to do", () => {
  const parameters = { "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } };
  const make = () =>
    prepareTools({ t: { description: "d", parameters, execute: () => 1 } as unknown as Tool });
  expect(make).toThrow(/schema of old/);
  expect(make).toThrow(
    expect.objectContaining({ code: "E_SETTING", hint: expect.stringContaining("zod 4.2") }),
  );
});
