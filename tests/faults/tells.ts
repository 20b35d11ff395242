/** What a page of the suite says. */

/** A stored round as the SDK shows it. */
export interface SeenRound {
  status: string;
  /** Its messages, each in one line. */
  lines: string[];
}

/** What a page found when it opened its database. */
export interface Audit {
  /** The rounds of the thread, in order. */
  rounds: SeenRound[];
  /** What disagrees between the records below the SDK, in words. */
  disagreements: string[];
  /** Places where numbers of messages were given up. */
  gaps: number;
  /** Rounds that could not be read and were reported. */
  quarantined: number;
}

export type Tell =
  /** The database is open, and this is in it. */
  | ({ tell: "found"; life: number } & Audit)
  /** A place in a round was passed. */
  | { tell: "passed"; life: number; place: Place; subject: string }
  /** The round's result is there: it must never be lost from now on. */
  | { tell: "stored"; life: number; subject: string }
  /** The recovery journal has the round too. */
  | { tell: "copied"; life: number; subject: string }
  /** The database was lost, and so much was put back. */
  | { tell: "wiped"; life: number; restored: number; missing: number }
  /** The page could not go on. */
  | { tell: "failed"; life: number; code: string; message: string };

/** The places at which a browser is killed. */
export const PLACES = ["asked", "called", "commit", "complete"] as const;
export type Place = (typeof PLACES)[number];
