import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backendOf, CHROMIUMS, type Engine, findFirefox } from "./browsers.js";
import { IS_LONG } from "./extent.js";
import { gapped, lost, torn } from "./judge.js";
import { type Pages, startPages } from "./lab.js";
import { emptyRow, faultsOf, type Row } from "./table.js";
import { PLACES } from "./tells.js";
import { Hung } from "./told.js";

/** How often a browser is killed. Firefox takes several seconds to start. */
const kills = ({ name }: Engine): number => (IS_LONG ? 40 : name === "Firefox" ? 1 : 2);

/** From the start of a browser to what its page found, and from there to the place of the kill. */
const DEADLINE = 60_000;

let pages: Pages;
beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.close());

const firefox = findFirefox();
const engines = firefox === undefined ? CHROMIUMS : [...CHROMIUMS, firefox];

/** The table says what was not there to be tried. */
const absent = (engine: Engine): Row[] =>
  firefox === undefined && engine === engines[0]
    ? [{ ...emptyRow("F-KILL", "Firefox"), note: "not installed" }]
    : [];

/** Lives are numbered through, so that what one says is never taken for another's. */
let lives = 0;

test.for(engines)(
  "F-KILL: $name on $backend loses no round that it had acknowledged, and tears none",
  { timeout: 41 * DEADLINE },
  async (engine, { task }) => {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "mnemograph-faults-"));
    const row = emptyRow("F-KILL", `${engine.name}, ${engine.backend}`);
    task.meta.rows = [row, ...absent(engine)];
    const trial: Trial = { engine, profile, row, first: lives + 1, problems: [] };
    try {
      for (let kill = 0; kill < kills(engine); kill += 1) {
        await oneLife(trial, placeOf(kill));
        row.cases += 1;
      }
      // The last one only says what it finds.
      await oneLife(trial);
      const backend = backendOf(engine, profile);
      row.where = `${engine.name}, ${backend}`;
      const wipes = pages.told.all("wiped", trial.first, lives).length;
      row.note = `${acknowledged(trial).length} rounds acknowledged, ${wipes} wipes put back`;
      if (backend !== engine.backend) row.note += `; it has no ${engine.backend}`;
    } finally {
      fs.rmSync(profile, { recursive: true, force: true });
    }
    expect.soft(trial.problems).toEqual([]);
    expect(faultsOf(row)).toEqual([]);
  },
);

interface Trial {
  engine: Engine;
  profile: string;
  row: Row;
  /** Its first life. */
  first: number;
  problems: string[];
}

/** Every place is one to be killed at, some rounds into the life. */
const placeOf = (kill: number) => ({
  place: PLACES[kill % PLACES.length],
  n: 5 + ((kill * 7) % 23),
});

/** Opens the profile, judges what is found, and kills the browser at the n-th passing of a place. */
async function oneLife(trial: Trial, until?: ReturnType<typeof placeOf>): Promise<void> {
  const { engine, profile, row, problems } = trial;
  lives += 1;
  const life = lives;
  const before = acknowledged(trial);
  const browser = engine.open(profile, `${pages.origin}/life.html?life=${life}`);
  try {
    const found = await pages.told.until(() => pages.told.all("found", life)[0], DEADLINE);
    const [broken, gone] = [[...torn(found), ...gapped(found)], lost(found, before)];
    row.torn += broken.length;
    row.lost += gone.length;
    if (gone.length > 0 && pages.told.all("wiped", life).length === 0) row.unreported += 1;
    problems.push(...broken, ...gone.map((subject) => `life ${life}: ${subject} is gone`));
    if (until === undefined) return;
    const passed = () =>
      pages.told.all("passed", life).filter(({ place }) => place === until.place);
    await pages.told.until(() => passed()[until.n - 1], DEADLINE);
  } catch (error) {
    if (!(error instanceof Hung)) throw error;
    row.hung += 1;
    problems.push(`life ${life}: ${error.message}`);
  } finally {
    await browser.kill();
    problems.push(...failures(life));
  }
}

/** The rounds that the pages of a trial have said to be stored. */
const acknowledged = ({ first }: Trial): string[] =>
  pages.told.all("stored", first, lives).map(({ subject }) => subject);

/** Why a page could not go on. */
const failures = (life: number): string[] =>
  pages.told.all("failed", life).map(({ code, message }) => `life ${life}: ${code} ${message}`);
