import type { JSX } from "preact";
import { ModelSection } from "./model-section.tsx";
import { StorageSection } from "./storage-section.tsx";

export function SettingsPane(): JSX.Element {
  return (
    <div class="panel">
      <div class="panel-scroll settings">
        <ModelSection />
        <StorageSection />
      </div>
    </div>
  );
}
