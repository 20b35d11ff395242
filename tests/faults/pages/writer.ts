// A module worker that has rounds as a tab has.
import { openChat, write } from "./write.js";

if (location.search === "?without-locks") {
  Object.defineProperty(navigator, "locks", { value: undefined });
}

const opened = openChat();
self.onmessage = async ({ data }: MessageEvent<{ writer: string; rounds: number }>) => {
  const { graph } = await opened;
  self.postMessage(await write(graph, data.writer, data.rounds));
};
