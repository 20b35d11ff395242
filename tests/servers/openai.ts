/**
 * A chat completions server on the loopback interface for tests: speaks the real format, and on request every
 * fault of it. It waits for nothing by time: a slow server is one whose gate the test opens.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The body of a request as a test reads it. */
export interface ChatBody {
  model: string;
  messages: { role: string; content: unknown; [key: string]: unknown }[];
  tools?: { type: string; function: { name: string; description: string; parameters: unknown } }[];
  stream?: boolean;
  [key: string]: unknown;
}

/** A request as it arrived. */
export interface SeenRequest {
  headers: Record<string, string | string[] | undefined>;
  body: ChatBody;
  /** Resolves when the client has closed the connection or has everything. */
  closed: Promise<void>;
}

/** What the server does with one request. */
export type Reply =
  | { kind: "stream"; events: unknown[]; wire?: WireOptions }
  | { kind: "json"; body: unknown; status?: number; headers?: Record<string, string> }
  | { kind: "raw"; body: string; status?: number; headers?: Record<string, string> }
  /** Takes the request and never answers. */
  | { kind: "silence" }
  /** Closes the connection without an answer. */
  | { kind: "hang_up" };

/** How a stream is cut and ended. */
export interface WireOptions {
  /** Bytes of each write. Everything at once where absent. */
  chunk?: number;
  /** Line ends. `"\n"`. */
  newline?: "\n" | "\r\n" | "\r";
  /** Adds comments and fields that a client has to skip. */
  comments?: boolean;
  /** False leaves out `data: [DONE]`. */
  done?: boolean;
  /** Breaks the connection after so many bytes. */
  breakAfter?: number;
  /** Awaited before the event of that index is sent. */
  gate?: (index: number) => Promise<void> | void;
}

/** A server that runs. */
export interface OpenAiServer {
  /** Address for `openaiChat({ baseURL })`. */
  url: string;
  /** Every request so far. */
  requests: SeenRequest[];
  /** Replies to the requests to come, in order; after them the responder answers. */
  queue: Reply[];
  close(): Promise<void>;
}

/** Starts a server. The responder answers what the queue does not. */
export async function startOpenAiServer(
  responder: (body: ChatBody, index: number) => Reply = () => textReply("Hello."),
  port = 0,
): Promise<OpenAiServer> {
  const requests: SeenRequest[] = [];
  const queue: Reply[] = [];
  const server = createServer((request, response) => {
    cors(request, response);
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end("<html><body>Not found</body></html>");
      return;
    }
    void readBody(request).then((body) => {
      const closed = new Promise<void>((resolve) => response.once("close", resolve));
      requests.push({ headers: request.headers, body, closed });
      const reply = queue.shift() ?? responder(body, requests.length - 1);
      return send(reply, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/v1`,
    requests,
    queue,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A streamed answer of words. */
export function textReply(text: string, wire: WireOptions = {}): Reply {
  const words = text.split(/(?<= )/);
  return {
    kind: "stream",
    wire,
    events: [
      chunk({ role: "assistant", content: "" }),
      ...words.map((word) => chunk({ content: word })),
      chunk({}, "stop"),
      usageChunk(12, words.length),
    ],
  };
}

/** A streamed answer that calls tools, their arguments in small pieces. */
export function toolReply(
  calls: { id: string; name: string; args: string }[],
  wire: WireOptions = {},
): Reply {
  const opened = calls.map(({ id, name }, index) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
  );
  const pieces = calls.flatMap(({ args }, index) =>
    (args.match(/[\s\S]{1,5}/g) ?? []).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  );
  return {
    kind: "stream",
    wire,
    events: [...opened, ...pieces, chunk({}, "tool_calls"), usageChunk(20, 8)],
  };
}

/** A whole answer, as servers give it that know no streaming. */
export function completion(message: Record<string, unknown>, finish_reason = "stop"): Reply {
  return {
    kind: "json",
    body: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "test-model",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
  };
}

/** An error in OpenAI's form. */
export function errorReply(
  status: number,
  message: string,
  code = "some_error",
  headers: Record<string, string> = {},
): Reply {
  return { kind: "json", status, headers, body: { error: { message, type: code, code } } };
}

/** One event of a stream. */
export function chunk(
  delta: Record<string, unknown>,
  finish_reason: string | null = null,
): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "test-model",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

/** The event that counts the tokens: it comes last and has no choice. */
export function usageChunk(prompt_tokens: number, completion_tokens: number): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "test-model",
    choices: [],
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens: 4 },
    },
  };
}

function cors(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
  response.setHeader("access-control-allow-headers", "*, authorization");
  response.setHeader("access-control-allow-methods", "POST");
  response.setHeader("access-control-expose-headers", "retry-after, retry-after-ms");
}

async function readBody(request: IncomingMessage): Promise<ChatBody> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as ChatBody;
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  switch (reply.kind) {
    case "stream":
      return sendStream(reply.events, reply.wire ?? {}, response);
    case "json":
      response.writeHead(reply.status ?? 200, {
        "content-type": "application/json",
        ...reply.headers,
      });
      response.end(JSON.stringify(reply.body));
      return;
    case "raw":
      response.writeHead(reply.status ?? 200, { "content-type": "text/html", ...reply.headers });
      response.end(reply.body);
      return;
    case "silence":
      return;
    case "hang_up":
      response.socket?.destroy();
  }
}

async function sendStream(
  events: unknown[],
  wire: WireOptions,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  let left = wire.breakAfter ?? Number.POSITIVE_INFINITY;
  for (const [index, text] of eventTexts(events, wire).entries()) {
    await wire.gate?.(index);
    const bytes = Buffer.from(text, "utf8");
    const size = wire.chunk ?? Math.max(1, bytes.length);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size).subarray(0, left);
      left -= piece.length;
      await written(response, piece);
      if (left <= 0) {
        response.socket?.destroy();
        return;
      }
      if (response.closed) return;
    }
  }
  response.end();
}

function eventTexts(events: unknown[], wire: WireOptions): string[] {
  const end = wire.newline ?? "\n";
  const before = wire.comments ? `: keep-alive${end}${end}id: 1${end}retry: 10${end}` : "";
  const lines = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
  if (wire.done !== false) lines.push("[DONE]");
  return lines.map((line) => `${before}data: ${line}${end}${end}`);
}

/** Each piece leaves as a packet of its own: the socket is flushed, and the event loop turns. */
function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => setImmediate(resolve));
  });
}
