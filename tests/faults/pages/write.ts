import { createRuntime, type Graph, isMnemographError, type Runtime } from "mnemograph";
import { chatGraph } from "../../e2e/pages/graphs.js";
import { weatherModel } from "../../e2e/pages/models.js";
import { openWith } from "../../e2e/pages/open.js";

/**
 * A runtime with the chat of the suite. Its window keeps prompts short, however long the thread. The answers of its tool
 * are followed by so many characters, which audits leave out.
 */
export const openChat = (padding = 0): Promise<{ runtime: Runtime; graph: Graph }> =>
  openWith(createRuntime, chatGraph({ window: 8 }), {
    models: { default: weatherModel() },
    tools: {
      weather: {
        description: "The weather in a city",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: ({ city }) => `rain in ${String(city)}${noise(padding)}`,
      },
    },
  });

/** Text that cannot be compressed to little, behind a mark. */
function noise(length: number): string {
  if (length === 0) return "";
  const bytes = crypto.getRandomValues(new Uint8Array(length / 2));
  return `~${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What became of rounds. */
export interface Written {
  /** Those that were acknowledged: they must never be lost from now on. */
  stored: string[];
  /** Of those that were not, what was told. */
  refused: string[];
}

/** Has rounds one after the other on the thread `t`. */
export async function write(
  graph: Graph,
  writer: string,
  rounds: number,
  first = 0,
): Promise<Written> {
  const written: Written = { stored: [], refused: [] };
  for (let round = first; round < first + rounds; round += 1) {
    const text = `${writer}-${round}`;
    const refused = await refusalOf(graph, text);
    if (refused === undefined) written.stored.push(text);
    else written.refused.push(refused);
  }
  return written;
}

/** Why a round is not stored, by its code: the run fails, or it has its answer and warns. */
async function refusalOf(graph: Graph, text: string): Promise<string | undefined> {
  try {
    const { status, error, warnings } = await graph.run({ text, thread: "t" }).result;
    if (status !== "succeeded") return error?.code ?? status;
    return warnings.find(({ code }) => NOT_STORED.includes(code))?.code;
  } catch (error) {
    return codeOf(error);
  }
}

const NOT_STORED = ["E_MEMORY_WRITE", "W_STALE_EPOCH"];

/** What an error is known by. */
export const codeOf = (error: unknown): string =>
  isMnemographError(error) ? error.code : `untyped: ${String(error)}`;
