import { expect, test } from "vitest";
import { rowOfColumns, submissionColumns } from "./submission-row.ts";

test("a row has the value of each column under its name", () => {
  expect(rowOfColumns(submissionColumns)).toEqual(Object.fromEntries(submissionColumns.map((name) => [name, name])));
});
