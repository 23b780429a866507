import { existsSync } from "node:fs";
import { mkdtemp, open, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../server/src/clock.ts";
import { openVault } from "../../server/src/resumes/open-vault.ts";
import { openStore, type OpenStore } from "../../server/src/storage/open-store.ts";
import { exitOf, runCommand, start, type Finished } from "./run-command.ts";
import { application, day, inquiry, keepResume, lease, mail } from "./stored-submissions.ts";

let folder: string;
let store: OpenStore;
const environment = (): Record<string, string> => ({ DATA_DIR: folder });
const run = (...words: string[]): Promise<Finished> => runCommand(words, environment());

// The store stays open while commands run, as it does in a running service.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "desk-"));
  store = await openStore({ kind: "sqlite", file: join(folder, "submissions.sqlite") });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Stores applications with cover letters of some 20 kB. */
async function storeLetters(count: number): Promise<void> {
  const coverLetter = "a long letter ".repeat(1400);
  const all = Array.from({ length: count }, (_, number) => application(number, { coverLetter }));
  await Promise.all(all.map((one) => store.acceptApplication(one, [], lease)));
}

describe("export", () => {
  test("writes NDJSON of what the running service holds, and nothing else to standard output", async () => {
    await store.acceptInquiry(inquiry(1, { name: "=1+1", company: "Ünder" }), [], lease);
    const { code, stdout, stderr } = await run("export", "inquiries", "--format", "ndjson");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ inquiryId: "INQ-20261121-000001", name: "=1+1", company: "Ünder" });
  });

  test("writes CSV that spreadsheets read as UTF-8 and do not run", async () => {
    await store.acceptInquiry(inquiry(1, { name: "=1+1", company: "Ünder" }), [], lease);
    const { code, bytes, stdout } = await run("export", "inquiries");
    expect(code).toBe(0);
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(stdout.split("\r\n")[1]).toContain(`"'=1+1","Ünder"`);
  });

  test("takes a day as its first moment in UTC", async () => {
    await store.acceptInquiry(inquiry(1, { receivedAt: day - 1 }), [], lease);
    await store.acceptInquiry(inquiry(2, { receivedAt: day }), [], lease);
    const words = ["export", "inquiries", "--format", "ndjson", "--since"];
    const today = await run(...words, "2026-11-21");
    expect(today.stdout.match(/INQ-\d+-\d+/g)).toEqual(["INQ-20261121-000002"]);
    const earlier = await run(...words, "2026-11-21T00:59:59.999+01:00");
    expect(earlier.stdout.match(/INQ-\d+-\d+/g)).toEqual(["INQ-20261121-000001", "INQ-20261121-000002"]);
  });

  test("exports more than fits into its memory, to a slow reader", async () => {
    const letters = 3500;
    await storeLetters(letters);
    // 70 MB of letters through a heap of 64 MB, most of which the program itself takes.
    const words = ["export", "applications", "--format", "ndjson"];
    const child = start("submissions.ts", words, { ...environment(), NODE_OPTIONS: "--max-old-space-size=64" });
    const ended = exitOf(child);
    let [lines, pieces] = [0, 0];
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      lines += piece.toString("latin1").split("\n").length - 1;
      pieces += 1;
      if (pieces % 100 === 0) await pause(5);
    }
    expect([await ended, lines]).toEqual([0, letters]);
  });

  test("ends quietly when its reader has had enough", async () => {
    await storeLetters(200);
    const child = start("submissions.ts", ["export", "applications"], environment());
    const ended = exitOf(child);
    let stderr = "";
    child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
    child.stdout.once("data", () => child.stdout.destroy());
    expect([await ended, stderr]).toEqual([0, ""]);
  });

  test.skipIf(!existsSync("/dev/full"))("says so when what it writes finds no room", async () => {
    await using full = await open("/dev/full", "w");
    const child = start("submissions.ts", ["export", "inquiries"], environment(), full.fd);
    const [code, stderr] = await Promise.all([exitOf(child), text(child.stderr)]);
    expect([code, stderr]).toEqual([1, "ENOSPC: no space left on device, write\n"]);
  });
});

describe("resume", () => {
  const bytes = Buffer.from("%PDF-1.7 not really\n%%EOF");
  const reference = "APP-20261121-000001";

  beforeEach(async () => {
    await using vault = await openVault({ kind: "disk", folder: join(folder, "resumes") }, systemClock);
    await store.acceptApplication(application(1, { resume: await keepResume(vault, bytes) }), [], lease);
    await store.acceptApplication(application(2), [], lease);
  });

  test("saves the file for its owner only, and never over another one", async () => {
    const file = join(folder, "cv.pdf");
    expect((await run("resume", reference, "--output", file)).code).toBe(0);
    expect(await readFile(file)).toEqual(bytes);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFile(file, "mine");
    const again = await run("resume", reference, "--output", file);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("already exists");
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test("writes to standard output", async () => {
    const { code, bytes: written } = await run("resume", reference, "--output", "-");
    expect([code, written]).toEqual([0, bytes]);
  });

  test("says so when there is none", async () => {
    for (const other of ["APP-20261121-000002", "APP-20261121-000003"]) {
      const { code, stdout, stderr } = await run("resume", other, "--output", "-");
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(other);
    }
  });

  test("leaves nothing when the stored bytes are not those that were uploaded", async () => {
    const resume = await store.findResume(reference);
    await writeFile(join(folder, "resumes", resume?.key ?? ""), "other bytes");
    const { code, stderr } = await run("resume", reference, "--output", join(folder, "cv.pdf"));
    expect(code).toBe(1);
    expect(stderr).toContain("checksum");
    expect((await readdir(folder)).filter((name) => name.startsWith("cv.pdf"))).toEqual([]);
  });
});

async function storeMails(): Promise<{ failed: string; sent: string }> {
  const { reference } = inquiry(1);
  const [failed, sent] = [mail(reference), mail(reference)];
  await store.acceptInquiry(inquiry(1), [failed, sent], lease);
  await store.settleMails(
    [
      { id: failed.id, result: "failed", denials: null, at: day, error: "406\u001b[2J inactive" },
      { id: sent.id, result: "sent", at: day, providerId: "p-1" },
    ],
    lease.owner,
  );
  return { failed: failed.id, sent: sent.id };
}

describe("mail", () => {
  test("list shows mails by status, and obeys no control character", async () => {
    const { failed, sent } = await storeMails();
    const { code, stdout } = await run("mail", "list", "--status", "failed");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ID .*\n${failed}  failed  inquiry-receipt  INQ-20261121-000001 .*inactive\n$`));
    expect(stdout).not.toContain("\u001b");
    expect((await run("mail", "list")).stdout).toContain(sent);
    expect((await run("mail", "list", "--limit", "1")).stdout.trim().split("\n")).toHaveLength(2);
  });

  test("retry wakes all failed mails, and never a sent one", async () => {
    const { sent } = await storeMails();
    const { code, stdout, stderr } = await run("mail", "retry");
    expect([code, stdout, stderr]).toEqual([0, "", "1 mail is due now.\n"]);
    expect(await store.mailBacklog()).toMatchObject({ queued: 1, failed: 0 });
    expect((await run("mail", "retry", sent)).code).toBe(1);
    expect(await store.listMails({ status: "sent", limit: 9 })).toHaveLength(1);
  });

  test("retry wakes one mail", async () => {
    const { failed } = await storeMails();
    expect((await run("mail", "retry", failed)).code).toBe(0);
    expect(await store.listMails({ status: "queued", limit: 9 })).toMatchObject([{ id: failed }]);
  });
});

describe("migrate", () => {
  test("check names what is pending and ends with 1, without making a database", async () => {
    const empty = join(folder, "empty");
    const check = () => runCommand(["migrate", "--check"], { DATA_DIR: empty });
    const before = await check();
    expect(before.code).toBe(1);
    expect(before.stdout).toMatch(/^0001/);
    await expect(stat(empty)).rejects.toThrow("ENOENT");
    expect((await runCommand(["migrate"], { DATA_DIR: empty })).stdout).toBe(before.stdout);
    expect(await check()).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("backup", () => {
  test("is a store of its own with everything in it, and never written over another file", async () => {
    await store.acceptInquiry(inquiry(1), [mail("INQ-20261121-000001")], lease);
    const file = join(folder, "copy.sqlite");
    expect(await run("backup", file)).toMatchObject({ code: 0, stdout: "" });
    await using copy = await openStore({ kind: "sqlite", file }, { access: "read-only" });
    expect(await Array.fromAsync(copy.exportInquiries(0))).toHaveLength(1);
    expect(await copy.mailBacklog()).toMatchObject({ queued: 1 });
    expect((await run("backup", file)).code).toBe(1);
  });
});

test("a command that is not understood ends with 2, and leaves standard output alone", async () => {
  const { code, stdout, stderr } = await run("nope");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("unknown command");
});
