// Compares the crates' dependency edges with the table in lib/dependencies.mjs.
import { dependencyProblems } from "./lib/dependencies.mjs";
import { metadata } from "./lib/metadata.mjs";
import { Failure, isMain, script } from "./lib/run.mjs";

export function checkDeps() {
  const problems = dependencyProblems(metadata());
  if (problems.length > 0) {
    throw new Failure(
      `dependency edges:\n  ${problems.join("\n  ")}`,
      "Remove the edge, or enter it in scripts/lib/dependencies.mjs and ARCHITECTURE.md and say why.",
    );
  }
  console.log("✓ dependencies: as in the table, the pure crates are pure");
}

if (isMain(import.meta.url)) await script(async () => checkDeps());
