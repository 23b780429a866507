// After an error that was not caught, what is under way is finished and the process ends with 1.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buyer, json, rest } from "../../support/doors.ts";
import { atNight } from "../../support/many-or-few.ts";
import { type ServiceProcess, startProcess, until } from "../../support/service-process.ts";
import { CrashSite } from "../../support/crash/crash-site.ts";
import { beginUpload } from "../../support/stalled-upload.ts";

const logged = (service: ServiceProcess, text: string) => service.log.some((line) => line.includes(text));

/** Answers whether the service was asked while it still listened: after the error it does for a second. */
async function meetsError(how: "throw" | "reject"): Promise<boolean> {
  await using site = await CrashSite.open();
  const service = await site.start({ failpoint: `after-commit:${how}` });
  const upload = beginUpload(service);
  await until(async () => (await site.resumeFiles()).length === 1);

  // The submission that is met by the error is committed, and answered.
  expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  await until(() => logged(service, '"unexpected error"'));
  const refused = await rest.send(service, "marketplace.inquiry", json(buyer)).catch((error: TypeError) => error);
  if (refused instanceof TypeError) return false;
  expect([refused.status, refused.fault?.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await upload.end()).toBe(200);
  expect(await service.ended).toBe(1);
  expect(service.log.filter((line) => line.includes('"level":"fatal"'))).not.toEqual([]);
  const { inquiries, applications } = await site.contents();
  expect([inquiries.length, applications.length]).toEqual([1, 1]);
  return true;
}

// At night a rejection that was not handled, too: Node throws it.
test.for(atNight ? (["throw", "reject"] as const) : (["throw"] as const))(
  "an error that was not caught (%s) is logged, nothing new is taken, the rest is finished, exit 1",
  (how) => until(() => meetsError(how)),
);

test("a second signal ends the process at once, whatever is under way", async () => {
  await using service = await startProcess();
  const upload = beginUpload(service);
  await until(async () => (await readdir(join(service.dataFolder, "resumes/.staging"))).length === 1);
  service.child.kill("SIGTERM");
  await until(() => logged(service, '"closing"'));
  expect(service.child.exitCode).toBeNull();
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(1);
  await upload.cut;
});
