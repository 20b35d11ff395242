// What the tests of this folder use inside of a page, as `window.faults`.
import { createRuntime } from "mnemograph";
import { audit } from "./audit.js";
import { journalHas } from "./copies.js";
import { damage, damageNames, isThere, rowsWith } from "./damage.js";
import { plantFault, wasMet } from "./faulty.js";
import { codeOf, openChat, write } from "./write.js";

const faults = {
  createRuntime,
  audit,
  openChat,
  write,
  codeOf,
  journalHas,
  plantFault,
  wasMet,
  damage,
  damageNames,
  isThere,
  rowsWith,
};

declare global {
  interface Window {
    faults: typeof faults;
  }
}

window.faults = faults;
