import type { AuditRow, Page, PageRequest } from "@submissions/shared/console";
import { expect, test } from "vitest";
import { latestBackup } from "./doctor.ts";

test("the newest backup is looked for on every page of the audit log", async () => {
  const backup = { id: 1, at: 2, operator: "command line", action: "backup", subject: "2026-11-27", detail: {} };
  // A page ends after some work, also without a row.
  const pages: Page<AuditRow>[] = [
    { rows: [], next: 1 },
    { rows: [], next: 2 },
    { rows: [backup], next: null },
  ];
  const desk = { listAudit: async ({ after = 0 }: PageRequest) => pages[after]! };
  expect(await latestBackup(desk)).toEqual(backup);
  pages[2] = { rows: [], next: null };
  expect(await latestBackup(desk)).toBeUndefined();
});
