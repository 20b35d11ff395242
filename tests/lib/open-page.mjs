// A page that remembers everything that went wrong in it.

/**
 * @typedef {object} OpenPage
 * @property {import("playwright-core").Page} page
 * @property {string[]} problems console errors, uncaught errors, failed and foreign requests, in order
 * @property {() => void} assertClean throws where there is a problem; forgets nothing
 */

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Opens an address in a new page of a browser or a context. `expected` names problems that belong to
 * the test, for example the 401 of a server that is meant to refuse.
 *
 * @param {import("playwright-core").Browser | import("playwright-core").BrowserContext} where
 * @param {string} url
 * @param {{expected?: RegExp[], init?: () => void}} [options] `init` runs in the page before its scripts
 * @returns {Promise<OpenPage>}
 */
export async function openPage(where, url, { expected = [], init } = {}) {
  const page = await where.newPage();
  /** @type {string[]} */
  const problems = [];
  const note = (/** @type {string} */ problem) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  page.on("console", (message) => {
    if (message.type() === "error") note(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note(`uncaught: ${error.stack ?? error.message}`));
  page.on("crash", () => note("the page crashed"));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const local = protocol === "data:" || protocol === "blob:" || loopback.has(hostname);
    if (!local) note(`foreign request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    note(`failed request: ${request.url()} ${request.failure()?.errorText ?? ""}`);
  });
  if (init) await page.addInitScript(init);
  await page.goto(url);
  return {
    page,
    problems,
    assertClean() {
      if (problems.length > 0)
        throw new Error(`the page had problems:\n  ${problems.join("\n  ")}`);
    },
  };
}
