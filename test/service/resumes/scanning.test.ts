// Virus scanning through the running service and its command line. What the scanner does with each answer of the daemon is
// in scanner.test.ts.
import { expect, test } from "vitest";
import { join } from "node:path";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { findResume } from "../../contract/records.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { applicant, form, pdf, rest } from "../../support/doors.ts";
import { startService, type Service } from "../../support/service.ts";

async function apply(service: Service, resumeFile: File): Promise<string> {
  const { status, receipt } = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile }));
  expect(status).toBe(200);
  return String(receipt?.["applicationId"]);
}

async function scanOf(service: Service, reference: string) {
  const file = join(service.dataFolder, "submissions.sqlite");
  await using store = await openStore({ kind: "sqlite", file }, { access: "read-only" });
  return (await findResume(store, reference))?.scan;
}

const save = (service: Service, reference: string, env: Record<string, string>) =>
  runCommand(["resume", reference, "--output", "-"], { DATA_DIR: service.dataFolder, ...env });

const infected = () => new File(["%PDF-1.7\nEICAR\nstartxref\n0\n%%EOF\n"], "resume.pdf");

test("a resume is scanned whole after it was accepted, and an infected one cannot be saved", async () => {
  await using clamd = await ClamdStandIn.open();
  const env = { CLAMD_ADDRESS: clamd.address };
  await using service = await startService({ env });
  const clean = pdf("resume.pdf", 300_000);
  const [good, bad] = [await apply(service, clean), await apply(service, infected())];
  await expect.poll(() => scanOf(service, good), { timeout: 20_000 }).toBe("clean");
  await expect.poll(() => scanOf(service, bad), { timeout: 20_000 }).toBe("infected");
  expect(clamd.scanned[0]).toEqual(Buffer.from(await clean.arrayBuffer()));
  expect((await save(service, good, env)).code).toBe(0);
  for (const scanner of [env, {}]) {
    const refused = await save(service, bad, scanner);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("infected");
  }
  // An alarm may be false, so both files are still there.
  expect((await service.files("resumes")).filter((path) => /[0-9a-f]{32}$/.test(path))).toHaveLength(2);
});

test("a scanner that gives no verdict delays saving, never the submission", async () => {
  await using clamd = await ClamdStandIn.open();
  const env = { CLAMD_ADDRESS: clamd.address };
  clamd.excuses.push("INSTREAM size limit exceeded. ERROR");
  await using service = await startService({ env });
  const reference = await apply(service, pdf());
  await expect.poll(() => clamd.excuses.length, { timeout: 20_000 }).toBe(0);
  expect(await scanOf(service, reference)).toBe("unscanned");
  const refused = await save(service, reference, env);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("not judged");
});

test("a scanner that is away is asked again by the next start, and old resumes are caught up with", async () => {
  await using clamd = await ClamdStandIn.open();
  await using first = await startService({ env: { CLAMD_ADDRESS: "127.0.0.1:1" } });
  const reference = await apply(first, pdf());
  await first.stop();
  await using _second = await startService({ env: { DATA_DIR: first.dataFolder, CLAMD_ADDRESS: clamd.address } });
  await expect.poll(() => scanOf(first, reference), { timeout: 20_000 }).toBe("clean");
});

test("without a scanner a resume can be saved", async () => {
  await using service = await startService();
  const reference = await apply(service, pdf());
  expect((await save(service, reference, {})).code).toBe(0);
});
