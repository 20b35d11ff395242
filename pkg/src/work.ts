import { Validator } from "@cfworker/json-schema";
import { asFault, type Delivery, done, Fault, failed, settled } from "./delivery.js";
import { describeThrown } from "./errors.js";
import { fetchAllowed, type HttpCall } from "./http.js";
import type { NodeTypes } from "./node-types.js";
import { problemsOf } from "./schema.js";
import type { FunctionContext, HttpOptions, JsonSchema, NodeCall } from "./types.js";
import type { HostWork } from "./wire.js";

/** A function of a `call` node: its author says what the arguments are. */
export type PageFunction = (args: unknown, context: FunctionContext) => unknown;

/** What graphs may ask of the page beside models and tools. */
export interface WorkNeeds {
  functions: ReadonlyMap<string, PageFunction>;
  nodes: NodeTypes;
  http: HttpOptions | undefined;
}

/** The kinds of it, by their names at the module's border. */
export type WorkKind = HostWork;

const FUNCTION_CODES: ReadonlySet<string> = new Set(["E_CALL"]);
const HTTP_CODES: ReadonlySet<string> = new Set(["E_HTTP_NETWORK", "E_HTTP_BLOCKED"]);

/** Does a piece of work for a graph. Never rejects. */
export async function callWork(
  kind: WorkKind,
  name: string,
  payload: unknown,
  context: FunctionContext,
  needs: WorkNeeds,
): Promise<Delivery> {
  switch (kind) {
    case "function":
      return callFunction(name, payload, context, needs);
    case "http":
      try {
        return done(await fetchAllowed(payload as HttpCall, needs.http, context.signal));
      } catch (error) {
        return failed(error, "E_HTTP_NETWORK", HTTP_CODES);
      }
    case "node":
      return needs.nodes.execute(name, payload as NodeCall, context);
    case "schema":
      return checkSchema(payload as { schema: JsonSchema; value: unknown });
  }
}

async function callFunction(
  name: string,
  args: unknown,
  context: FunctionContext,
  { functions }: WorkNeeds,
): Promise<Delivery> {
  try {
    const wanted = functions.get(name);
    if (wanted === undefined) {
      const known = Array.from(functions.keys(), (each) => `"${each}"`).join(", ") || "none";
      throw new Fault(
        "E_CALL",
        `No function of the name "${name}" is registered.`,
        `Give it to createRuntime under \`functions\`. Registered: ${known}.`,
      );
    }
    const given = settled(wanted(args, context));
    const result = given instanceof Promise ? await given : given;
    return done(result ?? null);
  } catch (error) {
    return failed(asFault(error, "E_CALL", "What the function returned"), "E_CALL", FUNCTION_CODES);
  }
}

/** A schema that cannot be used finds the value wrong, and says why. */
function checkSchema({ schema, value }: { schema: JsonSchema; value: unknown }): Delivery {
  try {
    const { valid, errors } = new Validator(schema, "2020-12", false).validate(value);
    return done({ errors: valid ? [] : problemsOf(errors, "keyword") });
  } catch (error) {
    return done({ errors: [`The schema cannot be used: ${describeThrown(error)}.`] });
  }
}
