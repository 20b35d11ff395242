import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { describeThrown, MnemographError } from "./errors.js";
import type { HostTool } from "./handle.js";
import { toPlain } from "./json.js";
import type { JsonSchema, StandardSchema, Tool, ToolContext } from "./types.js";

/** The arguments as the tool wants them, or what is wrong with them in words for the model. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] };

/** A tool whose description was checked once, at the start. */
export interface PreparedTool extends HostTool {
  check(args: unknown): Checked | Promise<Checked>;
  execute(args: unknown, context: ToolContext): unknown;
}

/** Reads the tools of the page. Throws `E_SETTING` with the name of the tool that is none. */
export function prepareTools(tools: Record<string, Tool>): Map<string, PreparedTool> {
  return new Map(Object.entries(tools).map(([name, tool]) => [name, prepareTool(name, tool)]));
}

function prepareTool(name: string, tool: Tool): PreparedTool {
  const { description, parameters, execute, approval = "auto" } = tool;
  if (!["auto", "ask", "deny"].includes(approval)) {
    throw wrong(name, 'has an `approval` that is neither "auto" nor "ask" nor "deny"');
  }
  if (typeof execute !== "function") throw wrong(name, "has no function `execute`");
  if (typeof description !== "string") throw wrong(name, "has no text `description`");
  if (typeof parameters !== "object" && typeof parameters !== "function") {
    throw wrong(name, "has no `parameters`");
  }
  const standard = isStandard(parameters);
  const schema = standard ? standardToJson(name, parameters) : asSchema(name, parameters);
  return {
    name,
    description,
    parameters: schema,
    approval,
    check: standard ? standardCheck(parameters) : schemaCheck(schema),
    execute: (args, context) => execute.call(tool, args as Record<string, unknown>, context),
  };
}

function isStandard(value: JsonSchema | StandardSchema): value is StandardSchema {
  return "~standard" in value;
}

function asSchema(name: string, parameters: JsonSchema): JsonSchema {
  try {
    const plain = toPlain(parameters);
    if (typeof plain === "object" && plain !== null && !Array.isArray(plain)) {
      return plain as JsonSchema;
    }
  } catch (error) {
    throw wrong(name, `has \`parameters\` that are no JSON: the value ${describeThrown(error)}`);
  }
  throw wrong(name, "has `parameters` that are no JSON Schema object");
}

function standardToJson(name: string, schema: StandardSchema): JsonSchema {
  const convert = schema["~standard"].jsonSchema?.input;
  if (typeof convert !== "function") {
    throw wrong(
      name,
      `has a schema of ${schema["~standard"].vendor} that cannot say itself as JSON Schema`,
      "Use a version of the library with `~standard.jsonSchema` (zod 4.2, ArkType 2.1.28) or give JSON Schema.",
    );
  }
  try {
    return asSchema(name, convert({ target: "draft-2020-12" }));
  } catch (error) {
    throw wrong(name, `has a schema that cannot be said as JSON Schema: ${describeThrown(error)}`);
  }
}

function standardCheck(schema: StandardSchema): PreparedTool["check"] {
  return async (args) => {
    const result = await schema["~standard"].validate(args);
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, problems: result.issues.slice(0, MAX_PROBLEMS).map(describeIssue) };
  };
}

function describeIssue(issue: {
  message: string;
  path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}): string {
  const keys = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? issue.message : `${keys.join(".")}: ${issue.message}`;
}

const MAX_PROBLEMS = 5;

/** Keywords whose errors only repeat that something inside is wrong. */
const CONTAINERS = new Set(["$ref", "allOf", "items", "prefixItems", "properties", "then", "else"]);

function schemaCheck(schema: JsonSchema): PreparedTool["check"] {
  let validator: Validator | undefined;
  return (args) => {
    validator ??= new Validator(schema, "2020-12", false);
    const { valid, errors } = validator.validate(args);
    return valid ? { ok: true, value: args } : { ok: false, problems: problemsOf(errors, "words") };
  };
}

/**
 * The first few things that are wrong, each with its place: in the validator's words, which may quote the value,
 * or by the keyword alone.
 */
export function problemsOf(errors: OutputUnit[], how: "words" | "keyword"): string[] {
  const telling = errors.filter((error) => !CONTAINERS.has(error.keyword));
  const problems = (telling.length > 0 ? telling : errors).map((error) => {
    const at = error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
    if (how === "keyword")
      return `${at === "" ? "The value" : at} does not fit "${error.keyword}".`;
    return at === "" ? error.error : `${at}: ${error.error}`;
  });
  return [...new Set(problems)].slice(0, MAX_PROBLEMS);
}

function wrong(name: string, why: string, hint?: string): MnemographError {
  return new MnemographError({ code: "E_SETTING", message: `The tool "${name}" ${why}.`, hint });
}
