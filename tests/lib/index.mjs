// What browser tests and benchmarks are made of.
export { serve } from "../../scripts/lib/serve.mjs";
export {
  chromiumToKill,
  launchChromium,
  launchProfile,
  launchToKill,
  spawnToKill,
} from "./launch.mjs";
export { openPage } from "./open-page.mjs";
export { runInPage } from "./run-in-page.mjs";
