/** What an audit says of the promises. */
import type { Audit, SeenRound } from "./tells.js";

/** The messages of a whole round about a subject. */
const whole = (subject: string): string[] => [
  `user: ${subject}`,
  `assistant: weather{"city":"${subject}"}`,
  `tool: rain in ${subject}`,
  `assistant: done with ${subject}`,
];

export const subjectOf = ({ lines }: SeenRound): string => lines[0]?.replace("user: ", "") ?? "";

/**
 * Rounds that are not whole, stand twice or in another order than they were had in, and records that disagree. A round
 * that was broken off may end early, but not otherwise.
 */
export function torn({ rounds, disagreements, quarantined }: Audit): string[] {
  const found = [...disagreements, ...Array<string>(quarantined).fill("a round cannot be read")];
  const seen = new Set<string>();
  for (const round of rounds) {
    const subject = subjectOf(round);
    const expected = whole(subject);
    const isWhole = round.lines.length === expected.length;
    const fits = round.lines.every((line, at) => line === expected[at]);
    if (!fits || (round.status === "complete" && !isWhole)) found.push(round.lines.join(" | "));
    if (seen.has(subject)) found.push(`${subject} stands twice`);
    seen.add(subject);
  }
  return [...found, ...outOfOrder(rounds)];
}

/**
 * Each writer has one round after the other, and names them by number: `tab-0`, `tab-1`. One that was broken off stands
 * where it was found.
 */
function outOfOrder(rounds: SeenRound[]): string[] {
  const last = new Map<string, number>();
  const whole = rounds.filter(({ status }) => status === "complete");
  return whole.map(subjectOf).filter((subject) => {
    const [writer = "", number] = subject.split("-");
    const isLate = Number(number) <= (last.get(writer) ?? -1);
    last.set(writer, Number(number));
    return isLate;
  });
}

/**
 * Where tabs cannot exclude each other, a round may be taken for broken off, and be put further behind when it ends: its
 * first numbers are then not used again. Else no number is given up.
 */
export const gapped = ({ gaps }: Audit): string[] =>
  gaps === 0 ? [] : [`numbers were given up at ${gaps} places`];

/** The acknowledged rounds that are not there, or not whole. */
export function lost({ rounds }: Audit, acknowledged: string[]): string[] {
  const there = new Set(rounds.filter(({ status }) => status === "complete").map(subjectOf));
  return acknowledged.filter((subject) => !there.has(subject));
}
