/** A node of a graph document, as far as the playground draws it. */
export interface DocumentNode {
  id: string;
  type: string;
  title?: string;
  settings?: Record<string, unknown>;
}

export interface DocumentEdge {
  type: string;
  from: string;
  to: string;
}

/** A graph document. The runtime judges it; here only what is drawn has a type. */
export interface GraphDocument {
  id: string;
  name: string;
  description?: string;
  nodes: DocumentNode[];
  edges: DocumentEdge[];
}

/** A graph to start from, with messages that show what it can do. */
export interface Example {
  id: string;
  name: string;
  description: string;
  suggestions: string[];
  document: GraphDocument;
}

/** What the examples say about themselves under the key `x-playground`, which the runtime ignores. */
interface ExampleFile extends GraphDocument {
  "x-playground"?: { order?: number; suggestions?: string[] };
}

const files = import.meta.glob<ExampleFile>("../../examples/*.json", {
  eager: true,
  import: "default",
});

/** The gallery, in the order the files give themselves. */
export const EXAMPLES: readonly Example[] = [...Object.values(files)]
  .sort((a, b) => order(a) - order(b))
  .map((document) => ({
    id: document.id,
    name: document.name,
    description: document.description ?? "",
    suggestions: document["x-playground"]?.suggestions ?? [],
    document,
  }));

function order(file: ExampleFile): number {
  return file["x-playground"]?.order ?? Number.MAX_SAFE_INTEGER;
}

export function findExample(id: unknown): Example {
  const found = EXAMPLES.find((example) => example.id === id) ?? EXAMPLES[0];
  if (found === undefined) throw new Error("www/examples holds no graph");
  return found;
}
