// The JSON Schema of documents agrees with the reader on the conformance vectors.
import fs from "node:fs";
import path from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";

interface Case {
  name: string;
  graph?: unknown;
  problems: { code: string }[];
}

const root = path.join(import.meta.dirname, "..", "..");
const file = new URL(import.meta.resolve("mnemograph/graph.schema.json"));
const validator = new Validator(JSON.parse(fs.readFileSync(file, "utf8")) as Schema, "2020-12");

const folder = path.join(root, "tests", "conformance", "graph");
const cases = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")) as Case[])
  .filter(({ graph }) => graph !== undefined);

const has = ({ problems }: Case, codes: string[]) =>
  problems.some(({ code }) => codes.includes(code));

// What the reader forgives and the schema does not say.
const forgiven = ["null means absent"];

test("documents without errors fit the schema", () => {
  const sound = cases.filter(
    (each) =>
      !each.problems.some(({ code }) => code.startsWith("E_")) &&
      !has(each, ["W_UNKNOWN_SETTING"]) &&
      !forgiven.includes(each.name),
  );
  expect(sound.length).toBeGreaterThan(40);
  const unfit = sound.filter(({ graph }) => !validator.validate(graph).valid);
  expect(unfit.map(({ name }) => name)).toEqual([]);
});

test("documents of another structure or with unknown node types do not", () => {
  const broken = cases.filter((each) => has(each, ["E_JSON", "E_UNKNOWN_TYPE", "E_VERSION"]));
  expect(broken.length).toBeGreaterThan(20);
  const fit = broken.filter(({ graph }) => validator.validate(graph).valid);
  expect(fit.map(({ name }) => name)).toEqual([]);
});
