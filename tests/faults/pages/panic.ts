// The package from its sources, so that the module can be made to crash, as `window.panic`.
import { createRuntime } from "../../../pkg/src/index.js";
import * as core from "../../../pkg/src/wasm/core.js";
import { chatGraph } from "../../e2e/pages/graphs.js";
import { weatherModel } from "../../e2e/pages/models.js";
import { gate, openWith } from "../../e2e/pages/open.js";
import { audit } from "./audit.js";
import { write } from "./write.js";

/** The export that the tests of crashes are for. */
const { __crash: crash } = core as unknown as { __crash(how: string): void };

/**
 * A chat whose module crashes in the midst of each round that is about something with "crash" in it: once its model is
 * asked, or once its tool is.
 */
async function open(how: string, where: "model" | "tool") {
  const crashed = gate();
  const crashOnce = (subject: unknown): Promise<void> | undefined => {
    if (!String(subject).includes("crash")) return undefined;
    // As a task of the module would: nobody is there to catch it.
    setTimeout(() => crash(how));
    return new Promise(() => {});
  };
  const weather = weatherModel();
  const model: typeof weather = async (request, context) => {
    const said = JSON.stringify(request.messages.at(-1));
    if (where === "model") await crashOnce(said.includes("crash") ? "crash" : "");
    return weather(request, context);
  };
  const opened = await openWith(createRuntime as never, chatGraph({ window: 8 }), {
    models: { default: model },
    tools: {
      weather: {
        description: "The weather in a city",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: async ({ city }) => {
          if (where === "tool") await crashOnce(city);
          return `rain in ${String(city)}`;
        },
      },
    },
  });
  opened.runtime.on("crashed", crashed.open);
  return { ...opened, crashed: crashed.opened };
}

const panic = { open, audit, write };

declare global {
  interface Window {
    panic: typeof panic;
  }
}

window.panic = panic;
