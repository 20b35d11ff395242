// `mnemograph check`: the command itself with a host of its own, and the program with the real module.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Checked, runCli } from "../src/cli/check.js";
import { chatGraph } from "./support/chat-graph.js";

const sound: Checked = { ok: true, problems: [], hash: "abc" };
const warned: Checked = {
  ok: true,
  hash: "abc",
  problems: [
    { code: "W_NO_REPLY", severity: "warning", message: "Nothing answers.", hint: "Add a reply." },
  ],
};
const broken: Checked = {
  ok: false,
  hash: null,
  problems: [
    {
      code: "E_REQUIRED_PORT",
      severity: "error",
      graph: "sub",
      node: "agent",
      port: "llm",
      path: "/nodes/1",
      message: "No model\u001b[31m\nis linked.",
      hint: "Link one.",
    },
    { code: "E_JSON", severity: "error", path: "/nodes/2", message: "Twice.", hint: "Once." },
  ],
};

async function run(...args: string[]) {
  const files: Record<string, Checked> = { sound, warned, broken };
  let [out, err] = ["", ""];
  const code = await runCli(args, {
    read: async (file) => {
      if (file in files || file === "-") return file;
      throw new Error("no such file");
    },
    check: async (text) => files[text] ?? sound,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test("a document without errors is ok, with its warnings", async () => {
  expect(await run("check", "sound", "warned")).toEqual({
    code: 0,
    err: "",
    out: `sound: ok
warned: ok, 1 warning
  warning W_NO_REPLY: Nothing answers.
    Add a reply.
`,
  });
});

test("problems are told with their place, and a terminal gets no control characters", async () => {
  expect(await run("check", "broken", "sound")).toEqual({
    code: 1,
    err: "",
    out: `broken: 2 errors
  error E_REQUIRED_PORT at sub/agent.llm: No model [31m is linked.
    Link one.
  error E_JSON at /nodes/2: Twice.
    Once.
sound: ok
`,
  });
});

test("--json prints one array, wherever it stands", async () => {
  for (const args of [
    ["check", "--json", "broken", "-"],
    ["--json", "check", "broken", "-"],
    ["check", "broken", "-", "--json"],
  ]) {
    const { code, out } = await run(...args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual([
      { file: "broken", ...broken },
      { file: "-", ...sound },
    ]);
  }
});

test.each([
  [[], "no command"],
  [["check"], "no file"],
  [["check", "--json"], "no file"],
  [["serve", "sound"], "unknown command serve"],
  [["check", "--jsno", "sound"], "unknown option --jsno"],
  [["check", "--", "--json"], "--json: no such file"],
])("wrong use, %j, is told on the standard error", async (args, words) => {
  const { code, out, err } = await run(...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(words);
});

test("a file that cannot be read does not hide the others", async () => {
  const { code, out, err } = await run("check", "missing", "broken");
  expect(code).toBe(2);
  expect(err).toBe("mnemograph: missing: no such file\n");
  expect(out).toContain("broken: 2 errors");
});

test("help is asked for, so it is no error", async () => {
  const { code, out, err } = await run("check", "--help");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("Usage: mnemograph check");
});

describe("the program", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-cli-"));
  const program = path.join(folder, "cli", "main.mjs");
  const at = (name: string) => path.join(folder, name);
  const source = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
  const check = (args: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "check", ...args], {
      cwd: folder,
      input,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  beforeAll(async () => {
    await build({
      entryPoints: [source("cli/main.ts")],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
    });
    fs.mkdirSync(at("wasm"));
    fs.copyFileSync(source("wasm/core_bg.wasm"), at("wasm/core_bg.wasm"));
    const document = chatGraph() as { edges: object[] };
    fs.writeFileSync(at("sound.json"), `\ufeff${JSON.stringify(document)}`);
    document.edges.splice(2, 1);
    fs.writeFileSync(at("broken.json"), JSON.stringify(document));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test("finds nothing in a sound document and names what a broken one lacks", () => {
    expect(check(["sound.json"])).toEqual({ status: 0, stdout: "sound.json: ok\n", stderr: "" });
    const { status, stdout } = check(["sound.json", "broken.json"]);
    expect(status).toBe(1);
    expect(stdout).toContain("error E_REQUIRED_PORT at agent.llm:");
  });

  test("reads the standard input and prints JSON", () => {
    const { status, stdout } = check(["--json", "-"], "{");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: "-", ok: false, hash: null, problems: [{ code: "E_JSON" }] },
    ]);
    const [{ hash }] = JSON.parse(check(["--json", "sound.json"]).stdout);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("cannot read what is not there", () => {
    const { status, stdout, stderr } = check(["missing.json"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("missing.json");
  });
});
