import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { asFault, type Delivery, done, Fault, failed, settled } from "./delivery.js";
import { describeThrown, MnemographError } from "./errors.js";
import { type ReadSchema, readSchema, tellingOf } from "./schema.js";
import type { FunctionContext, NodeCall, NodePort, NodeType } from "./types.js";
import type { CheckResult, HostNode, HostPort, Problem, ValueType } from "./wire.js";

/** A node type of the page, read once at the start. */
interface Prepared {
  node: NodeType;
  declaration: HostNode;
  settings: ReadSchema | undefined;
}

const TIMEOUT_MS = 30_000;
const CODES: ReadonlySet<string> = new Set(["E_CALL"]);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Every step has these already. */
const TAKEN = { inputs: ["in"], outputs: ["error", "status"], exits: ["error"] } as const;
const TYPES: readonly ValueType[] = [
  "string",
  "integer",
  "float",
  "boolean",
  "json",
  "csv",
  "dataframe",
  "message",
  "messages",
  "any",
];

/** The node types of the page: what the module is told of them, and the part of their work that is the page's. */
export class NodeTypes {
  readonly #types: ReadonlyMap<string, Prepared>;
  readonly declarations: HostNode[];

  /** Throws `E_SETTING` with the name of the node type that is none. */
  constructor(nodes: Record<string, NodeType>) {
    this.#types = new Map(Object.entries(nodes).map(([type, node]) => [type, prepare(type, node)]));
    this.declarations = Array.from(this.#types.values(), ({ declaration }) => declaration);
  }

  /** Executes a node. Never rejects. */
  async execute(type: string, call: NodeCall, context: FunctionContext): Promise<Delivery> {
    try {
      const known = this.#types.get(type);
      if (known === undefined) throw new Fault("E_CALL", `There is no node type "${type}" here.`);
      const settings = await checked(type, known.settings, call.settings);
      const given = settled(known.node.execute({ ...call, settings }, context));
      return done(readResult(given instanceof Promise ? await given : given));
    } catch (error) {
      return failed(asFault(error, "E_CALL", `What "${type}" gave`), "E_CALL", CODES);
    }
  }

  /** What the module found, and the settings of the page's nodes that do not fit their schemas. */
  check<Found extends CheckResult>(text: string, found: Found): Found {
    if (this.#types.size === 0 || !found.ok) return found;
    const problems = Array.from(nodesOf(JSON.parse(text) as DocumentBody)).flatMap((place) => {
      const known = this.#types.get(place.node.type);
      return known?.settings === undefined ? [] : unfit(known.settings, place);
    });
    if (problems.length === 0) return found;
    return { ...found, ok: false, problems: [...problems, ...found.problems] };
  }
}

function prepare(type: string, node: NodeType): Prepared {
  const { execute, ports = {}, settings, timeoutMs = TIMEOUT_MS } = node;
  if (type === "") throw wrong(type, "has no name");
  if (typeof execute !== "function") throw wrong(type, "has no function `execute`");
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1) {
    throw wrong(type, "has a `timeoutMs` that is no whole number of milliseconds");
  }
  const exits = [...(ports.exits ?? [])];
  checkNames(type, "exits", exits);
  return {
    node,
    declaration: {
      type,
      inputs: readPorts(type, "inputs", ports.inputs ?? {}),
      outputs: readPorts(type, "outputs", ports.outputs ?? {}),
      exits,
      timeout_ms: timeoutMs,
    },
    settings:
      settings === undefined
        ? undefined
        : readSchema(settings, { subject: `node type "${type}"`, key: "settings" }),
  };
}

function readPorts(
  type: string,
  side: "inputs" | "outputs",
  ports: Record<string, NodePort>,
): HostPort[] {
  checkNames(type, side, Object.keys(ports));
  return Object.entries(ports).map(([name, given]) => {
    const port = typeof given === "string" ? { type: given } : given;
    if (!TYPES.includes(port?.type)) {
      throw wrong(type, `has a port "${name}" whose type is none of ${TYPES.join(", ")}`);
    }
    return { name, type: port.type, required: side === "inputs" && port.required === true };
  });
}

function checkNames(type: string, side: keyof typeof TAKEN, names: readonly string[]): void {
  const taken = new Set<string>(TAKEN[side]);
  for (const name of names) {
    if (typeof name !== "string" || !NAME.test(name)) {
      throw wrong(type, `has a port "${name}", which is no name: letters, digits and "_"`);
    }
    if (taken.has(name)) throw wrong(type, `has a port "${name}" that it has already`);
    taken.add(name);
  }
}

async function checked(
  type: string,
  schema: ReadSchema | undefined,
  settings: NodeCall["settings"],
): Promise<NodeCall["settings"]> {
  if (schema === undefined) return settings;
  let result: Awaited<ReturnType<ReadSchema["check"]>>;
  try {
    result = await schema.check(settings);
  } catch (error) {
    throw new Fault(
      "E_CALL",
      `The settings of "${type}" cannot be checked: ${describeThrown(error)}`,
      "The schema is wrong: correct it where the node type is registered.",
    );
  }
  if (result.ok) return result.value as NodeCall["settings"];
  throw new Fault(
    "E_CALL",
    `The settings do not fit the schema of "${type}". ${result.problems.join("; ")}`,
    "A template gave a value that the schema does not allow.",
  );
}

/** What a node may give: nothing, or an object of `outputs` and `exit`. */
function readResult(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (typeof given === "object" && !Array.isArray(given)) {
    const { outputs, exit, ...rest } = given as Record<string, unknown>;
    const [stray] = Object.keys(rest);
    const areOutputs =
      outputs === undefined ||
      (typeof outputs === "object" && outputs !== null && !Array.isArray(outputs));
    if (stray === undefined && areOutputs && (exit === undefined || typeof exit === "string")) {
      return given;
    }
  }
  throw new Fault(
    "E_CALL",
    "The node gave something that is no result.",
    'Return {outputs: {name: value}, exit: "name"}; either may be left out.',
  );
}

interface DocumentBody {
  nodes?: DocumentNode[];
  graphs?: Record<string, DocumentBody>;
}

interface DocumentNode {
  id: string;
  type: string;
  settings?: Record<string, unknown>;
}

interface NodePlace {
  node: DocumentNode;
  path: string;
  graph?: string;
}

function* nodesOf(document: DocumentBody): Generator<NodePlace> {
  for (const [index, node] of (document.nodes ?? []).entries()) {
    yield { node, path: `/nodes/${index}` };
  }
  for (const [graph, body] of Object.entries(document.graphs ?? {})) {
    const key = graph.replaceAll("~", "~0").replaceAll("/", "~1");
    for (const [index, node] of (body.nodes ?? []).entries()) {
      yield { node, path: `/graphs/${key}/nodes/${index}`, graph };
    }
  }
}

/** What is wrong with settings whatever their templates come to. */
function unfit({ schema }: ReadSchema, { node, path, graph }: NodePlace): Problem[] {
  const own = Object.entries(node.settings ?? {}).filter(([key]) => !key.startsWith("x-"));
  const settings = Object.fromEntries(own);
  const problem = (at: string, why: string): Problem => ({
    code: "E_SETTING",
    severity: "error",
    ...(graph === undefined ? {} : { graph }),
    node: node.id,
    path: `${path}/settings${at}`,
    message: `The settings of "${node.id}" do not fit the schema of "${node.type}". ${why}`,
    hint: "Mend the setting, or the schema where the node type is registered.",
  });
  try {
    const { errors } = new Validator(schema, "2020-12", false).validate(settings);
    const certain = tellingOf(errors).filter((error) => isCertain(error, settings));
    return certain.map((error) => problem(error.instanceLocation.slice(1), error.error));
  } catch (error) {
    return [problem("", `The schema cannot be used: ${describeThrown(error)}.`)];
  }
}

/** Keywords that no value inside can make right or wrong. */
const OF_KEYS = new Set([
  "required",
  "dependentRequired",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
]);

/** Whether a template could not make it right. */
function isCertain({ instanceLocation, keyword }: OutputUnit, settings: unknown): boolean {
  let at = settings;
  for (const step of instanceLocation.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = (at as Record<string, unknown> | undefined)?.[key];
  }
  return OF_KEYS.has(keyword) || !hasTemplate(at);
}

function hasTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{") || value.includes("{%");
  return typeof value === "object" && value !== null && Object.values(value).some(hasTemplate);
}

function wrong(type: string, why: string): MnemographError {
  return new MnemographError({
    code: "E_SETTING",
    message: `The node type "${type}" ${why}.`,
  });
}
