// Models and tools that do what none should, as `window.callbacks`.
import { createRuntime, isMnemographError, type RunResult } from "mnemograph";
import {
  circular,
  deep,
  hostile,
  rejected,
  settlesAtOnce,
  stream,
  thenable,
  twice,
  withThen,
} from "../../../pkg/test/support/shapes.js";
import { chatGraph } from "../../e2e/pages/graphs.js";
import { weatherModel } from "../../e2e/pages/models.js";
import { openWith } from "../../e2e/pages/open.js";
import { audit } from "./audit.js";
import { write } from "./write.js";

/** Where in a round the callback misbehaves. */
export type Stage = "answer" | "piece" | "tool";

/** Milliseconds that a callback of these tests may take. */
const LIMIT = 200;

const leaves = [
  undefined,
  null,
  1,
  Number.NaN,
  5n,
  Symbol("s"),
  settlesAtOnce,
  new Date(Number.NaN),
  circular,
  deep,
  hostile,
  thenable,
  new Uint8Array(1),
  new Map([[1, 2]]),
  "x".repeat(1_000_000),
  "\ud800",
];

const wraps: ((x: unknown) => unknown)[] = [
  (x) => x,
  (x) => ({ text: x }),
  (x) => ({ type: "text", text: x }),
  (x) => ({ parts: [x] }),
  (x) => ({ tool_calls: [x] }),
  (x) => ({ tool_calls: [{ call_id: x, name: "weather", args: x }] }),
  (x) => [x],
  (x) => Promise.resolve(x),
  rejected,
  (x) => stream("a", x),
  withThen,
  (x) => {
    throw x;
  },
  (x) => ({ usage: x, text: "fine" }),
];

/** Things that a callback should not give, each made when it is asked for. */
const SHAPES = leaves.flatMap((leaf) => wraps.map((wrap) => () => wrap(leaf)));

/** What became of the one run of each case. */
export interface Ended {
  status: string;
  code: string;
  /** Milliseconds. */
  took: number;
  finishes: number;
}

/** A page with one model and one tool that are replaced for each case. */
async function open() {
  const document = chatGraph({ window: 8 }) as {
    limits?: object;
    nodes: { type: string; settings?: Record<string, unknown> }[];
  };
  document.limits = { llm_timeout_ms: LIMIT };
  for (const node of document.nodes) {
    if (node.type === "tool") Object.assign(node.settings ?? {}, { timeout_ms: LIMIT });
  }
  const good = weatherModel();
  let stage: Stage | undefined;
  let make = (): unknown => undefined;
  const unhandled: string[] = [];
  addEventListener("unhandledrejection", ({ reason }) => unhandled.push(String(reason)));
  addEventListener("error", ({ message }) => unhandled.push(message));
  const model = ((request, context) => {
    if (stage === "answer") return make();
    if (stage === "piece") {
      return (async function* () {
        yield "a";
        yield make();
      })();
    }
    return good(request, context);
  }) as typeof good;
  const { runtime, graph } = await openWith(createRuntime, document, {
    models: { default: model },
    tools: {
      weather: {
        description: "The weather in a city",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: ({ city }) => (stage === "tool" ? make() : `rain in ${String(city)}`),
      },
    },
  });

  async function run(
    where: Stage,
    shape: () => unknown,
    text: string,
    thread = "t",
  ): Promise<Ended> {
    stage = where;
    make = shape;
    const begun = performance.now();
    let finishes = 0;
    const running = graph.run({ text, thread });
    try {
      for await (const { type } of running) {
        if (type === "run_finished" || type === "run_failed") finishes += 1;
      }
      const result: RunResult = await running.result;
      const { status, error } = result;
      return { status, code: error?.code ?? "", took: performance.now() - begun, finishes };
    } catch (error) {
      const code = isMnemographError(error) ? error.code : `untyped: ${String(error)}`;
      return { status: "rejected", code, took: performance.now() - begun, finishes };
    } finally {
      stage = undefined;
    }
  }

  return {
    /** Gives the shape of this number at a stage. Those made of one leaf are had on one thread. */
    garbage: (where: Stage, at: number) =>
      run(where, SHAPES[at] ?? (() => null), `g-${at}`, `g${Math.floor(at / wraps.length)}`),
    /** Never answers. */
    hang: (where: Stage) => run(where, () => new Promise(() => {}), "h-0"),
    /** Settles more than once, or goes on after its end. */
    again: (where: Stage, how: "thenable" | "late") =>
      run(where, how === "thenable" ? () => twice : lateStream, "a-0"),
    unhandled,
    write: (writer: string, rounds: number) => write(graph, writer, rounds),
    audit: () => audit(runtime, graph),
  };
}

/** Throws after it has been told to stop, and settles its piece long after. */
function lateStream(): unknown {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => setTimeout(resolve, 2 * LIMIT, { value: "late" })),
      return: () => Promise.reject(new Error("no end")),
    }),
  };
}

const callbacks = { open, shapes: SHAPES.length, limit: LIMIT };

declare global {
  interface Window {
    callbacks: typeof callbacks;
  }
}

window.callbacks = callbacks;
