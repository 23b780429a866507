// The running service with its resumes in an object store: what is stored after an answer, and what is not.
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import { runCommand } from "../support/desk/run-command.ts";
import { ClamdStandIn } from "../support/clamd-stand-in.ts";
import { applicant, buyer, form, json, pdf, rest, type Answer } from "../support/doors.ts";
import { openFolder } from "../support/folder.ts";
import { keptLog } from "../support/kept-log.ts";
import { s3Environment, sharedS3, stubS3Environment } from "../support/s3-stand-in.ts";
import { runToEnd, until } from "../support/service-process.ts";
import { startService, type Service } from "../support/service.ts";
import { shared } from "../support/shared.ts";
import { findResume } from "./records.ts";

const folder = shared(openFolder);
const store = await sharedS3();

const settings = () => ({ RESUME_STORE: "s3://resumes/kept", S3_ENDPOINT: store.url });
const apply = (service: Service, resumeFile = pdf("cv.pdf", 200_000)) =>
  rest.send(service, "applications.submit", form({ ...applicant, resumeFile }));
/** The vault's identity is no resume, and what is set aside is none any more. */
const kept = () => [...store.objects.keys()].filter((name) => /^kept\/\d{4}\//.test(name));
const referenceOf = ({ receipt }: Answer) => String(receipt?.["applicationId"]);
const scanOf = async ({ dataFolder }: Service, reference: string) => {
  await using records = await openStore(
    { kind: "sqlite", file: join(dataFolder, "submissions.sqlite") },
    { access: "read-only" },
  );
  return (await findResume(records, reference))?.scan;
};
const readiness = async ({ url }: Pick<Service, "url">): Promise<unknown> => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
};
const isReady = [200, { status: "ready", vault: "ready" }];
const hasNoVault = [200, { status: "ready", vault: "unavailable" }];

test("an accepted resume is in the store, byte for byte, and nowhere on this machine", async () => {
  await using service = await startService({ env: settings() });
  const resume = pdf("cv.pdf", 3_000_000);
  expect((await apply(service, resume)).status).toBe(200);
  const [application] = (await service.stored()).applications;
  const name = `kept/${application?.resume?.key}`;
  expect(kept()).toEqual([name]);
  expect(store.objects.get(name)!.bytes.equals(Buffer.from(await resume.arrayBuffer()))).toBe(true);
  expect(await service.files("resumes")).toEqual([]);
  expect(await readiness(service)).toEqual(isReady);
});

test("without the store an application is refused with 503 and leaves nothing; the rest goes on, and it recovers", async () => {
  await store.goAway();
  // It starts all the same.
  await using service = await startService({ env: settings() });
  const { status, headers, fault } = await apply(service);
  expect([status, fault?.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(fault?.message).not.toMatch(/s3|object|bucket|ECONN|127/i);
  expect((await service.stored()).applications).toEqual([]);
  expect([await service.mails(), await service.files("resumes")]).toEqual([[], []]);
  expect(await readiness(service)).toEqual(hasNoVault);
  const withoutFile = [json(applicant), form({ ...applicant, resumeFile: new File([], "") })];
  for (const body of withoutFile) expect((await rest.send(service, "applications.submit", body)).status).toBe(200);
  expect((await rest.send(service, "marketplace.inquiry", json(buyer))).status).toBe(200);
  await store.listen();
  expect((await apply(service)).status).toBe(200);
  await expect.poll(() => readiness(service)).toEqual(isReady);
  expect((await service.stored()).applications).toHaveLength(3);
});

test("credentials that are refused are told to the log alone, and no secret is", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDSTRANGER");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "a-secret-of-ours");
  onTestFinished(stubS3Environment);
  const { lines, log } = keptLog();
  await using service = await startService({ env: settings(), log });
  expect((await apply(service)).status).toBe(503);
  expect(await readiness(service)).toEqual(hasNoVault);
  const told = () => JSON.stringify(lines);
  await until(() => told().includes("credentials are wrong or lack a permission"));
  expect(told()).not.toMatch(/AKIDSTRANGER|a-secret-of-ours/);
  expect(store.objects.size).toBe(0);
});

describe("the command `resume`", () => {
  const environmentOf = (service: Service, env: Record<string, string> = {}) => ({
    DATA_DIR: service.dataFolder,
    ...settings(),
    ...s3Environment,
    ...env,
  });

  test("saves the file from the store, or prints a link where links are allowed", async () => {
    await using service = await startService({ env: settings() });
    const resume = pdf("My résumé", 1_000);
    const reference = referenceOf(await apply(service, resume));
    const saved = await runCommand(["resume", reference, "--output", "-"], environmentOf(service));
    expect([saved.code, saved.bytes]).toEqual([0, Buffer.from(await resume.arrayBuffer())]);
    const linking = environmentOf(service, { RESUME_DOWNLOAD: "presigned" });
    const linked = await runCommand(["resume", reference, "--url"], linking);
    expect([linked.code, linked.stderr]).toEqual([0, ""]);
    const answer = await fetch(linked.stdout.trim());
    expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''My%20r%C3%A9sum%C3%A9.pdf");
    expect(await answer.text()).toBe(await resume.text());
    const refused = await runCommand(["resume", reference, "--url"], environmentOf(service));
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("RESUME_DOWNLOAD");
    store.objects.clear();
    const gone = await runCommand(["resume", reference, "--output", "-"], environmentOf(service));
    expect([gone.code, gone.stderr]).toEqual([1, "The object store has no such file.\n"]);
  });

  test("has files in the store scanned, and gives no link to one that is infected or not yet judged", async () => {
    await using clamd = await ClamdStandIn.open();
    await using service = await startService({ env: { ...settings(), CLAMD_ADDRESS: clamd.address } });
    const infected = new File(["%PDF-1.7\nEICAR\nstartxref\n0\n%%EOF\n"], "cv.pdf");
    const [bad, good] = [referenceOf(await apply(service, infected)), referenceOf(await apply(service, pdf()))];
    await expect.poll(() => scanOf(service, bad), { timeout: 60_000 }).toBe("infected");
    await expect.poll(() => scanOf(service, good), { timeout: 60_000 }).toBe("clean");
    const env = environmentOf(service, { RESUME_DOWNLOAD: "presigned", CLAMD_ADDRESS: clamd.address });
    const refused = await runCommand(["resume", bad, "--url"], env);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("infected");
    expect((await runCommand(["resume", good, "--url"], env)).code).toBe(0);
    clamd.excuses.push("INSTREAM size limit exceeded. ERROR");
    const waiting = referenceOf(await apply(service));
    const early = await runCommand(["resume", waiting, "--url"], env);
    expect([early.code, early.stdout]).toEqual([1, ""]);
    expect(early.stderr).toContain("not judged");
  });
});

test("without the SDK the service does not start, and says which command brings it in", async () => {
  const preload = [new URL("../support/hidden-packages.ts", import.meta.url).href];
  const env = { ...settings(), DATA_DIR: join(folder().path, "without-sdk"), PORT: "0" };
  const { code, output } = await runToEnd(env, { preload });
  expect(code).toBe(78);
  expect(output).toContain("RESUME_STORE: needs packages that are not installed: npm install");
});
