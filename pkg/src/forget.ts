import type { Changes } from "./changes.js";
import { MnemographError } from "./errors.js";
import { checkId } from "./ids.js";
import type { Session } from "./session.js";
import type { Erasing } from "./state.js";
import type { ThreadsApi } from "./threads.js";
import type { Forgotten } from "./wire.js";

/** What is to be forgotten: one conversation, all of one person, or all that the runtime's namespace holds. */
export type Forget = { thread: string } | { actor: string } | { namespace: true };

/** What forgetting needs of the runtime. */
export interface ForgetNeeds {
  session: Session;
  threads: ThreadsApi;
  changes: Changes;
  erasing: Erasing;
}

/** Erases it with everything that was made of it, and says how much there was. */
export async function forget(what: Forget, needs: ForgetNeeds): Promise<Forgotten> {
  const sum: Forgotten = { threads: 0, messages: 0 };
  const add = ({ threads, messages }: Forgotten): void => {
    sum.threads += threads;
    sum.messages += messages;
  };
  for await (const thread of threadsOf(what, needs)) {
    add(
      await needs.erasing(thread, () => needs.session.call(({ handle }) => handle.forget(thread))),
    );
    needs.changes.tell(thread, "all");
  }
  // What belongs to no conversation that is known goes too.
  if ("namespace" in what) add(await needs.session.call(({ handle }) => handle.forget()));
  return sum;
}

async function* threadsOf(what: Forget, { threads }: ForgetNeeds): AsyncGenerator<string> {
  if (typeof what !== "object" || what === null) throw unclear();
  if ("thread" in what) {
    yield checkId(what.thread, "thread");
    return;
  }
  if (!("actor" in what) && !("namespace" in what && what.namespace === true)) throw unclear();
  const whose = "actor" in what ? { actor: what.actor } : {};
  // Those that were listed are gone by the next look.
  for (;;) {
    const found = await threads.list({ ...whose, limit: 100 });
    if (found.length === 0) return;
    for (const { id } of found) yield id;
  }
}

function unclear(): MnemographError {
  return new MnemographError({
    code: "E_SCHEMA",
    message: "It is not said what is to be forgotten.",
    hint: "Give { thread }, { actor } or { namespace: true }.",
  });
}
