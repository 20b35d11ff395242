import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { describeThrown, MnemographError } from "./errors.js";
import type { HostTool } from "./handle.js";
import { toPlain } from "./json.js";
import type { JsonSchema, StandardSchema, Tool, ToolContext } from "./types.js";
import type { Approval } from "./wire.js";

/** The arguments as the tool wants them, or what is wrong with them in words for the model. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] };

/** A tool whose description was checked once, at the start. */
export interface PreparedTool extends HostTool {
  check(args: unknown): Checked | Promise<Checked>;
  /** Whether a call with these arguments needs consent; absent where it does not depend on them. */
  decide: ((args: unknown, context: ToolContext) => unknown) | undefined;
  execute(args: unknown, context: ToolContext): unknown;
}

/** Reads the tools of the page. Throws `E_SETTING` with the name of the tool that is none. */
export function prepareTools(tools: Record<string, Tool>): Map<string, PreparedTool> {
  return new Map(Object.entries(tools).map(([name, tool]) => [name, prepareTool(name, tool)]));
}

function prepareTool(name: string, tool: Tool): PreparedTool {
  const { description, parameters, execute, approval = "auto" } = tool;
  if (typeof approval !== "function" && !isApproval(approval)) {
    throw wrong(
      name,
      'has an `approval` that is neither "auto" nor "ask" nor "deny" nor a function',
    );
  }
  if (typeof execute !== "function") throw wrong(name, "has no function `execute`");
  if (typeof description !== "string") throw wrong(name, "has no text `description`");
  const { schema, check } = readSchema(parameters, {
    subject: `tool "${name}"`,
    key: "parameters",
  });
  return {
    name,
    description,
    parameters: schema,
    // What only the arguments can tell is asked when they are there.
    approval: typeof approval === "function" ? "auto" : approval,
    decide:
      typeof approval === "function"
        ? (args, context) => approval.call(tool, args as Record<string, unknown>, context)
        : undefined,
    check,
    execute: (args, context) => execute.call(tool, args as Record<string, unknown>, context),
  };
}

/** Whether it is one of the words. */
export function isApproval(value: unknown): value is Approval {
  return value === "auto" || value === "ask" || value === "deny";
}

/** Whose schema it is, for messages. */
export interface SchemaPlace {
  /** `tool "weather"`. */
  subject: string;
  /** The key that holds the schema. */
  key: string;
}

/** A schema that was read once: as JSON Schema, and as the check that it stands for. */
export interface ReadSchema {
  schema: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

/** Reads a schema of either sort. Throws `E_SETTING` for what is none. */
export function readSchema(given: JsonSchema | StandardSchema, place: SchemaPlace): ReadSchema {
  if ((typeof given !== "object" || given === null) && typeof given !== "function") {
    throw wrongSchema(place, `has no \`${place.key}\``);
  }
  if (!isStandard(given)) {
    const schema = asSchema(place, given);
    return { schema, check: schemaCheck(schema) };
  }
  return { schema: standardToJson(place, given), check: standardCheck(given) };
}

function isStandard(value: JsonSchema | StandardSchema): value is StandardSchema {
  return "~standard" in value;
}

function asSchema(place: SchemaPlace, given: JsonSchema): JsonSchema {
  const { key } = place;
  try {
    const plain = toPlain(given);
    if (typeof plain === "object" && plain !== null && !Array.isArray(plain)) {
      return plain as JsonSchema;
    }
  } catch (error) {
    const why = describeThrown(error);
    throw wrongSchema(place, `has \`${key}\` that are no JSON: the value ${why}`);
  }
  throw wrongSchema(place, `has \`${key}\` that are no JSON Schema object`);
}

function standardToJson(place: SchemaPlace, schema: StandardSchema): JsonSchema {
  const convert = schema["~standard"].jsonSchema?.input;
  if (typeof convert !== "function") {
    throw wrongSchema(
      place,
      `has a schema of ${schema["~standard"].vendor} that cannot say itself as JSON Schema`,
      "Use a version of the library with `~standard.jsonSchema` (zod 4.2, ArkType 2.1.28) or give JSON Schema.",
    );
  }
  try {
    return asSchema(place, convert({ target: "draft-2020-12" }));
  } catch (error) {
    const why = describeThrown(error);
    throw wrongSchema(place, `has a schema that cannot be said as JSON Schema: ${why}`);
  }
}

function standardCheck(schema: StandardSchema): ReadSchema["check"] {
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

function schemaCheck(schema: JsonSchema): ReadSchema["check"] {
  let validator: Validator | undefined;
  return (value) => {
    validator ??= new Validator(schema, "2020-12", false);
    const { valid, errors } = validator.validate(value);
    return valid ? { ok: true, value } : { ok: false, problems: problemsOf(errors, "words") };
  };
}

/**
 * The first few things that are wrong, each with its place: in the validator's words, which may quote the value,
 * or by the keyword alone.
 */
export function problemsOf(errors: OutputUnit[], how: "words" | "keyword"): string[] {
  const problems = tellingOf(errors).map((error) => {
    const at = error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
    if (how === "keyword")
      return `${at === "" ? "The value" : at} does not fit "${error.keyword}".`;
    return at === "" ? error.error : `${at}: ${error.error}`;
  });
  return [...new Set(problems)].slice(0, MAX_PROBLEMS);
}

/** The errors that say more than that something inside is wrong, if there are any. */
export function tellingOf(errors: OutputUnit[]): OutputUnit[] {
  const telling = errors.filter((error) => !CONTAINERS.has(error.keyword));
  return telling.length > 0 ? telling : errors;
}

function wrong(name: string, why: string): MnemographError {
  return wrongSchema({ subject: `tool "${name}"` }, why);
}

function wrongSchema(
  { subject }: Pick<SchemaPlace, "subject">,
  why: string,
  hint?: string,
): MnemographError {
  return new MnemographError({ code: "E_SETTING", message: `The ${subject} ${why}.`, hint });
}
