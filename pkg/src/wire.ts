/** What crosses between the runtime and the page: generated from the Rust types, and what is made of them. */
import type { Problem, RunEventData } from "./generated/types.js";

export type { ErrorCode, WarningCode } from "./generated/codes.js";
export type * from "./generated/types.js";

/** The payloads of events by type. */
export type EventPayloads = { [E in RunEventData as E["type"]]: E["data"] };

/** What a check of a document found. */
export interface CheckResult {
  /** True if the document can be loaded; warnings allow that. */
  ok: boolean;
  problems: Problem[];
  /** Semantic hash: the same for two documents that do the same. */
  hash?: string;
}
