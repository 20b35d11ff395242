// A static file server for this machine alone: the playground, page tests and benchmarks.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const types = /** @type {Record<string, string>} */ ({
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
});

/**
 * @typedef {object} Served
 * @property {string} origin such as `http://127.0.0.1:40123`
 * @property {string[]} requests the paths asked for so far
 * @property {() => Promise<void>} close
 */

/**
 * Serves a folder, or several by the prefix of their paths: `{"/": one, "/lib/": other}`.
 *
 * @param {string | Record<string, string>} folders
 * @param {object} [options]
 * @param {number[]} [options.ports] tried in order; a free one by default
 * @param {Record<string, string>} [options.headers] sent with every answer
 * @param {string} [options.csp] the Content-Security-Policy of every answer
 * @param {(text: string) => void} [options.told] given what pages POST to `/told`
 * @returns {Promise<Served>}
 */
export async function serve(folders, { ports = [0], headers = {}, csp, told } = {}) {
  const mounts = Object.entries(typeof folders === "string" ? { "/": folders } : folders)
    .map(([prefix, folder]) => ({ prefix, folder: path.resolve(folder) }))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  /** @type {string[]} */
  const requests = [];
  const always = {
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    ...(csp === undefined ? {} : { "content-security-policy": csp }),
    ...headers,
  };
  const server = http.createServer((request, response) => {
    const answer = (
      /** @type {number} */ status,
      /** @type {string} */ type,
      /** @type {Uint8Array | string} */ body,
    ) => {
      response.writeHead(status, {
        ...always,
        "content-type": type,
        "content-length": Buffer.byteLength(body),
      });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    if (told && request.method === "POST" && request.url === "/told") {
      /** @type {Buffer[]} */
      const pieces = [];
      request.on("data", (piece) => pieces.push(piece));
      request.on("end", () => {
        told(Buffer.concat(pieces).toString("utf8"));
        answer(204, "text/plain", "");
      });
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      answer(405, "text/plain", "only GET and HEAD");
      return;
    }
    requests.push(request.url ?? "/");
    const file = fileFor(request.url ?? "/", mounts);
    if (file === undefined) answer(404, "text/plain", "not found");
    else
      answer(200, types[path.extname(file)] ?? "application/octet-stream", fs.readFileSync(file));
  });
  const port = await listen(server, ports);
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The file that a path means, or `undefined`: nothing outside of the folders is ever served.
 *
 * @param {string} url
 * @param {{prefix: string, folder: string}[]} mounts the longest prefix first
 */
export function fileFor(url, mounts) {
  let wanted;
  try {
    wanted = decodeURIComponent(url.split(/[?#]/)[0] ?? "/");
  } catch {
    return undefined;
  }
  const mount = mounts.find(({ prefix }) => wanted.startsWith(prefix));
  if (!mount || wanted.includes("\0")) return undefined;
  const file = path.resolve(mount.folder, `./${wanted.slice(mount.prefix.length)}`);
  if (file !== mount.folder && !file.startsWith(mount.folder + path.sep)) return undefined;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    const index = path.join(file, "index.html");
    return wanted.endsWith("/") && fs.existsSync(index) ? index : undefined;
  }
  return stat?.isFile() ? file : undefined;
}

/**
 * Listens on the first of these ports that is free.
 *
 * @param {http.Server} server
 * @param {number[]} ports
 * @returns {Promise<number>}
 */
async function listen(server, ports) {
  for (const [i, port] of ports.entries()) {
    try {
      return await new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => {
          server.off("error", reject);
          resolve(/** @type {import("node:net").AddressInfo} */ (server.address()).port);
        });
      });
    } catch (error) {
      const taken = /** @type {NodeJS.ErrnoException} */ (error).code === "EADDRINUSE";
      if (!taken || i === ports.length - 1) throw error;
    }
  }
  throw new Error("no port was given");
}
