import { type ChatModel, MnemographError } from "mnemograph";

/** A model that is always busy, for the example that falls back to another one. */
export const failingModel: ChatModel = () => {
  throw new MnemographError({
    code: "E_LLM",
    message: "This model of the playground always fails.",
    retryable: true,
  });
};
