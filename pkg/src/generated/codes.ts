// Generated from Rust by `npm run types`. Changes made here are lost.

/** Every error code, sorted. */
export const ERROR_CODES = [
  "E_AGENT_LIMIT",
  "E_BAD_ID",
  "E_BUSY",
  "E_CANCELLED",
  "E_CLOSED",
  "E_COERCE",
  "E_CSP",
  "E_CYCLE",
  "E_DANGLING_EDGE",
  "E_DOC_LIMIT",
  "E_DUP_ID",
  "E_INPUT_ABSENT",
  "E_INTERNAL",
  "E_JSON",
  "E_LINK_TARGET",
  "E_LLM",
  "E_LLM_RESPONSE",
  "E_LLM_TIMEOUT",
  "E_MAX_CONNECTIONS",
  "E_MEMORY_WRITE",
  "E_NOT_FOUND",
  "E_NO_MODEL",
  "E_PORT_KIND",
  "E_PORT_UNKNOWN",
  "E_REQUIRED_PORT",
  "E_REQUIRES",
  "E_RUNTIME_CRASHED",
  "E_RUN_TIMEOUT",
  "E_SETTING",
  "E_STEP_LIMIT",
  "E_STORE_BLOCKED",
  "E_STORE_CONFLICT",
  "E_STORE_QUOTA",
  "E_STORE_TIMEOUT",
  "E_STORE_UNAVAILABLE",
  "E_STORE_VERSION",
  "E_TEMPLATE",
  "E_TEMPLATE_REF",
  "E_TEMPLATE_SCOPE",
  "E_TEMPLATE_SYNTAX",
  "E_THREAD_ACTOR",
  "E_TOOL",
  "E_TRIGGER",
  "E_TYPE_MISMATCH",
  "E_UNKNOWN_TYPE",
  "E_UNSUPPORTED",
  "E_VERSION",
  "E_WASM_LOAD",
] as const;

/** One error code. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every warning code, sorted. */
export const WARNING_CODES = [
  "W_JOURNAL",
  "W_MEMORY_SHARED_PARALLEL",
  "W_MEMORY_UNLINKED",
  "W_MESSAGES_IN_UNWIRED",
  "W_NO_REPLY",
  "W_ORPHAN_TOOL_RESULT",
  "W_REF_MAYBE_SKIPPED",
  "W_ROUND_QUARANTINED",
  "W_SETTING_AND_EDGE",
  "W_STALE_EPOCH",
  "W_SYSTEM_MESSAGE_NOT_SENT",
  "W_TEMPLATE_MISSING",
  "W_THREAD_WITHOUT_CHAT",
  "W_UNKNOWN_SETTING",
  "W_UNREACHABLE",
  "W_WINDOW_EMPTY",
] as const;

/** One warning code. */
export type WarningCode = (typeof WARNING_CODES)[number];
