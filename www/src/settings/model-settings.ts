import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ChatModel } from "mnemograph";
import { demoModel } from "mnemograph/models/demo";
import { openaiChat } from "mnemograph/models/openai";
import {
  flag,
  oneOf,
  preference,
  readPreference,
  textOr,
  writePreference,
} from "../lib/preferences.ts";

export type ModelKind = "demo" | "openai";

/** Which model answers, and how it is reached. */
export interface ModelSettings {
  kind: Signal<ModelKind>;
  baseURL: Signal<string>;
  model: Signal<string>;
  /** Lives in this page only, unless `remember` is set. */
  key: Signal<string>;
  remember: Signal<boolean>;
  /** What is still missing before a message can be sent; absent when nothing is. */
  missing: ReadonlySignal<string | undefined>;
  /** A short name for the badge. */
  label: ReadonlySignal<string>;
  /** The model as the settings are now. The runtime calls `callback`, so no change needs a new runtime. */
  current: ReadonlySignal<ChatModel>;
  callback: ChatModel;
  forgetKey(): void;
}

/** Name of the one preference that may hold a secret. */
const KEY_PREFERENCE = "model.key";

export function createModelSettings(): ModelSettings {
  const kind = preference("model.kind", oneOf("demo", "openai"));
  const baseURL = preference("model.base_url", textOr("https://api.openai.com/v1"));
  const model = preference("model.name", textOr("gpt-4o-mini"));
  const remember = preference("model.remember_key", flag(false));
  const key = signal(remember.peek() ? textOr("")(readPreference(KEY_PREFERENCE)) : "");
  effect(() => {
    const kept = remember.value && key.value !== "" ? key.value : undefined;
    writePreference(KEY_PREFERENCE, kept);
  });

  const demo = demoModel();
  const remote = computed(() =>
    openaiChat({
      baseURL: baseURL.value.trim(),
      model: model.value.trim(),
      headers: (): Record<string, string> =>
        key.value === "" ? {} : { authorization: `Bearer ${key.value.trim()}` },
    }),
  );
  const current = computed(() => (kind.value === "demo" ? demo : remote.value));

  return {
    kind,
    baseURL,
    model,
    key,
    remember,
    current,
    callback: (request, context) => current.peek()(request, context),
    missing: computed(() =>
      kind.value === "demo" ? undefined : missingPart(baseURL.value, model.value),
    ),
    label: computed(() =>
      kind.value === "demo" ? "Demo model" : model.value.trim() || "No model",
    ),
    forgetKey: () => {
      key.value = "";
      remember.value = false;
    },
  };
}

function missingPart(baseURL: string, model: string): string | undefined {
  if (!isHttpAddress(baseURL.trim())) return "an address that begins with http:// or https://";
  return model.trim() === "" ? "the name of a model" : undefined;
}

export function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
