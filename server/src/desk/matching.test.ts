import { expect, test } from "vitest";
import { wholeScope, type DeskStore } from "../storage/desk-store.ts";
import { findMatching } from "./matching.ts";

test("others have their turn of the event loop between the pages", async () => {
  const asked: (number | undefined)[] = [];
  const listWhole: DeskStore["listWhole"] = async (_scope, _filter, { after }) => {
    asked.push(after);
    return { rows: [], next: after === undefined ? 7 : null };
  };
  let turns = 0;
  setImmediate(() => (turns += 1));
  expect(await findMatching({ listWhole }, wholeScope, {})).toEqual({ targets: [], more: false });
  expect([asked, turns]).toEqual([[undefined, 7], 1]);
});
