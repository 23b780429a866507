import type { InboxRow } from "@submissions/shared/console";
import { expect, test } from "vitest";
import { titled } from "./detail.ts";

const row = (kind: InboxRow["kind"], summary: string) => ({ kind, summary }) as InboxRow;
const titles = new Map([["de-AT", "Austrian German, conversations"]]);

test("rows name packages by their titles, and what has none as it is", () => {
  const rows = [row("inquiry", "de-AT, unheard-of"), row("application", "de-AT, accent coach")];
  expect(titled(rows, titles).map(({ summary }) => summary)).toEqual([
    "Austrian German, conversations; unheard-of",
    "de-AT, accent coach",
  ]);
  expect(titled([row("inquiry", "de-AT, fr")], null)).toEqual([row("inquiry", "de-AT; fr")]);
});
