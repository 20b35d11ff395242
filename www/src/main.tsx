import { render } from "preact";
import { App } from "./app/app.tsx";
import { createPlayground } from "./app/playground.ts";
import "./app/tokens.css";
import "./app/base.css";
import "./app/controls.css";
import "./app/frame.css";
import "./chat/chat.css";
import "./trace/trace.css";
import "./state/state.css";
import "./graph/graph.css";
import "./settings/settings.css";

const root = document.getElementById("app");
if (root !== null) render(<App playground={createPlayground()} />, root);
