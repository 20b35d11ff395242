// Builds dist: ES2022 modules with shared chunks, the wasm module, the schema of documents, and the declarations.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const at = (...parts) => path.join(here, ...parts);

if (!fs.existsSync(at("src", "wasm", "core_bg.wasm"))) {
  console.error("pkg: src/wasm is missing. Run `npm run wasm` first.");
  process.exit(1);
}

fs.rmSync(at("dist"), { recursive: true, force: true });

await build({
  entryPoints: {
    index: at("src", "index.ts"),
    "models/openai": at("src", "models", "openai.ts"),
    "models/demo": at("src", "models", "demo.ts"),
    "testing/index": at("src", "testing", "index.ts"),
  },
  outdir: at("dist"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  sourcemap: true,
  sourcesContent: true,
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
});

// The command line is for Node.js alone, so it shares no chunk with what pages load.
await build({
  entryPoints: { "cli/main": at("src", "cli", "main.ts") },
  outdir: at("dist"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  legalComments: "none",
  logLevel: "warning",
});
fs.chmodSync(at("dist", "cli", "main.js"), 0o755);

fs.mkdirSync(at("dist", "wasm"));
fs.copyFileSync(at("src", "wasm", "core_bg.wasm"), at("dist", "wasm", "core_bg.wasm"));
fs.copyFileSync(at("src", "generated", "graph.schema.json"), at("dist", "graph.schema.json"));

const tsc = path.join(at("..", "node_modules", "typescript", "bin", "tsc"));
execFileSync(process.execPath, [tsc, "-p", at("tsconfig.build.json")], { stdio: "inherit" });

checkAddress();

/** Bundlers find the module by one literal expression, relative to the file it stands in. */
function checkAddress() {
  const literal = 'new URL("./wasm/core_bg.wasm", import.meta.url)';
  const files = fs
    .readdirSync(at("dist"), { recursive: true })
    .filter((name) => name.endsWith(".js") && !name.startsWith("cli"));
  const found = files.flatMap((name) => {
    const count = fs.readFileSync(at("dist", name), "utf8").split("import.meta.url").length - 1;
    return count === 0 ? [] : [`${name}: ${count}`];
  });
  const index = fs.readFileSync(at("dist", "index.js"), "utf8");
  if (found.join() !== "index.js: 1" || !index.includes(literal)) {
    console.error(`pkg: the address of the wasm module has to stand once, as ${literal}, in`);
    console.error(`dist/index.js. import.meta.url stands in ${found.join(", ") || "no file"}.`);
    process.exit(1);
  }
}
