// Counting tests in what test runners print: a phase that ran no test has not shown anything.
import { stripVTControlCharacters } from "node:util";

/**
 * How many tests passed, by the closing lines of cargo test, node --test and vitest.
 *
 * @param {string} output
 */
export function countPassed(output) {
  const text = stripVTControlCharacters(output);
  const closing = [
    /^test result: \w+\. (\d+) passed/gm,
    /^(?:ℹ|#) pass (\d+)$/gm,
    /^\s*Tests\s+(?:\d+ \w+ \| )*?(\d+) passed/gm,
  ];
  return closing
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .reduce((sum, match) => sum + Number(match[1]), 0);
}
