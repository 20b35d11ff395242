/** The one table of the suite: a line for each case and browser, and what must be zero in it. */
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { textTable } from "../../scripts/lib/text-table.mjs";

/** What a case has shown. */
export interface Row {
  /** Its id in the fault plan. */
  case: string;
  /** The browser, and what its IndexedDB lies on. */
  where: string;
  /** How often the fault was made. */
  cases: number;
  /** Rounds that were found in part, twice, or mixed with others. */
  torn: number;
  /** Acknowledged rounds that were not found. */
  lost: number;
  /** Losses, damages and refusals that nobody was told of, or that came with a wrong code. */
  unreported: number;
  /** Calls, openings and runs that had no end in time. */
  hung: number;
  /** What else is to be said. */
  note?: string;
}

declare module "vitest" {
  interface TaskMeta {
    rows?: Row[];
  }
}

/** The numbers that must be zero. */
const FAULTS = ["torn", "lost", "unreported", "hung"] as const;

/** A row with nothing in it yet. */
export const emptyRow = (name: string, where: string): Row => ({
  case: name,
  where,
  cases: 0,
  torn: 0,
  lost: 0,
  unreported: 0,
  hung: 0,
});

/** What of a row must be zero and is not. */
export const faultsOf = (row: Row): string[] =>
  FAULTS.filter((fault) => row[fault] > 0).map((fault) => `${fault}: ${row[fault]}`);

/** Prints the table at the end. A test that failed otherwise has a line too. */
export default class FaultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) => [...module.children.allTests()].flatMap(rowsOf));
    if (rows.length === 0) return;
    rows.sort((a, b) => (a.case < b.case ? -1 : a.case > b.case ? 1 : 0));
    const shown = rows.map(({ note = "", ...row }) => ({ ...row, note }));
    console.log(`\n${textTable(shown)}\n`);
  }
}

function rowsOf(test: TestCase): Row[] {
  const rows = test.meta().rows ?? [];
  if (!test.result().state.startsWith("fail") || rows.some((row) => faultsOf(row).length > 0)) {
    return rows;
  }
  return [...rows, { ...emptyRow(test.name, ""), note: "failed" }];
}
