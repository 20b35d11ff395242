import type { Tool } from "mnemograph";
import { calculate } from "./calculator.ts";

/** The host tools that the examples may call. All of them work without a network. */
export const TOOLS: Record<string, Tool> = {
  weather: {
    description: "The weather in a city now.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    execute: (args) => weather(textArgument(args, "city")),
  },
  calculator: {
    description: "Works out an arithmetic expression.",
    parameters: {
      type: "object",
      properties: { expression: { type: "string" } },
      required: ["expression"],
      additionalProperties: false,
    },
    execute: (args) => {
      const expression = textArgument(args, "expression");
      return { expression, result: round(calculate(expression)) };
    },
  },
  clock: {
    description: "The date and time now.",
    parameters: {
      type: "object",
      properties: { time_zone: { type: "string" } },
      additionalProperties: false,
    },
    execute: (args) => clock(optionalText(args, "time_zone")),
  },
};

const SKIES = ["sunny", "partly cloudy", "cloudy", "light rain", "rain", "windy", "fog"] as const;

/** Made up, but always the same for a city: the playground asks no server. */
function weather(city: string): Record<string, unknown> {
  const hash = Array.from(city.trim().toLowerCase()).reduce(
    (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973,
    7,
  );
  return {
    city: city.trim(),
    sky: SKIES[hash % SKIES.length],
    temperature_c: (hash % 33) - 4,
    wind_kmh: hash % 41,
    source: "made up by the playground",
  };
}

function clock(place: string | undefined): Record<string, unknown> {
  const timeZone =
    place === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : zoneOf(place);
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: "short",
    timeZone,
  });
  return { time_zone: timeZone, now: format.format(new Date()) };
}

/** An IANA zone by its name or by its city; models give either. */
function zoneOf(place: string): string {
  const wanted = place.trim().toLowerCase().replaceAll(" ", "_");
  const zone = ["UTC", ...Intl.supportedValuesOf("timeZone")].find((name) => {
    const known = name.toLowerCase();
    return known === wanted || known.endsWith(`/${wanted}`);
  });
  if (zone === undefined) {
    throw new Error(`"${place}" is not a time zone; give an IANA name such as Europe/Oslo`);
  }
  return zone;
}

function textArgument(args: unknown, name: string): string {
  const value = optionalText(args, name);
  if (value === undefined) throw new Error(`The argument "${name}" is missing`);
  return value;
}

function optionalText(args: unknown, name: string): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const value: unknown = Reflect.get(args, name);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function round(value: number): number {
  return Number(value.toPrecision(12));
}
