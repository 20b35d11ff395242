import type { JSX } from "preact";
import { ChatPane } from "../chat/chat-pane.tsx";
import { Header } from "./header.tsx";
import { Inspector } from "./inspector.tsx";
import { type Playground, PlaygroundProvider } from "./playground.ts";
import { SplitView } from "./split-view.tsx";

export function App({ playground }: { playground: Playground }): JSX.Element {
  return (
    <PlaygroundProvider value={playground}>
      <Header />
      <SplitView first={<ChatPane />} second={<Inspector />} />
    </PlaygroundProvider>
  );
}
