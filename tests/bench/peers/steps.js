// Chains and loops of steps that do nothing, in libraries that run graphs. Each function gives what runs it once.
import { coreCreateProcessor } from "@ironclad/rivet-core";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph/web";
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { Flow, Node } from "pocketflow";
import { createActor, createMachine } from "xstate";

/** @param {unknown} found @param {unknown} expected @param {string} who */
function expect(found, expected, who) {
  if (found !== expected) throw new Error(`${who} gave ${String(found)}, not ${String(expected)}`);
}

const times = (length) => Array.from({ length }, (_, i) => i);

class Idle extends Node {
  async prep(shared) {
    return shared;
  }

  async exec(shared) {
    shared.passes += 1;
    return shared.passes;
  }

  async post(shared) {
    return shared.passes < shared.until ? "again" : "default";
  }
}

export const pocketFlow = {
  name: "PocketFlow",
  chain(length) {
    const nodes = times(length).map(() => new Idle());
    for (const i of times(length - 1)) nodes[i].next(nodes[i + 1]);
    return flow(nodes[0], 0, length);
  },
  loop(passes) {
    const node = new Idle();
    node.on("again", node);
    return flow(node, passes, passes);
  },
};

const flow = (first, until, expected) => {
  const made = new Flow(first);
  return async () => {
    const shared = { passes: 0, until };
    await made.run(shared);
    expect(shared.passes, expected, "PocketFlow");
  };
};

export const xstate = {
  name: "XState",
  chain(length) {
    const states = Object.fromEntries(
      times(length).map((i) => [`s${i}`, { on: { NEXT: `s${i + 1}` } }]),
    );
    states[`s${length}`] = { type: "final" };
    const machine = createMachine({ initial: "s0", states });
    return async () => {
      const actor = createActor(machine);
      actor.start();
      for (let i = 0; i < length; i += 1) actor.send({ type: "NEXT" });
      expect(actor.getSnapshot().status, "done", "XState");
    };
  },
};

export const llamaIndex = {
  name: "LlamaIndex workflow",
  chain(length) {
    const events = times(length + 1).map(() => workflowEvent());
    const workflow = createWorkflow();
    for (const i of times(length)) {
      workflow.handle([events[i]], async () => events[i + 1].with({}));
    }
    return () => follow(workflow, events[0].with({}), events[length]);
  },
  loop(passes) {
    const [pass, done] = [workflowEvent(), workflowEvent()];
    const workflow = createWorkflow();
    workflow.handle([pass], async (...given) => {
      const count = given.at(-1).data.count + 1;
      return count < passes ? pass.with({ count }) : done.with({ count });
    });
    return () => follow(workflow, pass.with({ count: 0 }), done);
  },
};

async function follow(workflow, first, last) {
  const context = workflow.createContext();
  context.sendEvent(first);
  for await (const event of context.stream) if (last.include(event)) return;
  throw new Error("LlamaIndex workflow ended early");
}

const counted = () => new StateGraph(Annotation.Root({ count: Annotation() }));

const addOne = ({ count }) => ({ count: count + 1 });

const invoke = (graph, length) => async () => {
  const { count } = await graph.invoke({ count: 0 }, { recursionLimit: length + 5 });
  expect(count, length, "LangGraph");
};

export const langGraph = {
  name: "LangGraph",
  chain(length) {
    const graph = counted();
    for (const i of times(length)) graph.addNode(`n${i}`, addOne);
    graph.addEdge(START, "n0");
    for (const i of times(length - 1)) graph.addEdge(`n${i}`, `n${i + 1}`);
    graph.addEdge(`n${length - 1}`, END);
    return invoke(graph.compile(), length);
  },
  loop(passes) {
    const graph = counted().addNode("n", addOne).addEdge(START, "n");
    const next = ({ count }) => (count < passes ? "n" : END);
    return invoke(graph.addConditionalEdges("n", next, ["n", END]).compile(), passes);
  },
};

const place = { x: 0, y: 0, width: 100, zIndex: 0 };

const rivetNode = (type, id, data = {}) => ({ type, id, title: id, visualData: place, data });

/** `from` and `to` are pairs of node and port. */
const wire = ([outputNodeId, outputId], [inputNodeId, inputId]) => ({
  outputNodeId,
  outputId,
  inputNodeId,
  inputId,
});

const rivetRun = (nodes, connections, check) => {
  const graph = { metadata: { id: "g", name: "g", description: "" }, nodes, connections };
  const metadata = { id: "p", title: "p", description: "", mainGraphId: "g" };
  const project = { metadata, plugins: [], graphs: { g: graph }, data: {} };
  return async () => {
    const outputs = await coreCreateProcessor(project, {}).run();
    check(outputs.out?.value);
  };
};

export const rivet = {
  name: "Rivet",
  chain(length) {
    const ids = times(length).map((i) => `n${i}`);
    const nodes = [
      rivetNode("text", "start", { text: "hello" }),
      ...ids.map((id) => rivetNode("passthrough", id)),
      rivetNode("graphOutput", "out", { id: "out", dataType: "string" }),
    ];
    const wires = ids.map((id, i) =>
      wire(i === 0 ? ["start", "output"] : [ids[i - 1], "output1"], [id, "input1"]),
    );
    wires.push(wire([ids[length - 1], "output1"], ["out", "value"]));
    return rivetRun(nodes, wires, (value) => expect(value, "hello", "Rivet"));
  },
  loop(passes) {
    const nodes = [
      rivetNode("number", "zero", { value: 0, round: false }),
      rivetNode("number", "one", { value: 1, round: false }),
      rivetNode("number", "until", { value: passes, round: false }),
      rivetNode("loopController", "loop", { maxIterations: passes + 10 }),
      rivetNode("evaluate", "add", {
        a: "0",
        b: "0",
        operation: "+",
        useAInput: true,
        useBInput: true,
        useOperationInput: false,
      }),
      rivetNode("compare", "less", {
        comparisonFunction: "<",
        useComparisonFunctionInput: false,
        comparisonValue: "",
      }),
      rivetNode("graphOutput", "out", { id: "out", dataType: "any" }),
    ];
    const wires = [
      wire(["zero", "value"], ["loop", "input1Default"]),
      wire(["loop", "output1"], ["add", "a"]),
      wire(["one", "value"], ["add", "b"]),
      wire(["add", "output"], ["loop", "input1"]),
      wire(["add", "output"], ["less", "a"]),
      wire(["until", "value"], ["less", "b"]),
      wire(["less", "output"], ["loop", "continue"]),
      wire(["loop", "break"], ["out", "value"]),
    ];
    return rivetRun(nodes, wires, (value) => {
      if (value === undefined) throw new Error("Rivet gave nothing");
    });
  },
};
