/**
 * One life of a page that will be killed: says what it finds, then has round after round on one thread, and says each
 * place it passes. Nobody answers: what is said is over HTTP, so that it outlives the browser.
 */
import { createRuntime, isMnemographError } from "mnemograph";
import { chatGraph } from "../../e2e/pages/graphs.js";
import { weatherModel } from "../../e2e/pages/models.js";
import { openWith } from "../../e2e/pages/open.js";
import type { Place, Tell } from "../tells.js";
import { audit } from "./audit.js";
import { journalHas } from "./copies.js";

const asked = new URL(location.href).searchParams;
const life = Number(asked.get("life"));
let subject = "";

function say(tell: Tell): void {
  void fetch("/told", { method: "POST", body: JSON.stringify(tell) });
}

const pass = (place: Place): void => say({ tell: "passed", life, place, subject });

/** The browser is about to store a round, and has done so: places that only the browser knows. */
function watchCommits(): void {
  const commit = IDBTransaction.prototype.commit;
  IDBTransaction.prototype.commit = function () {
    if (this.durability === "strict" && this.mode === "readwrite") {
      this.addEventListener("complete", () => pass("complete"));
      pass("commit");
    }
    return commit.call(this);
  };
}

async function live(): Promise<void> {
  const weather = weatherModel(() => pass("asked"));
  const tool = {
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    execute: ({ city }: { city?: unknown }) => {
      pass("called");
      return `rain in ${String(city)}`;
    },
  };
  const { runtime, graph } = await openWith(createRuntime, chatGraph(), {
    models: { default: weather },
    tools: { weather: tool },
  });
  runtime.on("storewiped", ({ restored, missing }) =>
    say({ tell: "wiped", life, restored: restored.rounds, missing: missing.rounds }),
  );
  say({ tell: "found", life, ...(await audit(runtime, graph)) });
  watchCommits();
  for (let round = 0; ; round += 1) {
    subject = `${life}-${round}`;
    await graph.invoke({ text: subject, thread: "t" });
    say({ tell: "stored", life, subject });
    if (!asked.has("copies")) continue;
    await journalHas(subject);
    say({ tell: "copied", life, subject });
  }
}

live().catch((error: unknown) => {
  const code = isMnemographError(error) ? error.code : "";
  say({ tell: "failed", life, code, message: String(error) });
});
