// What the tests use inside of the page, as `window.kit`: the shipped package and a few helpers.
import { createRuntime, isMnemographError, type RuntimeOptions } from "mnemograph";
import { demoModel } from "mnemograph/models/demo";
import { openaiChat } from "mnemograph/models/openai";
import { scriptedModel } from "mnemograph/testing";
import { mapStorage } from "../../../pkg/test/support/map-storage.js";
import { brief } from "./brief.js";
import { type ChatGraphOptions, chatGraph } from "./graphs.js";
import { countRows, journalHolds, journalWritten, meet, weatherModel } from "./models.js";
import { gate, openWith, tokens, until } from "./open.js";

const kit = {
  createRuntime,
  isMnemographError,
  demoModel,
  openaiChat,
  scriptedModel,
  weatherModel,
  meet,
  countRows,
  journalHolds,
  journalWritten,
  mapStorage,
  chatGraph,
  brief,
  gate,
  tokens,
  until,
  open: (options: RuntimeOptions, graph: ChatGraphOptions = {}) =>
    openWith(createRuntime, chatGraph(graph), options),
};

declare global {
  interface Window {
    kit: typeof kit;
  }
}

window.kit = kit;
