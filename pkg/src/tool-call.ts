import { asFault, type Delivery, describeValue, done, Fault, failed, settled } from "./delivery.js";
import { describeThrown } from "./errors.js";
import { type Checked, isApproval, type PreparedTool } from "./schema.js";
import type { ToolContext } from "./types.js";
import type { Approval } from "./wire.js";

const TOOL_CODES: ReadonlySet<string> = new Set(["E_TOOL"]);

/**
 * Checks the arguments and calls a tool. Wrong arguments are an answer for the model, not a fault of the
 * tool. Never rejects.
 */
export async function callTool(
  tool: PreparedTool,
  args: unknown,
  context: ToolContext,
  agreed: boolean,
): Promise<Delivery> {
  try {
    const checked = await check(tool, args);
    if (!checked.ok) return wrongArguments(checked.problems);
    const approval = await decide(tool, checked.value, context);
    if (approval === "deny") return toModel("This tool may not be used so; the call was not made.");
    if (approval === "ask" && !agreed) return { kind: "ask", payload: "" };
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

/** What the page says of a call with these arguments. Nothing is called where that cannot be told. */
async function decide(tool: PreparedTool, args: unknown, context: ToolContext): Promise<Approval> {
  if (tool.decide === undefined) return "auto";
  const approval = await tool.decide(args, context);
  if (isApproval(approval)) return approval;
  throw new Fault(
    "E_TOOL",
    `The function \`approval\` of the tool "${tool.name}" gave ${describeValue(approval)}; the call was not made.`,
    'It has to give "auto", "ask" or "deny".',
  );
}

function wrongArguments(problems: string[]): Delivery {
  return toModel(`Error: the arguments do not fit the tool's parameters. ${problems.join("; ")}`);
}

function toModel(text: string): Delivery {
  return done({ content: [{ type: "text", text }], is_error: true });
}
