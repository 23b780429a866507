// What happens to the service when its storage fails: nothing is acknowledged that is not kept, callers are told to come
// back, and it goes on by itself once the fault is gone. Faults are those that a user without privileges can make.
import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messageForOperator } from "../../../server/src/observe/describe-error.ts";
import { applicant, buyer, form, json, pdf, rest, type Answer } from "../../support/doors.ts";
import { listResumes } from "../../support/resume-files.ts";
import { runToEnd, startProcess, type ServiceProcess } from "../../support/service-process.ts";
import { startService, type Service } from "../../support/service.ts";
import { nightly } from "../../support/many-or-few.ts";

/** The service in this process or in its own. */
type Running = Pick<Service, "url" | "dataFolder" | "stored">;

const inquire = (service: Running) => rest.send(service, "marketplace.inquiry", json(buyer));
const apply = (service: Running) =>
  rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf("resume.pdf", 200_000) }));
const databaseOf = ({ dataFolder }: { readonly dataFolder: string }) => join(dataFolder, "submissions.sqlite");
const statusOf = async (service: Running, path: string) => (await fetch(service.url + path)).status;
// Readiness is checked once a second at most.
const readiness = (service: Running) => expect.poll(() => statusOf(service, "/readyz"));

function expectUnavailable({ status, headers, fault }: Answer): void {
  expect([status, fault?.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(fault?.message).not.toMatch(/sqlite|disk|EFBIG|ENOSPC|database|\//i);
}

async function expectUnusable(service: Running): Promise<void> {
  expectUnavailable(await inquire(service));
  expectUnavailable(await apply(service));
  await readiness(service).toBe(503);
  expect(await statusOf(service, "/healthz")).toBe(200);
}

/** Uploads are refused; what comes without a file is taken, also from a form with an input for one. */
async function expectUploadsRefused(service: Running): Promise<void> {
  expectUnavailable(await apply(service));
  const empty = form({ ...applicant, resumeFile: new File([], "") });
  const withoutFile = [json(applicant), form(applicant), empty].map((body) =>
    rest.send(service, "applications.submit", body),
  );
  const taken = await Promise.all([inquire(service), ...withoutFile]);
  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const ready = async () => {
    const answer = await fetch(`${service.url}/readyz`);
    return [answer.status, await answer.json()];
  };
  await expect.poll(ready).toEqual([200, { status: "ready", vault: "unavailable" }]);
  await expect.poll(async () => (await fetch(`${service.url}/metrics`)).text()).toMatch(/^vault_ready 0$/m);
}

async function expectUsable(service: Running): Promise<void> {
  expect([(await inquire(service)).status, (await apply(service)).status]).toEqual([200, 200]);
  await readiness(service).toBe(200);
}

async function stored(service: Running): Promise<[inquiries: number, applications: number]> {
  const { inquiries, applications } = await service.stored();
  return [inquiries.length, applications.length];
}

const resumeFiles = async ({ dataFolder }: Running) => (await listResumes(dataFolder)).length;

const works = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

describe("a full disk", () => {
  // No file may grow: to the service a disk that takes nothing more, in database, resumes and mailbox alike.
  const limit = (service: ServiceProcess, size: string) =>
    execFileSync("prlimit", ["--pid", String(service.child.pid), `--fsize=${size}:unlimited`]);

  test.runIf(works("prlimit", "--version"))("refuses everything and recovers by itself", async () => {
    await using service = await startProcess();
    await expectUsable(service);
    limit(service, "0");
    await expectUnusable(service);
    expect(await stored(service)).toEqual([1, 1]);
    await expect.poll(() => resumeFiles(service)).toBe(1);
    limit(service, "unlimited");
    await expectUsable(service);
    expect(await stored(service)).toEqual([2, 2]);
  });
});

describe("folders that cannot be written", () => {
  // Root writes into everything unless that privilege is taken away.
  const unprivileged = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
  const through = process.getuid?.() === 0 ? unprivileged : [];
  const can = through.length === 0 || works("setpriv", ...unprivileged.slice(1), "true");

  test.runIf(can)("end the start with 1 and a line that says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "submissions-"));
    await chmod(folder, 0o500);
    const dataFolder = join(folder, "data");
    const { code, output } = await runToEnd({ DATA_DIR: dataFolder, PORT: "0" }, { through });
    const reason = `The database file ${join(dataFolder, "submissions.sqlite")} cannot be made. Set DATA_DIR`;
    expect([code, output.trim().split("\n")]).toEqual([1, [expect.stringContaining(reason)]]);
    expect(output).toMatch(/^The service could not start: .*EACCES/);
    await rm(folder, { recursive: true });
  });

  test.runIf(can)("refuse uploads at run time, and recover by themselves", async () => {
    await using service = await startProcess({}, { through });
    const staging = join(service.dataFolder, "resumes", ".staging");
    await chmod(staging, 0o500);
    await expectUploadsRefused(service);
    await chmod(staging, 0o700);
    await expectUsable(service);
  });
});

describe("a folder of resumes", () => {
  nightly("that was moved away or replaced has uploads refused, and nothing else", async () => {
    await using service = await startProcess();
    const folder = join(service.dataFolder, "resumes");
    await rename(folder, `${folder}-away`);
    await expectUploadsRefused(service);
    await mkdir(join(folder, ".staging"), { recursive: true });
    await expectUploadsRefused(service);
    expect(await resumeFiles(service)).toBe(0);
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    await expect.poll(async () => (await apply(service)).status).toBe(200);
    await expectUsable(service);
    expect((await service.stored()).applications.filter(({ resume }) => resume !== null)).toHaveLength(2);
    expect(await resumeFiles(service)).toBe(2);
  });
});

describe("a damaged database ends the start, with a line for the operator:", () => {
  test.each([
    ["bytes that are no database", "The database is not an SQLite database.", 0],
    ["an overwritten page", "The database is corrupt", 3 * 4_096],
  ])("%s", async (_name, line, at) => {
    const dataFolder = await mkdtemp(join(tmpdir(), "submissions-"));
    await using service = await startService({ env: { DATA_DIR: dataFolder } });
    await expectUsable(service);
    await service.stop();
    await using file = await open(databaseOf({ dataFolder }), "r+");
    const garbage = Buffer.alloc(4_096, 0xaa);
    const { size } = await file.stat();
    for (let offset = at; offset < size; offset += 4 * 4_096) await file.write(garbage, 0, garbage.length, offset);
    const before = await file.readFile();

    const error = await startService({ env: { DATA_DIR: dataFolder } }).catch((thrown: unknown) => thrown);
    expect(messageForOperator(error)).toContain(line);
    // It stays as it was, for the person who repairs it.
    expect((await file.stat()).size).toBe(before.length);
    await rm(dataFolder, { recursive: true });
  });
});
