import { describeThrown } from "../errors.js";
import type { Problem } from "../generated/types.js";

/** What the module says of one document, without a host. */
export interface Checked {
  ok: boolean;
  problems: Problem[];
  /** The semantic hash; null if the document has errors. */
  hash: string | null;
}

/** What the command needs of its surroundings. */
export interface CliHost {
  /** The text of a file; `-` is the standard input. */
  read(file: string): Promise<string>;
  /** Judges a document. */
  check(text: string): Promise<Checked>;
  /** Writes to the standard output. */
  out(text: string): void;
  /** Writes to the standard error. */
  err(text: string): void;
}

/** How the command ends: nothing wrong, errors found, the command could not be carried out. */
export type ExitCode = 0 | 1 | 2;

const USAGE = `Usage: mnemograph check [--json] FILE…

Judges graph documents as the runtime does when it loads them, and prints every problem with its hint.
FILE is a JSON file; - is the standard input. What a page has to offer (models, tools) is not checked.

  --json      print one JSON array: [{file, ok, problems, hash}]
  -h, --help  print this

Exit code: 0 no errors (warnings may be), 1 errors in a document, 2 wrong use or an unreadable file.
`;

/** Carries out `mnemograph ARGS`. Never rejects: what goes wrong is said on `err`. */
export async function runCli(args: readonly string[], host: CliHost): Promise<ExitCode> {
  const asked = readArgs(args);
  if (asked === "help") {
    host.out(USAGE);
    return 0;
  }
  if (typeof asked === "string") {
    host.err(`mnemograph: ${asked}\n\n${USAGE}`);
    return 2;
  }
  const results: ({ file: string } & Checked)[] = [];
  let code: ExitCode = 0;
  for (const file of asked.files) {
    try {
      const checked = await host.check(await host.read(file));
      results.push({ file, ...checked });
      if (!checked.ok && code === 0) code = 1;
    } catch (cause) {
      host.err(`mnemograph: ${file}: ${describeThrown(cause)}\n`);
      code = 2;
    }
  }
  if (asked.json) host.out(`${JSON.stringify(results, null, 2)}\n`);
  else for (const result of results) host.out(inWords(result));
  return code;
}

interface Asked {
  json: boolean;
  files: string[];
}

/** The arguments, or what is wrong with them. */
function readArgs(args: readonly string[]): Asked | "help" | string {
  const asked: Asked = { json: false, files: [] };
  let command: string | undefined;
  let areFiles = false;
  for (const arg of args) {
    if (areFiles || arg === "-" || !arg.startsWith("-")) {
      if (command === undefined) command = arg;
      else asked.files.push(arg);
    } else if (arg === "--") areFiles = true;
    else if (arg === "--json") asked.json = true;
    else if (arg === "-h" || arg === "--help") return "help";
    else return `unknown option ${arg}`;
  }
  if (command === undefined) return "no command is given";
  if (command !== "check") return `unknown command ${command}`;
  if (asked.files.length === 0) return "no file is given";
  return asked;
}

function inWords({ file, ok, problems }: { file: string } & Checked): string {
  const count = (severity: Problem["severity"], word: string) => {
    const found = problems.filter((problem) => problem.severity === severity).length;
    return found === 0 ? [] : [`${found} ${word}${found === 1 ? "" : "s"}`];
  };
  const counts = [...count("error", "error"), ...count("warning", "warning")].join(", ");
  const head = ok ? `ok${counts && `, ${counts}`}` : counts || "not a graph";
  return [`${file}: ${head}`, ...problems.flatMap(problemInWords)]
    .map((line) => `${line}\n`)
    .join("");
}

function problemInWords({ severity, code, graph, node, port, path, message, hint }: Problem) {
  const place = node === undefined ? path : port === undefined ? node : `${node}.${port}`;
  const where = [graph, place].filter((part) => part !== undefined && part !== "").join("/");
  return [
    `  ${severity} ${code}${where && ` at ${where}`}: ${onOneLine(message)}`,
    `    ${onOneLine(hint)}`,
  ];
}

/** Names in a document may hold anything; a terminal gets no control characters of theirs. */
function onOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
