// What an inquiry costs when nearly all references of its day are taken, beside one of an empty day.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, day, inquiry } from "../../contract/records.ts";
import { median } from "../statistics.ts";

/** As many as are left at 99.99 %. */
const left = 100;

/** @returns the time of one reference of a full day, as a multiple of that of an empty one */
export async function measureFullDay(folder: string, rounds: number): Promise<number> {
  const file = join(folder, "full-day.sqlite");
  await using store = await openStore({ kind: "sqlite", file });
  using database = new DatabaseSync(file);
  const take = database.prepare("UPDATE day_counter SET taken = ? WHERE kind = 'inquiry' AND day = ?");
  let number = 0;
  const msFrom = async (taken: number) => {
    take.run(taken, day);
    database.prepare("DELETE FROM submission").run();
    const begun = performance.now();
    // One after the other: each draws its reference in a commit of its own.
    for (let drawn = 0; drawn < left; drawn += 1) {
      await accept(store, inquiry((number += 1)));
    }
    return performance.now() - begun;
  };
  await msFrom(0);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const empty = await msFrom(0);
    ratios.push((await msFrom(1_000_000 - left)) / empty);
  }
  return median(ratios);
}
