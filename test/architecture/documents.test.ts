// The documents that repeat what the code says must say the same.
import { readFileSync } from "node:fs";
import { faults } from "@submissions/shared/faults";
import { bytesMax, batchCallsMax } from "@submissions/shared/limits";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("docs/errors.md lists every fault of the table, and nothing else", () => {
  const rows = read("docs/errors.md")
    .split("\n")
    .filter((line) => /^\| \d/.test(line));
  const expected = Object.entries(faults).map(
    ([name, { status, code, message, when }]) => `| ${status} | \`${code}\` | ${name} | ${message} | ${when} |`,
  );
  expect(rows).toEqual(expected);
});

test("the words of faults agree with the limits they name", () => {
  expect(faults.resumeTooLarge.when).toContain(bytesMax.resume.toLocaleString("en"));
  expect(faults.fieldTooLarge.when).toContain(bytesMax.formField.toLocaleString("en"));
  expect(faults.bodyTooLarge.when).toContain(`${bytesMax.json / 1024} KiB`);
  for (const max of [bytesMax.jsonOfApplication, bytesMax.jsonOfBatch])
    expect(faults.bodyTooLarge.when).toContain(`an application and a batch: ${max / 1024} KiB`);
  expect(faults.headersTooLarge.when).toContain(`${bytesMax.headers / 1024} KiB`);
  expect(faults.batchTooLarge.when).toContain(String(batchCallsMax));
});
