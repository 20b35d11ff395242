import type { ChatModel } from "mnemograph";
import { type Failure, toFailure } from "../lib/failure.ts";
import { randomId } from "../lib/ids.ts";

export type TestOutcome = { ok: true; ms: number } | { ok: false; failure: Failure };

const TIMEOUT_MS = 20_000;

/** Asks the model for one word, outside of any graph and any memory. */
export async function testModel(model: ChatModel): Promise<TestOutcome> {
  const started = performance.now();
  try {
    const answer = await model(
      {
        messages: [
          {
            v: 1,
            id: randomId(),
            role: "user",
            status: "complete",
            created_at: Date.now(),
            parts: [{ type: "text", text: "Answer with the one word: ready" }],
          },
        ],
        tools: [],
        params: {},
        stream: false,
      },
      {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        run_id: "settings-test",
        node: "settings",
        purpose: "agent",
      },
    );
    if (typeof answer === "object" && Symbol.asyncIterator in answer) {
      for await (const _ of answer) break;
    }
    return { ok: true, ms: performance.now() - started };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}
