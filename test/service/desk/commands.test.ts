// The command line beside a running service: its store stays open while commands run.
import { existsSync } from "node:fs";
import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../server/src/clock.ts";
import { listMails } from "../../../server/src/desk/mails.ts";
import { openVault } from "../../../server/src/resumes/open-vault.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { lockStore, openStore } from "../../../server/src/storage/open-store.ts";
import type { LeasedMail, ResumeRecord } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  application,
  eva,
  findResume,
  findSubmission,
  inquiries,
  inquiry,
  lease,
  minute,
  noon,
  subscription,
} from "../../contract/records.ts";
import { exitOf, finish, start } from "../../support/program.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { openFolder } from "../../support/folder.ts";
import { nightly } from "../../support/many-or-few.ts";

const midnight = Date.UTC(2026, 10, 21);
const bytes = Buffer.from("%PDF-1.7 not really\n%%EOF");

let ground: string;
/** The data folder that most tests share. */
let folder: string;
let store: Store;
/** References of what is stored there. */
let late: string;
let early: string;
let withResume: string;
let withoutResume: string;
let spam: string;
let failed: LeasedMail;
let inDoubt: LeasedMail;
let sent: LeasedMail;

const run = (...words: string[]) => runCommand(words, { DATA_DIR: folder });
const linesOf = (stdout: string) => stdout.trimEnd().split("\n");
const rowsOf = (stdout: string) => linesOf(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "desk-"));
  folder = join(ground, "data");
  store = await openStore({ kind: "sqlite", file: join(folder, "submissions.sqlite") });
  const first = await accept(store, inquiry(1, { name: "=1+1", company: "Ünder", receivedAt: midnight }));
  late = first.reference ?? "";
  const second = await accept(store, inquiry(2, { receivedAt: midnight - 1, email: "bo@mailinator.com" }));
  early = second.reference ?? "";
  withResume = await acceptReference(store, application(1, { resume: await keepResume() }));
  withoutResume = await acceptReference(store, application(2, { resume: null }));
  spam = await acceptReference(store, application(3, { resume: null }), { spam: true });
  await accept(store, subscription());
  [failed, sent] = first.mails as [LeasedMail, LeasedMail];
  [inDoubt] = second.mails as [LeasedMail, LeasedMail];
  await store.mails.settle(
    [
      { id: failed.id, result: "failed", denials: null, at: noon, error: "406\u001b[2J inactive" },
      { id: sent.id, result: "sent", at: noon, providerId: "p-1" },
      { id: inDoubt.id, result: "in-doubt", denials: 1, at: noon, error: "broke off" },
    ],
    lease.owner,
  );
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await rm(ground, { recursive: true });
});

/** Keeps bytes in the vault as an upload would. */
async function keepResume(): Promise<ResumeRecord> {
  await using vault = await openVault({ kind: "disk", folder: join(folder, "resumes") }, systemClock);
  const path = join(vault.stagingFolder, randomUUID());
  await writeFile(path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const key = await vault.keep({ path, size: bytes.length, sha256 });
  return { key, filename: "cv.pdf", kind: "pdf", size: bytes.length, sha256 };
}

describe("export", () => {
  test("writes NDJSON of what the running service holds, and nothing else to standard output", async () => {
    const { code, stdout, stderr } = await run("export", "inquiries", "--format", "ndjson");
    expect([code, stderr]).toEqual([0, ""]);
    expect(rowsOf(stdout)).toMatchObject([
      { inquiryId: late, name: "=1+1", company: "Ünder", emailDisposable: false, arrival: 1 },
      { inquiryId: early, emailDisposable: true, arrival: 2 },
    ]);
  });

  test("marks addresses at hosts of the operator, too", async () => {
    const domains = join(ground, "domains.txt");
    await writeFile(domains, "example.org\n");
    const words = ["export", "subscribers", "--format", "ndjson"];
    const { stdout } = await runCommand(words, { DATA_DIR: folder, DISPOSABLE_DOMAINS: domains });
    expect(rowsOf(stdout)).toMatchObject([{ emailDisposable: true }]);
    expect(rowsOf((await run(...words)).stdout)).toMatchObject([{ emailDisposable: false }]);
  });

  test("takes a day as its first moment in UTC, and a number of arrival", async () => {
    const words = ["export", "inquiries", "--format", "ndjson"];
    const idsOf = async (...more: string[]) => {
      const { stdout } = await run(...words, ...more);
      return stdout === "" ? [] : rowsOf(stdout).map((row) => row["inquiryId"]);
    };
    expect(await idsOf("--since", "2026-11-21")).toEqual([late]);
    expect(await idsOf("--since", "2026-11-21T00:59:59.999+01:00")).toEqual([late, early]);
    expect(await idsOf("--after", "1")).toEqual([early]);
  });
});

describe("a long export", () => {
  const letters = 1_000;
  let full: string;

  // Cover letters of 20 kB, 20 MB together.
  beforeAll(async () => {
    full = join(ground, "full");
    await using long = await openStore({ kind: "sqlite", file: join(full, "submissions.sqlite") });
    const coverLetter = "a long letter ".repeat(1_400);
    for (let from = 0; from < letters; from += 500) {
      const numbers = Array.from({ length: 500 }, (_, index) => from + index);
      await Promise.all(numbers.map((number) => accept(long, application(number, { resume: null, coverLetter }))));
    }
  });

  nightly("fits into little memory, also with a slow reader", async () => {
    // The program itself takes most of this heap.
    const environment = { DATA_DIR: full, NODE_OPTIONS: "--max-old-space-size=64" };
    const child = start("submissions.ts", ["export", "applications", "--format", "ndjson"], environment);
    const ended = exitOf(child);
    let lines = 0;
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      lines += piece.toString("latin1").split("\n").length - 1;
      await nextTurn();
    }
    expect([await ended, lines]).toEqual([0, letters]);
  });

  test("ends quietly when its reader has had enough", async () => {
    const child = start("submissions.ts", ["export", "applications"], { DATA_DIR: full });
    const ended = exitOf(child);
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await Promise.all([ended, text(child.stderr)])).toEqual([0, ""]);
  });

  nightly("goes on when the reader of its messages has gone", async () => {
    const child = start("submissions.ts", ["mail", "retry"], { DATA_DIR: full });
    child.stderr.destroy();
    expect(await exitOf(child)).toBe(0);
  });

  test.skipIf(!existsSync("/dev/full"))("says so when what it writes finds no room", async () => {
    await using device = await open("/dev/full", "w");
    const child = start("submissions.ts", ["export", "applications"], { DATA_DIR: full }, { output: device.fd });
    const [code, stderr] = await Promise.all([exitOf(child), text(child.stderr)]);
    expect([code, stderr]).toEqual([1, "ENOSPC: no space left on device, write\n"]);
  });
});

describe("resume", () => {
  test("saves the file for its owner only, and never over another one", async () => {
    const file = join(ground, "cv.pdf");
    expect((await run("resume", withResume, "--output", file)).code).toBe(0);
    expect(await readFile(file)).toEqual(bytes);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFile(file, "mine");
    const again = await run("resume", withResume, "--output", file);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("already exists");
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test("is saved under its reference where no name is given", async () => {
    const place = await mkdtemp(join(ground, "place-"));
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(place);
    const { code, stderr } = await run("resume", withResume);
    expect([code, stderr]).toEqual([0, `Saved ${withResume}.pdf (PDF, 1 kB).\n`]);
    expect(await readFile(join(place, `${withResume}.pdf`))).toEqual(bytes);
  });

  test("says so when there is none", async () => {
    for (const other of [withoutResume, "APP-20201121-000003"]) {
      const { code, stdout, stderr } = await run("resume", other, "--output", "-");
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(other);
    }
  });

  test("leaves nothing when the stored bytes are not those that were uploaded", async () => {
    const file = join(folder, "resumes", (await findResume(store, withResume))?.key ?? "");
    const target = join(ground, "damaged");
    await writeFile(file, "other bytes");
    const { code, stderr } = await run("resume", withResume, "--output", target);
    await writeFile(file, bytes);
    expect(code).toBe(1);
    expect(stderr).toContain("checksum");
    expect((await readdir(ground)).filter((name) => name.startsWith("damaged"))).toEqual([]);
  });
});

describe("mail", () => {
  test("list shows mails by status, and obeys no control character", async () => {
    const { code, stdout } = await run("mail", "list", "--status", "failed");
    expect(code).toBe(0);
    const row = `${failed.id}  failed  inquiry-receipt  ${late}  ann-1@example.org .*inactive`;
    expect(stdout).toMatch(new RegExp(`^ID .*\n${row}\n$`));
    expect(stdout).not.toContain("\u001b");
    expect((await run("mail", "list", "--status", "in-doubt")).stdout).toContain(`${inDoubt.id}  in-doubt`);
    expect((await run("mail", "list")).stdout).toContain(sent.id);
    expect(linesOf((await run("mail", "list", "--limit", "1")).stdout)).toHaveLength(2);
  });

  test("list fits the window of a terminal, where it is in colour", async () => {
    const { stdout } = await runCommand(["mail", "list"], { DATA_DIR: folder }, { isTTY: true, columns: 100 });
    expect(stdout).toContain("\u001b[31mfailed\u001b[39m");
    for (const line of linesOf(stdout)) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(100);
    expect(stdout).toContain("…");
    const unknown = await runCommand(["mail", "list"], { DATA_DIR: folder }, { isTTY: true, columns: 0 });
    expect(stripVTControlCharacters(unknown.stdout)).toBe((await run("mail", "list")).stdout);
  });

  test("list is one array for programs, and says so when it is empty", async () => {
    const listed = JSON.parse((await run("mail", "list", "--status", "failed", "--json")).stdout) as object[];
    expect(listed).toEqual([expect.objectContaining({ id: failed.id, createdAt: new Date(midnight).toISOString() })]);
    await using empty = await openStore({ kind: "sqlite", file: join(ground, "no-mails", "submissions.sqlite") });
    const ask = (...words: string[]) => runCommand(["mail", "list", ...words], { DATA_DIR: join(ground, "no-mails") });
    expect(await listMails(empty.desk, { limit: 1 })).toEqual([]);
    expect(await ask()).toMatchObject({ code: 0, stdout: "", stderr: "No mails.\n" });
    expect(await ask("--json")).toMatchObject({ code: 0, stdout: "[]\n", stderr: "" });
  });

  test("retry makes due all failed mails, all in doubt or one, and never a sent one", async () => {
    const { code, stdout, stderr } = await run("mail", "retry");
    expect([code, stdout, stderr]).toEqual([0, "", "1 mail is due now.\n"]);
    expect(await store.mailBacklog()).toMatchObject({ failed: 0, inDoubt: 1 });
    const refused = await run("mail", "retry", sent.id);
    expect([refused.code, refused.stderr]).toEqual([1, "No mail with this id waits or has failed.\n"]);
    expect(await listMails(store.desk, { status: "sent", limit: 9 })).toHaveLength(1);
    expect((await run("mail", "retry", "--status", "in-doubt")).stderr).toBe("1 mail is due now.\n");
    expect(await store.mailBacklog()).toMatchObject({ inDoubt: 0 });
    expect((await run("mail", "retry", failed.id)).stderr).toBe("1 mail is due now.\n");
    const { rows } = await store.desk.listAudit({});
    expect(rows.find(({ action }) => action === "mail.again")).toMatchObject({
      operator: "command line",
      detail: { mail: failed.kind, was: "queued" },
    });
  });
});

describe("show", () => {
  test("tells what a submission holds, with titles, mails and resume", async () => {
    const { code, stdout } = await run("show", late.toLowerCase());
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${late}\nstatus +new\nreceived +2026-11-21 00:00 UTC\nname +=1\\+1\n`));
    expect(stdout).toContain("Scottish English, conversations");
    expect(stdout).toMatch(/mail +\S+ \S+ UTC {2}inquiry-notice, sent\n/);
    const applied = await run("show", withResume);
    expect(applied.stdout).toMatch(/resume +cv\.pdf \(PDF, 1 kB\)\n/);
    // The letter's lines stay behind its label.
    expect(applied.stdout).toMatch(/coverLetter +Dear team,\n {2,}/);
  });

  test("tells what the person wrote first, and what was written since in the order of time", async () => {
    const data = join(ground, "shown");
    await using own = await openStore({ kind: "sqlite", file: join(data, "submissions.sqlite") });
    const more = { utm_source: "fair", budget: "10", message: "Dear team,\nstatus  done" };
    const reference = await acceptReference(own, application(1, { resume: null, more }));
    await own.desk.changeTags(wholeScope, { references: [reference], add: "hot" }, eva);
    await own.desk.addNote(wholeScope, reference, "Call back.", { ...eva, at: noon + 3 * minute });
    await own.replies.send(wholeScope, [{ reference, text: "Hello." }], false, eva);
    const { arrival: submission } = (await findSubmission(own, reference))!;
    const mail = {
      identity: "1",
      messageId: null,
      senderAddress: "ana@example.org",
      senderName: "Ana",
      subject: "Re:",
    };
    const quoting = { at: noon + 2 * minute, text: "Thanks.\n> Hello.", reply: "Thanks." };
    const of = { submission, sender: "person", fromKeys: [], teamKeys: [], files: [] } as const;
    await own.inbound.file({ ...mail, ...quoting, ...of });
    const { stdout } = await runCommand(["show", reference], { DATA_DIR: data });
    const labels = linesOf(stdout).map((line) => /^\S*/.exec(line)![0]);
    const isOurs = (label: string) => !["", "mail"].includes(label);
    expect(labels.slice(0, 7)).toEqual([reference, "status", "stage", "tag", "received", "message", ""]);
    expect(labels.filter(isOurs).slice(-5)).toEqual(["budget", "utm_source", "reply", "answer", "note"]);
    expect(stdout).toMatch(/^tag +hot\n/m);
    expect(stdout).toMatch(
      /^reply .* eva@example\.org: Hello\.\nanswer .* ana@example\.org \(person\): Thanks\.\nnote /m,
    );
  });

  test("is an object for programs, and a failure for an unknown reference", async () => {
    const shown = JSON.parse((await run("show", withResume, "--json")).stdout) as { fields: object };
    expect(shown).toMatchObject({ reference: withResume, fields: { fullName: "Ana Souza" } });
    expect(shown).toHaveProperty("receivedAt", expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/));
    const unknown = await run("show", "INQ-20201121-000000");
    expect([unknown.code, unknown.stderr]).toEqual([1, "There is no submission INQ-20201121-000000.\n"]);
  });
});

test("release makes spam a new submission, once", async () => {
  const released = await run("release", spam.toLowerCase());
  expect([released.code, released.stderr]).toEqual([0, `${spam} is released; 2 mails are due now.\n`]);
  expect(await findSubmission(store, spam)).toMatchObject({ status: "new" });
  expect((await store.desk.listAudit({ limit: 1 })).rows).toMatchObject([
    { operator: "command line", action: "status", subject: spam, detail: { from: "spam", to: "new" } },
  ]);
  const again = await run("release", spam);
  expect([again.code, again.stderr]).toEqual([1, `${spam} is not spam.\n`]);
  const unknown = await run("release", "INQ-20201121-000000");
  expect([unknown.code, unknown.stderr]).toEqual([1, "There is no submission INQ-20201121-000000.\n"]);
});

nightly("a user who may not read the database is told which file it is, and what to do", async () => {
  const data = await mkdtemp(join(ground, "others-"));
  const file = join(data, "submissions.sqlite");
  expect(await runCommand(["migrate"], { DATA_DIR: data })).toMatchObject({ code: 0 });
  for (const path of [ground, data]) await chmod(path, 0o755);
  // Root may read any file.
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) await chmod(file, 0);
  const reason = `The database file ${file}, or a file beside it that ends in -wal, -shm or .lock, may not be read and written. Run this as the user whom the files belong to. (ERR_SQLITE_ERROR:14)\n`;
  const environment = { DATA_DIR: data, PORT: "0" };
  const user = isRoot ? { uid: 65_534 } : {};
  const exported = await finish(start("submissions.ts", ["export", "inquiries"], environment, user));
  expect(exported).toMatchObject({ code: 1, stdout: "", stderr: reason });
  // The service opens its lock first.
  {
    await using _lock = await lockStore({ kind: "sqlite", file });
  }
  if (!isRoot) await chmod(`${file}.lock`, 0);
  const service = await finish(start("main.ts", [], environment, user));
  expect(service).toMatchObject({ code: 1, stdout: "", stderr: `The service could not start: ${reason}` });
});

test("a PostgreSQL that cannot be reached is named with its reason, once", async () => {
  // No port that was free a moment ago: another test may have taken it.
  const environment = { DATA_DIR: folder, DATABASE_URL: "postgres://u:p@127.0.0.1:9/x" };
  const reason = "The database cannot be reached (ECONNREFUSED).\n";
  expect(await runCommand(["migrate"], environment)).toMatchObject({ code: 1, stderr: reason });
});

test("retention shows what is outdated, and erases it only when it is told to", async () => {
  await using own = await openFolder();
  await using outdated = await openStore({ kind: "sqlite", file: join(own.path, "submissions.sqlite") });
  const dayMs = 24 * 60 * 60 * 1000;
  const old = { receivedAt: noon - 30 * dayMs };
  for (let number = 0; number < 3; number += 1) await accept(outdated, inquiry(number, old));
  await accept(outdated, inquiry(3, { receivedAt: outdated.clock.now() }));
  const retain = (...words: string[]) =>
    runCommand(["retention", ...words], { DATA_DIR: own.path, RETENTION_DAYS_INQUIRIES: "1" });
  const asked = await retain();
  expect(asked).toMatchObject({ code: 1, stdout: "" });
  expect(asked.stderr).toMatch(/^inquiry: 3 of 4, received before 20.+\n.+repeat it with --yes/);
  expect(await inquiries(outdated)).toHaveLength(4);
  const told = await retain("--yes");
  expect(told.code).toBe(0);
  expect(told.stderr).toContain("Erased: inquiry, 3.\n");
  expect(await inquiries(outdated)).toHaveLength(1);
  expect((await outdated.desk.listAudit({})).rows).toMatchObject([
    { operator: "command line", action: "retention", subject: "inquiries", detail: { submissions: 3 } },
  ]);
  expect(await retain("--yes")).toMatchObject({ code: 0, stderr: "Nothing is outdated.\n" });
});
