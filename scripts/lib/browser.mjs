// Finding a Chromium and its driver: what tests and benchmarks run in.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { which } from "./run.mjs";

/**
 * What every test browser is started with: nothing it does by itself may touch the network. The
 * sandbox cannot be used as root.
 */
export const chromiumArgs = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

/** The path of a Chromium or Chrome, or `undefined`. `CHROME_PATH` wins. */
export function findChromium() {
  const named = process.env.CHROME_PATH;
  if (named) return fs.existsSync(named) ? named : undefined;
  const onPath = which("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  return onPath ?? [...usualPlaces(), ...playwrightPlaces()].find((file) => fs.existsSync(file));
}

/** The path of chromedriver, or `undefined`. `CHROMEDRIVER` wins. */
export function findChromedriver() {
  const named = process.env.CHROMEDRIVER;
  if (named) return fs.existsSync(named) ? named : undefined;
  return which("chromedriver");
}

function usualPlaces() {
  const home = os.homedir();
  if (process.platform === "darwin") {
    const apps = [
      "Google Chrome.app/Contents/MacOS/Google Chrome",
      "Chromium.app/Contents/MacOS/Chromium",
    ];
    return apps.flatMap((app) =>
      ["/Applications", path.join(home, "Applications")].map((dir) => path.join(dir, app)),
    );
  }
  if (process.platform === "win32") {
    const { PROGRAMFILES, LOCALAPPDATA } = process.env;
    return [PROGRAMFILES, process.env["PROGRAMFILES(X86)"], LOCALAPPDATA]
      .filter((dir) => dir !== undefined)
      .map((dir) => path.join(dir, "Google", "Chrome", "Application", "chrome.exe"));
  }
  return [];
}

/** Browsers that Playwright downloaded for some other project, the newest first. */
function playwrightPlaces() {
  const caches = {
    darwin: path.join(os.homedir(), "Library", "Caches", "ms-playwright"),
    win32: path.join(process.env.LOCALAPPDATA ?? os.homedir(), "ms-playwright"),
  };
  const cache =
    caches[/** @type {"darwin" | "win32"} */ (process.platform)] ??
    path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "ms-playwright");
  const programs = [
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-win/chrome.exe",
    "chrome-win64/chrome.exe",
    "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
    "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
  ];
  if (!fs.existsSync(cache)) return [];
  const revision = (/** @type {string} */ name) => Number(name.split("-")[1]);
  return fs
    .readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => revision(b) - revision(a))
    .flatMap((name) => programs.map((program) => path.join(cache, name, program)));
}
