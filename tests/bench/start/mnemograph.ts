// From createRuntime() to the first event of a run, in a page that has loaded nothing yet but the package's JavaScript.
import { CHAT, openChat } from "../parts/chat.js";
import { TEXT } from "../parts/histories.js";
import { instantModel } from "../parts/model.js";

export default async function start(): Promise<Record<string, number>> {
  const begun = performance.now();
  const { graph } = await openChat(instantModel(), { database: `start-${crypto.randomUUID()}` });
  const opened = performance.now();
  const run = graph.run({ text: TEXT, thread: "t" });
  for await (const event of run) {
    if (event.graph_id !== CHAT) throw new Error("an event of another graph");
    break;
  }
  const heard = performance.now();
  const { status } = await run.result;
  if (status !== "succeeded") throw new Error(`the run ${status}`);
  return {
    "createRuntime and load": opened - begun,
    "to the first event": heard - begun,
    "to the end of the first turn": performance.now() - begun,
  };
}
