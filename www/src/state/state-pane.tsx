import type { JSX } from "preact";
import { FailureCode, Notice } from "../app/controls.tsx";
import { Icon } from "../app/icons.tsx";
import { usePlayground } from "../app/playground.ts";
import { NodeCard } from "./node-card.tsx";

/** What every memory node holds for the conversation that is shown. */
export function StatePane(): JSX.Element {
  const { memory } = usePlayground();
  const nodes = memory.nodes.value;
  const failure = memory.failure.value;
  return (
    <div class="panel">
      <div class="panel-tools">
        <p class="panel-text">
          What the nodes of this graph hold for this conversation, as it is stored.
        </p>
        <button
          type="button"
          class="button"
          data-testid="refresh-state"
          onClick={() => void memory.refresh()}
        >
          <Icon name="refresh" /> Refresh
        </button>
      </div>
      <div class="panel-scroll">
        {failure !== undefined && (
          <Notice tone="error" title={failure.message} testId="state-error">
            <FailureCode failure={failure} />
          </Notice>
        )}
        {failure === undefined && nodes.length === 0 && (
          <p class="empty">This graph has no memory node: nothing is kept between messages.</p>
        )}
        {nodes.map((state) => (
          <NodeCard key={state.node.node} state={state} />
        ))}
      </div>
    </div>
  );
}
