import type { Tool } from "./types.js";

/**
 * A tool whose `execute` knows the type of its arguments: from the schema, where that is one of zod, ArkType or
 * another library of the same standard, or from the annotation.
 *
 * @example
 * tool({
 *   description: "The weather in a city",
 *   parameters: z.object({ city: z.string() }),
 *   execute: ({ city }, { signal }) => fetchWeather(city, signal),
 * })
 */
export function tool<Args extends object>(definition: Tool<Args>): Tool {
  // The arguments are checked against `parameters` before `execute` sees them.
  return definition as unknown as Tool;
}
