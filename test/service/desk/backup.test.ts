// Backups on real engines and vaults: taken while a service writes, restored whole, and nothing is sent until it is released.
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { writeBackup } from "../../../server/src/desk/backups.ts";
import { allRows, exportRecords, exportSubjects } from "../../../server/src/desk/export.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { openStore, type StoreLocation } from "../../../server/src/storage/open-store.ts";
import { asUnavailable } from "../../../server/src/storage/sqlite/errors.ts";
import { accept, giveBack, inquiry } from "../../contract/records.ts";
import { applicant, buyer, form, json, pdf, rest } from "../../support/doors.ts";
import { atNight, nightly, someOf } from "../../support/many-or-few.ts";
import type { PostgresDatabase } from "../../support/postgres-server.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { type Finished } from "../../support/program.ts";
import { s3Credentials, S3StandIn } from "../../support/s3-stand-in.ts";
import { createDatabase } from "../../support/service-database.ts";
import { startService } from "../../support/service.ts";
import { littleWork, proveWork } from "../../support/solve-challenge.ts";
import { readStored } from "../../support/stored.ts";
import { runCommand, spawnCommand } from "../../support/desk/run-command.ts";

const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = s3Credentials;
const credentials = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };

const keyed = (value: object) => json(value, { "idempotency-key": "k-1" });
const locate = (url: string) => ({ kind: "postgres", url, poolMax: 1 }) as const;
const sqlite = (folder: string) => ({ kind: "sqlite", file: join(folder, "submissions.sqlite") }) as const;

let postmark: PostmarkStandIn;
let ground: string;
/** The old data folder, which no test writes to. */
let home: string;
let firstReference: unknown;
let confirmToken: string;
let waiting: string;

/** A folder with one backup of the old data folder. */
let backups: string;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const newFolder = () => mkdtemp(join(ground, "data-"));

async function fill(folder: string): Promise<void> {
  await using service = await startService({
    env: { DATA_DIR: folder, DATABASE_URL: "", MAIL_DEADLINE_MS: "10000", ...littleWork, ...postmark.env },
  });
  const proven = async (value: object) => ({ ...value, altcha: await proveWork(service) });
  const ask = async (value: object) => rest.send(service, "marketplace.inquiry", keyed(await proven(value)));
  const apply = async (value: Record<string, string | File>) => {
    const fields = { ...applicant, ...value, altcha: await proveWork(service) };
    const answer = await rest.send(service, "applications.submit", form(fields));
    expect(answer.status).toBe(200);
  };
  firstReference = (await ask(buyer)).receipt?.["inquiryId"];
  const trapped = json(await proven({ ...buyer, website: "https://cheap-pills.example" }));
  expect((await rest.send(service, "marketplace.inquiry", trapped)).status).toBe(200);
  await apply({ coverLetter: 'Grüße, 你好 — "quoted", \\, \u{1F600}\nand a line' });
  await apply({ resumeFile: pdf("Ana’s résumé.pdf", 200_000) });
  await apply({ resumeFile: pdf("cv.pdf", 3_000) });
  postmark.refuse("gone@example.org", 406);
  await apply({ email: "gone@example.org" });
  const reader = json(await proven({ email: "reader@example.org" }));
  expect((await rest.send(service, "newsletter.subscribe", reader)).status).toBe(200);
  const welcome = () => postmark.taken.find(({ To }) => To.includes("reader@example.org"))?.TextBody ?? "";
  await vi.waitFor(() => expect(welcome()).not.toBe(""), { timeout: 20_000 });
  confirmToken = /\/newsletter\/confirm\?token=(\S+)/.exec(welcome())?.[1] ?? "";
  const notices = () => postmark.taken.filter(({ To }) => To.includes("jobs@"));
  await vi.waitFor(() => expect(notices()).toHaveLength(4), { timeout: 20_000 });
}

/** What no caller can bring about at will. */
async function addRareStates(folder: string): Promise<void> {
  await using store = await openStore(sqlite(folder));
  const now = Date.now();
  const received = { receivedAt: Date.UTC(2025, 0, 1) };
  const lease = { owner: "stopped", until: now };
  // One mail waits; another is leased to a process that died.
  const { mails } = await accept(store, inquiry(0, received), { lease });
  waiting = mails[1]?.id ?? "";
  await giveBack(store, mails, lease, now);
  // An address that no service calls.
  const webhook = { url: "https://192.0.2.1/", events: ["inquiry.received"], secret: "whsec_AAAA" } as const;
  await store.webhooks.add(webhook, { operator: "command line", at: now });
  await accept(store, inquiry(1, received), { lease: { owner: "died", until: now + 3_600_000 } });
  const [infected] = await store.claimUnscanned(now, 1, now);
  if (infected !== undefined) await store.recordScan(infected.key, "infected");
  const [first] = (await Array.fromAsync(store.readAll("inquiry", {}))).flat();
  const operator = { operator: "eva@example.org", at: now };
  await store.access.changeOperator(operator.operator, { role: "admin", invitationHash: "invitation" }, operator);
  const eva = await store.access.acceptInvitation("invitation", "phc", now);
  if (eva !== null) await store.access.createSession("session", eva, { device: "", network: "", isStrong: false }, now);
  await store.desk.addNote(wholeScope, first?.reference ?? "", "A note.", operator);
  await store.suppress({ email: "left@example.org", reason: "complained", at: now });
  await store.suppress({ email: "back@example.org", reason: null, at: now });
}

beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "backup-"));
  [postmark, home] = await Promise.all([PostmarkStandIn.open(), newFolder()]);
  await fill(home);
  await addRareStates(home);
  backups = join(ground, "backups");
  expect(await backup({ DATA_DIR: home }, backups)).toMatchObject({ code: 0, stdout: "" });
});
afterAll(async () => {
  await postmark[Symbol.asyncDispose]();
  await rm(ground, { recursive: true });
});

/** Everything that operators can take out, as NDJSON, but for the audit log, in which backups are. */
async function exportsOf(location: StoreLocation): Promise<string> {
  await using store = await openStore(location, { access: "read-only" });
  const options = { format: "ndjson", isDisposable: () => false } as const;
  const subjects = exportSubjects.filter((subject) => subject !== "audit");
  const all = subjects.map((subject) => exportRecords(allRows(store, subject, {}), { subject, ...options }));
  const records = await Promise.all(all.map((one) => Array.fromAsync(one)));
  return records.flatMap((of) => of.map(({ text }) => text)).join("");
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
}

const newest = async (folder = backups) => join(folder, (await readdir(folder)).toSorted().at(-1) ?? "");
type Environment = Readonly<Record<string, string>>;
const backup = (environment: Environment, ...words: string[]) => runCommand(["backup", ...words], environment);
const restore = (environment: Environment, ...words: string[]) => runCommand(["restore", ...words], environment);

/** Whether a command is refused, for which reason, and leaves a folder as it was. */
async function expectRefused(refused: Promise<Finished>, reason: string | RegExp): Promise<void> {
  const { code, stdout, stderr } = await refused;
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(reason)]);
}

test("a backup is a plain folder: one file for the database, one for each resume, for its owner alone", async () => {
  const path = await newest();
  const resumes = (await filesIn(join(home, "resumes"))).filter((file) => /[0-9a-f]{32}$/.test(file));
  expect(resumes).toHaveLength(2);
  const files = ["backup.json", "submissions.sqlite", ...resumes.map((file) => `resumes/${file}`)];
  expect(await filesIn(path)).toEqual(files.toSorted());
  expect(await readdir(backups)).toHaveLength(1);
});

describe("to PostgreSQL and back", () => {
  let database: PostgresDatabase;
  let moved: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase("empty");
    moved = { DATA_DIR: await newFolder(), DATABASE_URL: database.url };
  });

  test("everything arrives as it was, and everyone has to sign in again", async () => {
    const { code, stdout, stderr } = await restore(moved, backups);
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringContaining("the database and 2 resumes")]);
    expect(stderr).not.toContain(new URL(database.url).password);
    expect(await exportsOf(locate(database.url))).toBe(await exportsOf(sqlite(home)));
    const [session] = await database.query("SELECT count(*)::int AS left FROM session");
    expect(session).toEqual({ left: 0 });
    const [entry] = await database.query("SELECT * FROM audit ORDER BY id DESC LIMIT 1");
    expect(entry).toMatchObject({ operator: "command line", action: "restore" });
  });

  test("again, it is refused, and the store stays as it was", async () => {
    const before = await exportsOf(locate(database.url));
    await expectRefused(restore(moved, backups), "The store is not empty");
    expect(await exportsOf(locate(database.url))).toBe(before);
  });

  test("a service goes on there: keys and links are what they were, and what was queued waits for mail release", async () => {
    const sentBefore = postmark.taken.length;
    await using service = await startService({ env: { ...moved, ...postmark.env } });
    const again = await rest.send(service, "marketplace.inquiry", keyed(buyer));
    expect([again.receipt?.["inquiryId"], again.headers.get("idempotency-replayed")]).toEqual([firstReference, "true"]);
    const init = { method: "POST", body: new URLSearchParams({ token: confirmToken }) };
    const confirmed = await fetch(`${service.url}/newsletter/confirm`, init);
    expect(confirmed.status).toBe(200);
    const sent = () => postmark.taken.slice(sentBefore).map(({ Metadata }) => Metadata?.["mailId"]);
    // A mail that is due goes out. Those that were due long before it do not.
    await using store = await openStore(locate(database.url));
    // Long enough for no other to claim them before they are given back.
    const lease = { owner: "stopped", until: Date.now() + 60_000 };
    const { mails } = await accept(store, inquiry(5_000), { lease });
    await giveBack(store, mails, lease, Date.now());
    await expect.poll(sent).toContain(mails[1]?.id);
    expect(sent()).not.toContain(waiting);

    expect(await runCommand(["mail", "release", "1-nothing"], moved)).toMatchObject({ code: 1 });
    const searches = () => postmark.requests.filter(({ method }) => method === "GET").length;
    const searchesBefore = searches();
    // Four mails and a delivery.
    expect(await runCommand(["mail", "release"], moved)).toMatchObject({ code: 0, stderr: "Released: 5.\n" });
    // Each may have gone out since: the provider is asked first.
    await expect.poll(() => searches() - searchesBefore).toBeGreaterThan(0);
    expect(sent()).not.toContain(waiting);
    expect(await runCommand(["mail", "release"], moved)).toMatchObject({ stderr: "Released: 0.\n" });
    await service.stop();
  });

  test("back into a file, it is the same again", async () => {
    const [folder, other] = [await newFolder(), join(ground, "others")];
    expect(await backup(moved, other)).toMatchObject({ code: 0 });
    expect(await restore({ DATA_DIR: folder }, other)).toMatchObject({ code: 0 });
    expect(await exportsOf(sqlite(folder))).toBe(await exportsOf(locate(database.url)));
  });
});

// At night each engine with each vault.
test.each(
  ["PostgreSQL", "SQLite"]
    .flatMap((engine) => ["a bucket", "a folder"].map((vault) => [engine, vault]))
    .slice(0, atNight ? 4 : 1),
)(
  "%s with resumes in %s: a backup under load, restored, has all that was acknowledged before, and each resume",
  async (engine, vault) => {
    await using bucket = await S3StandIn.open();
    await using stack = new AsyncDisposableStack();
    const settings = async (prefix: string): Promise<Record<string, string>> => ({
      DATA_DIR: await newFolder(),
      DATABASE_URL: engine === "SQLite" ? "" : stack.use(await createDatabase("empty")).url,
      ...(vault === "a bucket" && { RESUME_STORE: `s3://resumes/${prefix}`, S3_ENDPOINT: bucket.url, ...credentials }),
    });
    // The SDK reads them from the environment of its process.
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const used = await settings("used");
    await using service = await startService({ env: used });
    const acknowledged = new Map<string, string>();
    const enough = new AbortController();
    const write = async (writer: number) => {
      for (let number = 0; !enough.signal.aborted; number += 1) {
        const resumeFile = pdf("cv.pdf", 1_000 + writer * 1_000 + number);
        const applied = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile }));
        acknowledged.set(String(applied.receipt?.["applicationId"]), sha256(await resumeFile.bytes()));
        const asked = await rest.send(service, "marketplace.inquiry", json(buyer));
        acknowledged.set(String(asked.receipt?.["inquiryId"]), "");
      }
    };
    const writers = [1, 2, 3].map(write);
    await vi.waitUntil(() => acknowledged.size >= 20, { timeout: 60_000 });
    const before = [...acknowledged.keys()];
    const place = await newFolder();
    const made = await backup(used, place);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("is whole")]);
    const during = acknowledged.size;
    enough.abort();
    await Promise.all(writers);
    expect(during).toBeGreaterThan(before.length);
    await service.stop();

    const fresh = await settings("fresh");
    const restored = await restore(fresh, place);
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("Restored from")]);
    const open = ({ DATA_DIR = "", DATABASE_URL = "" }: Record<string, string>) =>
      openStore(engine === "SQLite" ? sqlite(DATA_DIR) : locate(DATABASE_URL));
    await using store = await open(fresh);
    await using oldStore = await open(used);
    const [found, all] = [await readStored(store), await readStored(oldStore)];
    for (const kind of ["inquiries", "applications"] as const) {
      // One moment of the old store: its rows up to some arrival, but for what has been scanned or indexed since.
      const shown = (rows: readonly { readonly reference: string; readonly arrival: number }[]) =>
        rows.map(({ reference, arrival }) => `${reference} ${arrival}`);
      const restoredRows = new Set(shown(found[kind]));
      expect(shown(all[kind])).toEqual(expect.arrayContaining([...restoredRows]));
    }
    const references = new Set([...found.inquiries, ...found.applications].map(({ reference }) => reference));
    expect(before.filter((reference) => !references.has(reference))).toEqual([]);
    const { reference: one } = found.applications.at(-1) ?? { reference: "" };
    for (const { reference, resume } of found.applications) {
      expect(resume?.sha256).toBe(acknowledged.get(reference));
      const bytes = async () =>
        vault === "a folder"
          ? readFile(join(fresh["DATA_DIR"] ?? "", "resumes", resume?.key ?? ""))
          : (bucket.objects.get(`fresh/${resume?.key}`)?.bytes ?? Buffer.of());
      expect(sha256(await bytes())).toBe(resume?.sha256);
    }
    const downloaded = await runCommand(["resume", one, "--output", "-"], fresh);
    expect(sha256(downloaded.bytes)).toBe(acknowledged.get(one));
    const { queued, firstDueAt } = await store.mailBacklog();
    if (queued > 0) expect(firstDueAt).toBeGreaterThan(Date.UTC(9999));
  },
  180_000,
);

/** What kills a process at a step. */
const killing = (step: string) => ({
  NODE_OPTIONS: `--import ${new URL("../../support/crash/preload/stand-ins.ts", import.meta.url).href}`,
  FAILPOINT: step,
});

// At night at every step.
test.each(atNight ? ["rows-copied", "resume-kept", "backup-written"] : ["backup-written"])(
  "a backup that is killed at %s leaves nothing that restore takes, and is cleared up later",
  async (step) => {
    const [place, target] = [await newFolder(), { DATA_DIR: await newFolder() }];
    expect((await spawnCommand(["backup", place], { DATA_DIR: home, ...killing(step) })).code).toBeNull();
    const [left = ""] = await readdir(place);
    expect(left).toMatch(/\.partial$/);
    for (const at of [place, join(place, left)]) await expectRefused(restore(target, at), "There is no backup in");
    expect(await readdir(target.DATA_DIR)).toEqual([]);
    const old = left.replace(/^\d{4}/, "2020");
    await rename(join(place, left), join(place, old));
    expect(await backup({ DATA_DIR: home }, place)).toMatchObject({ code: 0 });
    expect(await readdir(place)).toEqual([expect.not.stringMatching("partial")]);
  },
);

test("a restore that is killed leaves an empty store, which takes the next one", async () => {
  await using database = await createDatabase("empty");
  for (const step of ["rows-copied", "resume-kept"]) {
    // At night each on both engines.
    const urls = ["", database.url].filter((url) => atNight || (url === "") === (step === "rows-copied"));
    for (const url of urls) {
      const target = { DATA_DIR: await newFolder(), DATABASE_URL: url };
      expect((await spawnCommand(["restore", backups], { ...target, ...killing(step) })).code).toBeNull();
      await using store = await openStore(url === "" ? sqlite(target.DATA_DIR) : locate(url));
      expect(await readStored(store)).toEqual({ inquiries: [], applications: [], subscribers: [] });
      await store[Symbol.asyncDispose]();
      if (step === "resume-kept") expect(await restore(target, backups)).toMatchObject({ code: 0 });
    }
  }
});

test("--keep forgets the oldest, and touches nothing else in the folder", async () => {
  const place = await newFolder();
  await writeFile(join(place, "notes.txt"), "of the operator");
  for (let count = 0; count < 3; count += 1) {
    expect(await backup({ DATA_DIR: home }, place, "--keep", "2")).toMatchObject({ code: 0 });
  }
  const latest = await readdir(place).then((names) => names.filter((name) => name.endsWith("Z")).toSorted());
  expect(latest).toHaveLength(2);
  expect(await readdir(place)).toEqual(expect.arrayContaining(["notes.txt"]));
  const restored = await restore({ DATA_DIR: await newFolder() }, place);
  expect(restored.stderr).toContain(latest[1]);
});

describe("a clock that was wrong", () => {
  const dayMs = 24 * 60 * 60 * 1000;
  const nameOf = (at: number) => new Date(at).toISOString().replaceAll(":", "-");
  /** A copy of the whole backup, as if it had been made some days ago; less than 0: with the clock ahead. */
  async function addOf(place: string, daysAgo: number): Promise<string> {
    const name = nameOf(Date.now() - daysAgo * dayMs);
    await cp(await newest(), join(place, name), { recursive: true });
    return name;
  }
  const namesIn = async (place: string) => (await readdir(place)).toSorted();

  test("ahead: the backup just made stays, and one of a time that has not come is named and does not count", async () => {
    const place = await newFolder();
    const [ahead] = [await addOf(place, -400), await addOf(place, 1)];
    for (const night of [1, 2]) {
      const made = await backup({ DATA_DIR: home }, place, "--keep", "1");
      const [, name = ""] = /^The backup .*\/(\S+) is whole\.$/m.exec(made.stderr) ?? [];
      expect([night, made.code, await namesIn(place)]).toEqual([night, 0, [name, ahead]]);
      expect(made.stderr).toContain(`${join(place, ahead)} is of a time that has not come`);
    }
    const target = { DATA_DIR: await newFolder() };
    await expectRefused(restore(target, place), `${join(place, ahead)}, is of a time that has not come. Name the one`);
    expect(await readdir(target.DATA_DIR)).toEqual([]);
    const [right = ""] = await namesIn(place);
    expect(await restore(target, join(place, right))).toMatchObject({ code: 0 });
    const named = await restore({ DATA_DIR: await newFolder() }, join(place, ahead));
    expect([named.code, named.stderr]).toEqual([0, expect.stringContaining(", of a time that has not come.")]);
  });

  nightly("behind: the backup just made stays, and the others, which are then of times to come", async () => {
    const place = await newFolder();
    const others = [await addOf(place, 2), await addOf(place, 1)];
    vi.setSystemTime(Date.now() - 400 * dayMs);
    onTestFinished(() => void vi.useRealTimers());
    const made = await backup({ DATA_DIR: home }, place, "--keep", "1");
    expect(made.code).toBe(0);
    const [, name = ""] = /^The backup .*\/(\S+) is whole\.$/m.exec(made.stderr) ?? [];
    expect(await namesIn(place)).toEqual([name, ...others]);
    for (const other of others) expect(made.stderr).toContain(`${join(place, other)} is of a time that has not come`);
  });
});

test("restore says what it takes, how old it is, and how many rows it has", async () => {
  const place = await newFolder();
  const old = join(place, new Date(Date.now() - 3 * 86_400_000).toISOString().replaceAll(":", "-"));
  await cp(await newest(), old, { recursive: true });
  const target = { DATA_DIR: await newFolder() };
  const { code, stderr } = await restore(target, place);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Restoring from ${old}, 3 days old.`)]);
  await using store = await openStore(sqlite(home), { access: "read-only" });
  const { inquiries, applications, subscribers } = await readStored(store);
  const submissions = inquiries.length + applications.length;
  const [, all] = /^Rows: (\d+) \(store 1, .*\)\.$/m.exec(stderr) ?? [];
  for (const of of [`submission ${submissions}`, `subscriber ${subscribers.length}`])
    expect(stderr).toContain(`, ${of},`);
  expect(Number(all)).toBeGreaterThan(submissions + subscribers.length);
});

const waysToSpoil = [
  ["cut short", (file: string) => truncate(file, 20)],
  ["missing", (file: string) => rm(file)],
  ["of another program", (file: string) => writeFile(file, '{"name":"something"}')],
  ["not to be read", (file: string) => rm(file).then(() => mkdir(file))],
] as const;
test.each(someOf(waysToSpoil))(
  "a backup whose backup.json is %s is named and passed over, and --keep goes on",
  async (_how, spoil) => {
    const place = await newFolder();
    const spoilt = await backup({ DATA_DIR: home }, place).then(() => newest(place));
    await spoil(join(spoilt, "backup.json"));
    const words = "its backup.json is missing or cannot be read.";
    await expectRefused(
      restore({ DATA_DIR: await newFolder() }, place),
      "There is no backup whose backup.json can be read in",
    );
    const whole = join(place, new Date(Date.now() - 86_400_000).toISOString().replaceAll(":", "-"));
    await cp(await newest(), whole, { recursive: true });
    const restored = await restore({ DATA_DIR: await newFolder() }, place);
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining(`Restored from ${whole} `)]);
    expect(restored.stderr).toContain(`${spoilt} was passed over: ${words}`);

    const nights = [];
    for (let night = 0; night < 3; night += 1) nights.push(await backup({ DATA_DIR: home }, place, "--keep", "1"));
    expect(nights.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(nights[0]?.stderr).toContain(`${spoilt} counts as one that lacks something: ${words}`);
    expect(await readdir(place)).toHaveLength(1);
  },
);

describe("restore is refused, and leaves everything as it was,", () => {
  test("where a service runs on the store", async () => {
    const folder = await newFolder();
    await using service = await startService({ env: { DATA_DIR: folder, DATABASE_URL: "" } });
    await expectRefused(restore({ DATA_DIR: folder }, backups), "Another service is running on this database");
    await using database = await createDatabase("empty");
    const settings = { DATA_DIR: await newFolder(), DATABASE_URL: database.url };
    await using other = await startService({ env: settings });
    await expectRefused(restore(settings, backups), "A service or a command is connected to this database");
    for (const one of [service, other]) {
      expect((await rest.send(one, "marketplace.inquiry", json(buyer))).status).toBe(200);
      expect((await one.stored()).inquiries).toHaveLength(1);
    }
  });

  test("where there is no backup, or one whose database was changed", async () => {
    const target = { DATA_DIR: await newFolder() };
    await expectRefused(restore(target, join(ground, "nowhere")), "There is no backup in");
    const damaged = join(ground, "damaged");
    await cp(await newest(), damaged, { recursive: true });
    const file = join(damaged, "submissions.sqlite");
    const bytes = await readFile(file);
    bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1;
    await writeFile(file, bytes);
    await expectRefused(restore(target, damaged), "is not the one that was written");
    expect(await readdir(target.DATA_DIR)).toEqual([]);
  });
});

nightly("a backup is restored from where nothing can be written", async () => {
  const path = join(ground, "read-only");
  await cp(await newest(), path, { recursive: true });
  const folders = [path, ...(await readdir(path, { recursive: true })).map((name) => join(path, name))];
  for (const one of folders.toReversed()) await chmod(one, 0o500);
  const before = await filesIn(path);
  expect(await runCommand(["restore", path], { DATA_DIR: await newFolder() })).toMatchObject({ code: 0 });
  expect(await filesIn(path)).toEqual(before);
  for (const one of folders) await chmod(one, 0o700);
});

test("resumes that are lost, damaged or in the way are named, and all else is backed up and restored", async () => {
  const folder = await newFolder();
  await cp(home, folder, { recursive: true });
  const kept = (await filesIn(join(folder, "resumes"))).filter((file) => /[0-9a-f]{32}$/.test(file));
  const [damaged = "", lost = ""] = kept;
  await writeFile(join(folder, "resumes", damaged), "other bytes");
  await rm(join(folder, "resumes", lost));
  const place = join(ground, "of-a-damaged-store");
  await backup({ DATA_DIR: home }, place);
  const [whole] = await readdir(place);
  await backup({ DATA_DIR: folder }, place, "--keep", "1");
  const made = await backup({ DATA_DIR: folder }, place, "--keep", "1");
  expect((await readdir(place)).toSorted()).toEqual([whole, expect.any(String)]);
  expect(made.code).toBe(1);
  expect(made.stderr).toMatch(/^The backup .* lacks resumes\.$/m);
  expect(made.stderr).toMatch(/APP-\d+-\d+: its resume is not the one that was uploaded/);
  expect(made.stderr).toMatch(/APP-\d+-\d+: its resume is not where resumes are kept/);
  expect(made.stderr).toContain("Not copied: 2 resumes.");
  const target = { DATA_DIR: await newFolder() };
  const restored = await runCommand(["restore", place], target);
  expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining("the database and 0 resumes")]);
  expect(await exportsOf(sqlite(target.DATA_DIR))).toBe(await exportsOf(sqlite(folder)));

  const other = { DATA_DIR: await newFolder() };
  await cp(join(home, "resumes"), join(other.DATA_DIR, "resumes"), { recursive: true });
  await writeFile(join(other.DATA_DIR, "resumes", damaged), "a stranger's");
  const inTheWay = await runCommand(["restore", backups], other);
  expect(inTheWay.code).toBe(1);
  expect(inTheWay.stderr).toMatch(/the database and 1 resume\.\n[^]*APP-\d+-\d+: another file has the name/);
  expect(await readFile(join(other.DATA_DIR, "resumes", damaged), "utf8")).toBe("a stranger's");
});

test.each([13, 4_874])("a backup that fills its disk says so of the folder of backups: %d", async (errcode) => {
  const full = asUnavailable(Object.assign(new Error("full"), { code: "ERR_SQLITE_ERROR", errcode }));
  const made = writeBackup(backups, Date.now(), () => Promise.reject(full!));
  await expect(made).rejects.toThrow(`There is no space left in ${backups}.`);
});

// Node's own way to make folders never ends in /proc.
test.each(["/proc/nope/backups", "/dev/null/backups"])(
  "a backup to %s, which no folder can be, ends",
  async (place) => {
    const refused = await backup({ DATA_DIR: home }, place);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(place.slice(0, 9)) });
  },
);

test("a file in place of the folder of backups is named, and left alone", async () => {
  const file = join(ground, "no-folder");
  await writeFile(file, "mine");
  const refused = { code: 1, stdout: "", stderr: `${file} is no folder. Name another one.\n` };
  expect(await backup({ DATA_DIR: home }, file)).toMatchObject(refused);
  expect(await runCommand(["restore", file], { DATA_DIR: await newFolder() })).toMatchObject(refused);
  expect(await readFile(file, "utf8")).toBe("mine");
});

test("persons who were erased since are named from the audit log of the store that was used last", async () => {
  const old = { DATA_DIR: await newFolder() };
  await cp(home, old.DATA_DIR, { recursive: true });
  for (const email of ["reader@example.org", applicant.email]) {
    expect(await runCommand(["erase", email, "--yes"], old)).toMatchObject({ code: 0 });
  }
  const { stdout } = await runCommand(["export", "audit", "--format", "ndjson"], old);
  expect(stdout).not.toMatch(/reader@|ana@/);
  const log = join(ground, "audit.ndjson");
  await writeFile(log, stdout);
  const target = { DATA_DIR: await newFolder() };
  const csv = join(ground, "audit.csv");
  await writeFile(csv, (await runCommand(["export", "audit"], old)).stdout);
  await expectRefused(runCommand(["restore", backups, "--audit", csv], target), "is no audit log as NDJSON");
  const cut = join(ground, "cut.ndjson");
  await writeFile(cut, stdout.slice(0, -10));
  await expectRefused(
    runCommand(["restore", backups, "--audit", cut], target),
    /^Line \d+ of .*cut\.ndjson is no JSON\.$/m,
  );
  const { code, stdout: named } = await runCommand(["restore", backups, "--audit", log], target);
  expect([code, ...named.trim().split("\n").toSorted()]).toEqual([0, applicant.email, "reader@example.org"]);
});
