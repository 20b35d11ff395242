import { asFault, type Delivery, done, Fault, failed, settled } from "./delivery.js";
import { describeThrown } from "./errors.js";
import type { Checked, PreparedTool } from "./schema.js";
import type { ToolContext } from "./types.js";

const TOOL_CODES: ReadonlySet<string> = new Set(["E_TOOL"]);

/**
 * Checks the arguments and calls a tool. Wrong arguments are an answer for the model, not a fault of the
 * tool. Never rejects.
 */
export async function callTool(
  tool: PreparedTool,
  args: unknown,
  context: ToolContext,
): Promise<Delivery> {
  try {
    const checked = await check(tool, args);
    if (!checked.ok) return wrongArguments(checked.problems);
    const given = settled(tool.execute(checked.value, context));
    const result = given instanceof Promise ? await given : given;
    if (result instanceof Error) throw result;
    return done(result);
  } catch (error) {
    return failed(asFault(error, "E_TOOL", "What the tool returned"), "E_TOOL", TOOL_CODES);
  }
}

async function check(tool: PreparedTool, given: unknown): Promise<Checked> {
  const args = given ?? {};
  if (typeof args !== "object" || Array.isArray(args)) {
    return { ok: false, problems: ["the arguments must be an object"] };
  }
  try {
    const checked = tool.check(args);
    return checked instanceof Promise ? await checked : checked;
  } catch (error) {
    throw new Fault(
      "E_TOOL",
      `The parameters of the tool "${tool.name}" cannot be checked: ${describeThrown(error)}`,
      "The tool's JSON Schema is wrong: correct it where the tool is registered.",
    );
  }
}

function wrongArguments(problems: string[]): Delivery {
  const text = `Error: the arguments do not fit the tool's parameters. ${problems.join("; ")}`;
  return done({ content: [{ type: "text", text }], is_error: true });
}
