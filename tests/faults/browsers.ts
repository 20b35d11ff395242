/** The browsers that are killed: each is told an address and does the rest by itself. */
import fs from "node:fs";
import path from "node:path";
import { which } from "../../scripts/lib/run.mjs";
import { chromiumToKill, spawnToKill } from "../lib/index.mjs";
import { IS_LONG } from "./extent.js";

export interface Engine {
  name: string;
  /** What its IndexedDB is to lie on. */
  backend: "LevelDB" | "SQLite";
  /** Opens an address on a profile folder. */
  open(profile: string, url: string): { kill(): Promise<void> };
  /** Where in a profile the databases are. */
  databases: string;
}

export interface Chromium extends Engine {
  /** What it is started with. */
  features: string[];
}

const chromium = (backend: Engine["backend"], features: string[]): Chromium => ({
  name: "Chromium",
  backend,
  features,
  databases: path.join("Default", "IndexedDB"),
  open(profile, url) {
    const { command, args } = chromiumToKill(profile, features);
    return spawnToKill(command, [...args, url]);
  },
});

/** Both backends of Chromium. Which one it really used is seen in the profile. */
export const CHROMIUMS: Chromium[] = [
  chromium("LevelDB", []),
  chromium("SQLite", ["--enable-features=IdbSqliteBackingStore,IdbSqliteOnDiskRollout"]),
];

/** Those that a case runs in. The short form has one backend but for kills. */
export const LABS: Chromium[] = IS_LONG ? CHROMIUMS : CHROMIUMS.slice(0, 1);

/** Firefox, where there is one: started as a person would start it. */
export function findFirefox(): Engine | undefined {
  const command = process.env.FIREFOX_PATH ?? which("firefox-esr", "firefox");
  if (command === undefined) return undefined;
  return {
    name: "Firefox",
    backend: "SQLite",
    databases: path.join("storage", "default"),
    open(profile, url) {
      fs.writeFileSync(path.join(profile, "user.js"), FIREFOX_SETTINGS);
      return spawnToKill(command, ["--headless", "--no-remote", "--profile", profile, url]);
    },
  };
}

/** It is killed often, must not ask about that, and has nothing to look for beyond this machine. */
const FIREFOX_SETTINGS = Object.entries({
  "toolkit.startup.max_resumed_crashes": -1,
  "browser.sessionstore.resume_from_crash": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.aboutwelcome.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "app.normandy.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
})
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  .join("");

/** What the databases of a profile lie on, by their files. */
export function backendOf(engine: Engine, profile: string): string {
  const folder = path.join(profile, engine.databases);
  if (!fs.existsSync(folder)) return "nothing";
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  if (files.some((file) => isSqlite(path.join(folder, file)))) return "SQLite";
  return files.some((file) => path.basename(file) === "CURRENT") ? "LevelDB" : "unknown";
}

function isSqlite(file: string): boolean {
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  const head = Buffer.alloc(15);
  const opened = fs.openSync(file, "r");
  try {
    fs.readSync(opened, head, 0, head.length, 0);
  } finally {
    fs.closeSync(opened);
  }
  return head.toString("latin1") === "SQLite format 3";
}
