import type { Graph, RunEvent, Runtime, RuntimeOptions } from "mnemograph";

/** A promise and its key. */
export interface Gate {
  opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Reads a run until an event fits. */
export async function until(
  run: AsyncIterable<RunEvent>,
  fits: (event: RunEvent) => boolean,
): Promise<RunEvent> {
  for await (const event of run) if (fits(event)) return event;
  throw new Error("the run ended before");
}

/** The texts of a run's token events. */
export async function tokens(run: AsyncIterable<RunEvent>): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of run) if (event.type === "token") texts.push(event.data.text);
  return texts;
}

export interface Opened {
  runtime: Runtime;
  graph: Graph;
}

/** Opens a runtime with the weather tool and loads one graph. */
export async function openWith(
  createRuntime: (options: RuntimeOptions) => Promise<Runtime>,
  document: object,
  options: RuntimeOptions,
): Promise<Opened> {
  const runtime = await createRuntime({
    models: { default: () => "(no model was given)" },
    tools: {
      weather: {
        description: "The weather in a city",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: ({ city }) => `rain in ${String(city)}`,
      },
    },
    ...options,
  });
  return { runtime, graph: await runtime.load(document) };
}
