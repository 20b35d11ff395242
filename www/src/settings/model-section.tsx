import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { usePlayground } from "../app/playground.ts";
import { formatMs } from "../lib/format.ts";
import { isHttpAddress, type ModelKind } from "./model-settings.ts";
import { type TestOutcome, testModel } from "./test-model.ts";

const KINDS: readonly { id: ModelKind; label: string; text: string }[] = [
  {
    id: "demo",
    label: "Demo",
    text: "Scripted answers with tools and memory. No key, no network.",
  },
  {
    id: "openai",
    label: "OpenAI-compatible",
    text: "OpenAI, Ollama, llama.cpp, vLLM, LM Studio, OpenRouter and others.",
  },
];

export function ModelSection(): JSX.Element {
  const { models } = usePlayground();
  return (
    <section class="settings-section" aria-labelledby="settings-model">
      <h3 id="settings-model">Model</h3>
      <fieldset class="options">
        <legend class="visually-hidden">Which model answers</legend>
        {KINDS.map(({ id, label, text }) => (
          <label key={id} class="option">
            <input
              type="radio"
              name="model-kind"
              value={id}
              data-testid={`model-${id}`}
              checked={models.kind.value === id}
              aria-describedby={`model-${id}-text`}
              onChange={() => {
                models.kind.value = id;
              }}
            />
            <span class="option-label">{label}</span>
            <span class="option-text" id={`model-${id}-text`}>
              {text}
            </span>
          </label>
        ))}
      </fieldset>
      {models.kind.value === "openai" && <RemoteModel />}
    </section>
  );
}

function RemoteModel(): JSX.Element {
  const { models } = usePlayground();
  const address = models.baseURL.value.trim();
  const wrong = !isHttpAddress(address);
  return (
    <div class="fields">
      <div class="field">
        <label for="base-url">Base URL</label>
        <input
          id="base-url"
          class="input"
          type="url"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          data-testid="base-url"
          value={models.baseURL.value}
          aria-invalid={wrong}
          aria-describedby="base-url-note"
          onInput={(event) => {
            models.baseURL.value = event.currentTarget.value;
          }}
        />
        <p id="base-url-note" class={wrong ? "field-error" : "field-note"}>
          {wrong
            ? "Give an address that begins with http:// or https://."
            : "Up to and including /v1. For Ollama: http://localhost:11434/v1"}
        </p>
      </div>
      <div class="field">
        <label for="model-name">Model</label>
        <input
          id="model-name"
          class="input"
          autocomplete="off"
          spellcheck={false}
          data-testid="model-name"
          value={models.model.value}
          onInput={(event) => {
            models.model.value = event.currentTarget.value;
          }}
        />
      </div>
      <KeyField />
      <TestButton />
    </div>
  );
}

function KeyField(): JSX.Element {
  const { models } = usePlayground();
  return (
    <div class="field">
      <label for="api-key">API key</label>
      <div class="field-row">
        <input
          id="api-key"
          class="input"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="None"
          data-testid="api-key"
          value={models.key.value}
          aria-describedby="api-key-note"
          onInput={(event) => {
            models.key.value = event.currentTarget.value;
          }}
        />
        <button
          type="button"
          class="button"
          data-testid="forget-key"
          disabled={models.key.value === ""}
          onClick={models.forgetKey}
        >
          Forget key
        </button>
      </div>
      <p id="api-key-note" class="field-note">
        Sent to the address above and nowhere else;{" "}
        {models.remember.value ? "kept in this browser." : "gone when the page is closed."}
      </p>
      <label class="check">
        <input
          type="checkbox"
          data-testid="remember-key"
          checked={models.remember.value}
          onChange={(event) => {
            models.remember.value = event.currentTarget.checked;
          }}
        />
        <span>
          Remember on this device{" "}
          <span class="muted">(readable by anyone who uses this browser)</span>
        </span>
      </label>
    </div>
  );
}

function TestButton(): JSX.Element {
  const { models } = usePlayground();
  const outcome = useSignal<TestOutcome | "running" | undefined>(undefined);
  const result = outcome.value;

  async function run(): Promise<void> {
    outcome.value = "running";
    outcome.value = await testModel(models.current.peek());
  }

  return (
    <div class="field">
      <button
        type="button"
        class="button"
        data-testid="test-model"
        disabled={models.missing.value !== undefined || result === "running"}
        onClick={() => void run()}
      >
        Test the connection
      </button>
      <p class="field-note" role="status" data-testid="test-outcome">
        {result === "running" && "Asking the model…"}
        {result !== undefined && result !== "running" && result.ok && (
          <span class="good">Answered in {formatMs(result.ms)}.</span>
        )}
        {result !== undefined && result !== "running" && !result.ok && (
          <span class="field-error">
            {result.failure.code}: {result.failure.message} {result.failure.hint}
          </span>
        )}
      </p>
    </div>
  );
}
