// The process is killed in the middle of an import of subscribers, and the same file imported again adds the rest.
import { expect, test } from "vitest";
import type { ImportReport } from "../../../shared/src/console.ts";
import { CrashSite } from "../../support/crash/crash-site.ts";
import { startService } from "../../support/service.ts";
import { auditOf, operator, password, Operator } from "../../support/console/operator.ts";

const addresses = Array.from({ length: 120 }, (_, n) => `reader-${n}@example.org`);
const csv = ["email", ...addresses].join("\n");

test("an import that was killed is in the audit log, and importing the file again adds the rest", async () => {
  await using site = await CrashSite.open();
  const { storage } = site;
  const startHere = () => startService({ env: { ...site.postmark.env, DATA_DIR: site.dataFolder } });
  const before = await startHere();
  const mia = await operator({ url: before.url, storage }, "mia@example.org", "marketing");
  await before[Symbol.asyncDispose]();

  // Killed within the third commit of rows.
  const killed = await site.start({ failpoint: "before-commit:kill:3" });
  const during = new Operator(killed);
  during.cookie = mia.cookie;
  await expect(during.call("subscribers.import", { csv })).rejects.toThrow();
  await killed.ended;
  const imports = async () =>
    (await auditOf({ storage })).flatMap(({ action, detail }) =>
      action.startsWith("subscriber.import") ? [[action, detail]] : [],
    );
  const begun = ["subscriber.import.begin", { rows: 120 }];
  expect(await imports()).toEqual([begun]);
  const stored = (await site.contents()).subscribers.length;
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(120);

  await using service = await startHere();
  const after = new Operator(service);
  await after.signIn("mia@example.org", password);
  const report = (await after.call("subscribers.import", { csv })).data as ImportReport;
  expect([report.active, report.pending, report.leftOut.length]).toEqual([0, 120 - stored, stored]);
  const detail = { rows: 120, active: 0, pending: 120 - stored, leftOut: stored };
  expect(await imports()).toEqual([begun, begun, ["subscriber.import", detail]]);
  const { subscribers, mails } = await site.contents();
  expect(subscribers.map(({ email }) => email).toSorted()).toEqual(addresses.toSorted());
  expect(mails.map(({ kind, email }) => `${kind} ${email}`).toSorted()).toEqual(
    addresses.map((email) => `newsletter-welcome ${email}`).toSorted(),
  );
});
