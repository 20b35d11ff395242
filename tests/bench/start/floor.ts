// The same first steps by hand: a database that is not there yet, with as many tables, then a turn.
import { floorTurn, openFloor, seedFloor } from "../parts/floor.js";
import { instantModel } from "../parts/model.js";

export default async function start(): Promise<Record<string, number>> {
  const begun = performance.now();
  const db = await openFloor(`start-${crypto.randomUUID()}`);
  const opened = performance.now();
  await seedFloor(db, "t", []);
  const noted = performance.now();
  await floorTurn(db, "t", instantModel());
  return {
    "createRuntime and load": opened - begun,
    "to the first event": noted - begun,
    "to the end of the first turn": performance.now() - begun,
  };
}
