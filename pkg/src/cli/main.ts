#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Engine } from "../engine.js";
import type { Glue } from "../handle.js";
import * as core from "../wasm/core.js";
import { type Checked, runCli } from "./check.js";

type CheckingGlue = Glue & { check_document(text: string): Checked };

const glue = core as unknown as CheckingGlue;
let loading: Promise<Engine> | undefined;

const code = await runCli(process.argv.slice(2), {
  read: (file) => (file === "-" ? text(process.stdin) : readFile(file, "utf8")),
  check: async (document) => {
    loading ??= Engine.load(glue, new URL("../wasm/core_bg.wasm", import.meta.url));
    const engine = await loading;
    return engine.enter(() => glue.check_document(document));
  },
  out: (words) => process.stdout.write(words),
  err: (words) => process.stderr.write(words),
});
// Not process.exit: what was written to a pipe still has to go out.
process.exitCode = code;
