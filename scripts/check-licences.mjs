// Licences, sources and bans of all crates: by cargo-deny where it is installed, else by our own reading
// of deny.toml.
import { licenceProblems } from "./lib/licences.mjs";
import { metadata } from "./lib/metadata.mjs";
import { Failure, isMain, readText, run, script, which } from "./lib/run.mjs";

export async function checkLicences() {
  if (which("cargo-deny")) {
    await run("cargo", ["deny", "--offline", "check", "bans", "licenses", "sources"]);
    return;
  }
  const known = metadata();
  const problems = licenceProblems(known, readText("deny.toml"));
  if (problems.length > 0) {
    throw new Failure(
      `crates:\n  ${problems.join("\n  ")}`,
      "Choose another crate, or extend deny.toml and say why.",
    );
  }
  console.log(
    `✓ licences and sources: ${known.packages.length} crates (cargo-deny is not installed; read from deny.toml)`,
  );
}

if (isMain(import.meta.url)) await script(checkLicences);
