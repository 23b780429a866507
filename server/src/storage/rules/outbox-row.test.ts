import { expect, test } from "vitest";
import { mailId, parseMailId } from "./outbox-row.ts";

test.each([
  [1, 0],
  [42, Date.UTC(2026, 10, 21)],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])("reads what it has written: row %d of %d", (row, createdAt) => {
  expect(parseMailId(mailId(row, createdAt))).toEqual({ row, createdAt });
});

test.each(["", "1", "1-", "-1", "01-a", "1-0a", "1-A", "1-a ", "1.5-a", "9007199254740993-a", "1-zzzzzzzzzzz"])(
  "takes %j for no id",
  (text) => expect(parseMailId(text)).toBeNull(),
);
