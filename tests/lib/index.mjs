// What browser tests and benchmarks are made of.
export { serve } from "../../scripts/lib/serve.mjs";
export { launchChromium, launchProfile, launchToKill } from "./launch.mjs";
export { openPage } from "./open-page.mjs";
export { runInPage } from "./run-in-page.mjs";
