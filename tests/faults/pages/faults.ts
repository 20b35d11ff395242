// What the tests of this folder use inside of a page, as `window.faults`.
import { createRuntime } from "mnemograph";
import { audit } from "./audit.js";
import { copiesWith, journalHas } from "./copies.js";
import { damage, damageNames, isThere, rowsWith } from "./damage.js";
import { plantFault, wasMet } from "./faulty.js";
import { hang, hold, letGo, upgrade, wantDeleted } from "./holding.js";
import { codeOf, openChat, write } from "./write.js";

const faults = {
  createRuntime,
  audit,
  openChat,
  write,
  codeOf,
  journalHas,
  copiesWith,
  plantFault,
  wasMet,
  damage,
  damageNames,
  isThere,
  rowsWith,
  hold,
  wantDeleted,
  upgrade,
  hang,
  letGo,
  timed,
};

/** What a call ends with, and after how many milliseconds. */
async function timed(call: () => Promise<unknown>): Promise<{ code: string; took: number }> {
  const begun = performance.now();
  const code = await call().then(() => "", codeOf);
  return { code, took: performance.now() - begun };
}

declare global {
  interface Window {
    faults: typeof faults;
  }
}

window.faults = faults;
