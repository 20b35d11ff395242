// Mnemograph beside the libraries that people would use instead, on the same work in the same page.
import { createRuntime } from "mnemograph";
import { openChat, turn } from "../parts/chat.js";
import * as graphs from "../parts/graphs.js";
import { TEXT } from "../parts/histories.js";
import { compare, median, ratio } from "../parts/measure.js";
import { toolModel } from "../parts/model.js";
import { aiSdk, aiSdkStream, langChain, openAiAgents } from "./agents.js";
import { langGraph, llamaIndex, pocketFlow, rivet, xstate } from "./steps.js";

const STEPS = 1_000;

/** Rivet overflows the stack on a chain of 1 000. */
const CHAINS = [
  [100, [pocketFlow, xstate, llamaIndex, rivet, langGraph]],
  [STEPS, [pocketFlow, xstate, llamaIndex, langGraph]],
];

const MESSAGES = 10_000;
const PIECE = "x".repeat(64);
const PIECES = 4_096;

/** Slow ways must not hold the page for minutes: five rounds are taken whatever they cost. */
const EFFORT = { rounds: 11, budgetMs: 20_000 };

const SELF = "Mnemograph";

export default async function bench(log) {
  const rows = [];
  const add = async (work, ways) => {
    log(work);
    rows.push(...table(work, await compare(ways, EFFORT)));
  };
  const closing = [];
  const open = async (options) => {
    const runtime = await createRuntime({ storage: "memory", ...options });
    closing.push(runtime);
    return runtime;
  };
  const quiet = await open();
  const told = await open({ onEvent: () => {} });
  for (const [length, others] of CHAINS) {
    await add(`chain of ${length} steps`, {
      [SELF]: await steps(quiet, graphs.chain(length), length),
      [`${SELF}, all events heard`]: await steps(told, graphs.chain(length), length),
      ...named(others, "chain", length),
    });
  }
  await add(`loop of ${STEPS} passes`, {
    [SELF]: await steps(quiet, graphs.loop(STEPS), STEPS),
    [`${SELF}, all events heard`]: await steps(told, graphs.loop(STEPS), STEPS),
    ...named([pocketFlow, llamaIndex, rivet, langGraph], "loop", STEPS),
  });
  const inRam = await openChat(toolModel(), { storage: "memory" });
  closing.push(inRam.runtime);
  let thread = 0;
  const freshThread = () => {
    thread += 1;
    return `t-${thread}`;
  };
  await add("agent turn with one tool, nothing stored before", {
    [`${SELF}, memory in RAM`]: () => turn(inRam, freshThread()),
    ...Object.fromEntries([aiSdk, openAiAgents, langChain].map((peer) => [peer.name, peer.turn()])),
  });
  await add(
    `streaming of ${(PIECE.length * PIECES) / 1_024} kB in pieces of ${PIECE.length} characters`,
    {
      [SELF]: await streaming(await open({ models: { default: streamer } })),
      "AI SDK streamText": checked(aiSdkStream(PIECES, PIECE)),
    },
  );
  const database = "bench-peers";
  const onDisk = await seeded(await openChat(toolModel(), { database }, "window_memory"), log);
  closing.push(onDisk.runtime);
  const text = (i) => `${i} ${TEXT}`;
  await add(`agent turn with one tool on ${MESSAGES} messages`, {
    [`${SELF}, window of 10 on IndexedDB`]: () => turn(onDisk, "long"),
    [`${openAiAgents.name}, MemorySession in RAM`]: openAiAgents.remembering(MESSAGES, text),
    [`${langChain.name}, MemorySaver in RAM`]: await langChain.remembering(MESSAGES, text),
  });
  for (const runtime of closing) await runtime.close();
  indexedDB.deleteDatabase(database);
  return { title: "Mnemograph beside its peers", tables: [{ title: "times", rows }] };
}

const named = (peers, work, size) =>
  Object.fromEntries(peers.map((peer) => [peer.name, peer[work](size)]));

const table = (work, samples) => {
  const [[, own]] = Object.entries(samples);
  return Object.entries(samples).map(([way, values]) => ({
    work,
    way,
    ms: median(values),
    "× Mnemograph": ratio(values, own),
  }));
};

async function steps(runtime, document, gives) {
  const graph = await runtime.load(document);
  return async () => {
    const { outputs } = await graph.invoke({});
    if (outputs.result !== gives) throw new Error(`a graph gave ${outputs.result}`);
  };
}

/** A thread that has been talked on for long, by turns as people would. */
async function seeded(chat, log) {
  const turns = MESSAGES / 4;
  for (let i = 0; i < turns; i += 1) {
    if (i % 500 === 0) log(`seeding, turn ${i} of ${turns}`);
    await turn(chat, "long");
  }
  return chat;
}

async function* streamer() {
  for (let i = 0; i < PIECES; i += 1) yield { type: "text", text: PIECE };
  yield { type: "finish", reason: "stop" };
}

async function streaming(runtime) {
  const graph = await runtime.load({
    format: "mnemograph",
    format_version: 1,
    id: "peers-stream",
    nodes: [
      { id: "start", type: "chat_trigger" },
      { id: "answer", type: "llm_response" },
      { id: "model", type: "llm_model", settings: { model: "default" } },
      { id: "reply", type: "reply", settings: { text: "{{ nodes.answer.output }}" } },
    ],
    edges: [
      { type: "run", from: "start.out", to: "answer.in" },
      { type: "run", from: "answer.out", to: "reply.in" },
      { type: "link_llm", from: "model.llm", to: "answer.llm" },
    ],
  });
  return checked(async () => {
    let length = 0;
    for await (const { type, data } of graph.run({ text: TEXT })) {
      if (type === "token") length += data.text.length;
    }
    return length;
  });
}

const checked = (stream) => async () => {
  const length = await stream();
  if (length !== PIECE.length * PIECES) throw new Error(`a stream gave ${length} characters`);
};
