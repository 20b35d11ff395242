// A module worker that runs the package: one turn for each message.
import { createRuntime } from "mnemograph";
import { scriptedModel } from "mnemograph/testing";
import { chatGraph } from "./graphs.js";
import { openWith } from "./open.js";

const model = scriptedModel();
const opened = openWith(createRuntime, chatGraph(), { models: { default: model } });

self.onmessage = async ({ data }: MessageEvent<{ text: string; thread: string }>) => {
  const { graph } = await opened;
  model.add(`answer to ${data.text}`);
  const { status } = await graph.run(data).result;
  self.postMessage(status);
};
