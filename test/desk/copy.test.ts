// Moving to another store, on real engines: everything that a service has stored goes along, and a service goes on there.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { exportRecords, exportSubjects } from "../../server/src/desk/export.ts";
import { movedTables } from "../../server/src/storage/move.ts";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { accept, giveBack, inquiry } from "../contract/records.ts";
import { applicant, buyer, form, json, pdf, rest } from "../support/doors.ts";
import { PostgresDatabases, type PostgresDatabase } from "../support/postgres-server.ts";
import { PostmarkStandIn } from "../support/postmark-stand-in.ts";
import { type Finished } from "../support/program.ts";
import { s3Credentials, S3StandIn } from "../support/s3-stand-in.ts";
import { startService } from "../support/service.ts";
import { littleWork, proveWork } from "../support/solve-challenge.ts";
import { runCommand, spawnCommand } from "./run-command.ts";

/** More than are read at once. */
const manyInquiries = 1_100;

const keyed = (value: object) => json(value, { "idempotency-key": "k-1" });
const locate = (url: string) => ({ kind: "postgres", url, replicaUrl: null, poolMax: 1 }) as const;
const sqlite = (folder: string) => ({ kind: "sqlite", file: join(folder, "submissions.sqlite") }) as const;
const tableNames = movedTables.map(({ name }) => name);

const postgres = new PostgresDatabases(inject("postgresUrl"));
let postmark: PostmarkStandIn;
/** The folder of all these tests. */
let ground: string;
/** The old data folder, which no test writes to. */
let home: string;
let firstReference: unknown;
let confirmToken: string;
/** A mail that waits. */
let waiting: string;

const copy = (environment: Readonly<Record<string, string>>, ...words: string[]): Promise<Finished> =>
  runCommand(["copy", ...words], environment);
const newFolder = () => mkdtemp(join(ground, "data-"));

/** A service with some of everything: all kinds, states, mails and tokens. */
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
  const subscribed = await rest.send(
    service,
    "newsletter.subscribe",
    json(await proven({ email: "reader@example.org" })),
  );
  expect(subscribed.status).toBe(200);
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
  const many = Array.from({ length: manyInquiries - 2 }, (_, number) => number + 2);
  await Promise.all(
    many.map((number) => accept(store, inquiry(number, { ...received, company: `Nº ${number}` }), { spam: true })),
  );
  const [infected] = await store.claimUnscanned(now, 1, now);
  if (infected !== undefined) await store.recordScan(infected.key, "infected");
  const [first] = (await Array.fromAsync(store.readSubmissions("inquiry", {}))).flat();
  const operator = { operator: "eva@example.org", at: now };
  await store.access.invite({ email: operator.operator, role: "admin", invitationHash: "invitation" }, operator);
  const eva = await store.access.acceptInvitation("invitation", "phc", now);
  if (eva !== null) await store.access.createSession("session", eva, { device: "", network: "", isStrong: false }, now);
  await store.access.changeOperator(
    operator.operator,
    { secondFactor: { secret: "ABC", recoveryHashes: ["recovery"] } },
    operator,
  );
  await store.access.createToken({ hash: "token", name: "Sheet", role: "sales", expiresAt: null }, operator);
  await store.desk.addNote(wholeScope, first?.reference ?? "", "A note.", operator);
  await store.suppress({ email: "left@example.org", reason: "complained", at: now });
  await store.suppress({ email: "back@example.org", reason: null, at: now });
}

beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "copy-"));
  [postmark, home] = await Promise.all([PostmarkStandIn.open(), newFolder()]);
  await fill(home);
  await addRareStates(home);
}, 120_000);
afterAll(async () => {
  await postmark[Symbol.asyncDispose]();
  await rm(ground, { recursive: true });
});

/** Everything that operators can take out, as NDJSON. */
async function exportsOf(location: StoreLocation): Promise<string> {
  await using store = await openStore(location, { access: "read-only" });
  const options = { format: "ndjson", from: {}, isDisposable: () => false } as const;
  const all = exportSubjects.map((subject) => Array.fromAsync(exportRecords(store, { subject, ...options })));
  return (await Promise.all(all))
    .flat()
    .map(({ text }) => text)
    .join("");
}

/** Every table with the number of its rows and their digest. */
const reportOf = ({ stdout }: Finished): string[][] =>
  stdout
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/ +/));

function expectCopied(finished: Finished): void {
  expect([finished.code, finished.stderr]).toEqual([0, expect.stringContaining("the same on both sides")]);
  const report = reportOf(finished);
  expect(report.map(([table]) => table)).toEqual(tableNames);
  for (const [table, rows, sha256] of report) {
    // Otherwise these tests say nothing of the table. Housekeeping and interrupted erasures fill the other two.
    if (table !== "day_count" && table !== "erased_resume")
      expect([table, Number(rows)]).toEqual([table, expect.toSatisfy((count: number) => count > 0)]);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
}

/** That a copy is refused before anything is written, and for which reason. */
async function expectRefused(refused: Promise<Finished>, reason: string): Promise<void> {
  const { code, stdout, stderr } = await refused;
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(reason)]);
  expect(stderr).not.toContain("Next:");
}

const rowsIn = async (database: PostgresDatabase): Promise<number> => {
  const counts = tableNames.filter((name) => name !== "store").map((name) => `(SELECT count(*) FROM ${name})`);
  const [row] = await database.query(`SELECT (${counts.join(" + ")})::int AS rows`);
  return Number(row?.["rows"]);
};

describe("to PostgreSQL and back", () => {
  let database: PostgresDatabase;
  let moved: Record<string, string>;

  beforeAll(async () => {
    database = await postgres.create("empty");
    moved = { DATA_DIR: home, DATABASE_URL: database.url };
  });

  test("everything arrives as it was, and no password is shown", async () => {
    const { password } = new URL(database.url);
    const to = database.url.replace(/:[^:@]+@/, "@");
    const finished = await spawnCommand(["copy", "--to", to], { DATA_DIR: home, PGPASSWORD: password });
    expectCopied(finished);
    expect(finished.stderr).toContain(`Resumes stay in ${join(home, "resumes")}`);
    expect(finished.stderr).toContain("Set DATABASE_URL");
    expect(finished.stdout + finished.stderr).not.toContain(password);
    expect(await exportsOf(locate(database.url))).toBe(await exportsOf(sqlite(home)));
    const states = await database.query("SELECT DISTINCT status, lease_owner FROM mail WHERE status <> 'sent'");
    expect(states).toContainEqual({ status: "queued", lease_owner: "died" });
    expect(states).toContainEqual({ status: "failed", lease_owner: null });
  });

  test("again, or into itself, it is refused", async () => {
    await expectRefused(copy({ DATA_DIR: home }, "--to", database.url), "The target is not empty");
    const itself = await copy(moved, "--to", database.url.replace(/:[^:@]+@/, "@"));
    expect([itself.code, itself.stderr]).toEqual([
      2,
      expect.stringContaining("--to is the store that is to be copied"),
    ]);
  });

  test("a service goes on there: keys, links and mails are what they were", async () => {
    const sentBefore = postmark.taken.length;
    await using service = await startService({ env: { ...moved, ...postmark.env } });
    const again = await rest.send(service, "marketplace.inquiry", keyed(buyer));
    expect([again.receipt?.["inquiryId"], again.headers.get("idempotency-replayed")]).toEqual([firstReference, "true"]);
    const confirmed = await fetch(new URL("/newsletter/confirm", service.url), {
      method: "POST",
      body: new URLSearchParams({ token: confirmToken }),
    });
    expect(confirmed.status).toBe(200);
    expect((await service.stored()).subscribers).toMatchObject([{ email: "reader@example.org", status: "active" }]);
    const sent = () => postmark.taken.slice(sentBefore).map(({ Metadata }) => Metadata?.["mailId"]);
    await expect.poll(sent, { timeout: 20_000 }).toContain(waiting);
    await expectRefused(copy(moved, "--to", `sqlite:${join(await newFolder(), "x.sqlite")}`), "service");
    await service.stop();
  });

  test("back into a new file, it is the same again", async () => {
    const folder = await newFolder();
    const finished = await copy(moved, "--to", `sqlite:${sqlite(folder).file}`);
    expectCopied(finished);
    expect(await exportsOf(sqlite(folder))).toBe(await exportsOf(locate(database.url)));
  });
});

test("killed on the way, it leaves an empty target, which takes the next copy", async () => {
  const preload = new URL("../crash/preload/stand-ins.ts", import.meta.url).href;
  const dying = { DATA_DIR: home, NODE_OPTIONS: `--import ${preload}`, FAILPOINT: "rows-copied" };
  await using database = await postgres.create("empty");
  expect(await spawnCommand(["copy", "--to", database.url], dying)).toMatchObject({ code: null, stdout: "" });
  expect(await rowsIn(database)).toBe(0);
  expectCopied(await copy({ DATA_DIR: home }, "--to", database.url));
  const folder = await newFolder();
  const words = ["copy", "--to", `sqlite:${sqlite(folder).file}`];
  expect((await spawnCommand(words, dying)).code).toBeNull();
  expectCopied(await runCommand(words, { DATA_DIR: home }));
});

describe("is refused", () => {
  test("where there are rows already", async () => {
    await using database = await postgres.create("empty");
    await runCommand(["migrate"], { DATABASE_URL: database.url });
    await database.query("INSERT INTO spent_challenge VALUES ('foreign', 1)");
    await expectRefused(copy({ DATA_DIR: home }, "--to", database.url), "its table spent_challenge has rows");
    expect(await rowsIn(database)).toBe(1);
  });

  test("where the target changes what it is given", async () => {
    await using database = await postgres.create("empty");
    await runCommand(["migrate"], { DATABASE_URL: database.url });
    await database.query(`
      CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.changed_at := 1; RETURN NEW; END';
      CREATE TRIGGER change BEFORE INSERT ON suppression FOR EACH ROW EXECUTE FUNCTION change()`);
    await expectRefused(copy({ DATA_DIR: home }, "--to", database.url), "The rows of suppression");
    expect(await rowsIn(database)).toBe(0);
  });

  test("while a service runs on the file, which is left alone", async () => {
    const folder = await newFolder();
    await using _service = await startService({ env: { DATA_DIR: folder, DATABASE_URL: "" } });
    const target = `sqlite:${join(await newFolder(), "x.sqlite")}`;
    const reason = "Another service is running on this database";
    await expectRefused(copy({ DATA_DIR: folder }, "--to", target), reason);
    await expectRefused(copy({ DATA_DIR: folder }, "--resumes-to", join(folder, "elsewhere")), reason);
    await expectRefused(copy({ DATA_DIR: home }, "--to", `sqlite:${sqlite(folder).file}`), reason);
  });

  test("without a store to copy, and makes none", async () => {
    const folder = await newFolder();
    const missing = { DATA_DIR: join(folder, "wrong") };
    await expectRefused(copy(missing, "--to", `sqlite:${join(folder, "x.sqlite")}`), "There is no database file");
    expect((await copy(missing, "--resumes-to", join(folder, "resumes"))).code).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("resumes", () => {
  const filesIn = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const kept = paths.filter((path) => /\/[0-9a-f]{32}$/.test(path));
    const files = await Promise.all(
      kept.map(async (path) => {
        const sha256 = createHash("sha256").update(await readFile(path));
        return [path.slice(folder.length + 1), sha256.digest("hex")] as const;
      }),
    );
    return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  };

  test("go along into a bucket and back to a folder under their names, byte for byte", async () => {
    await using store = await S3StandIn.open();
    const bucket = {
      S3_ENDPOINT: store.endpoint,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    };
    const folder = await newFolder();
    const toBucket = ["--resumes-to", "s3://resumes/kept"];
    const words = ["copy", "--to", `sqlite:${sqlite(folder).file}`, ...toBucket];
    const there = await spawnCommand(words, { DATA_DIR: home, ...bucket });
    expectCopied(there);
    expect(there.stderr).toContain("resumes: 2 copied\n");
    expect(there.stderr).toContain("Set RESUME_STORE to s3://resumes/kept.");
    const kept = await filesIn(join(home, "resumes"));
    expect(Object.keys(kept)).toHaveLength(2);
    expect([...store.objects.keys()]).toEqual(expect.arrayContaining(Object.keys(kept).map((key) => `kept/${key}`)));
    const again = await spawnCommand(["copy", ...toBucket], { DATA_DIR: home, ...bucket });
    expect(again.stderr).toContain("resumes: 0 copied, 2 were there already");
    const moved = { DATA_DIR: folder, RESUME_STORE: "s3://resumes/kept", ...bucket };
    const back = await spawnCommand(["copy", "--resumes-to", join(folder, "back")], moved);
    expect([back.code, back.stdout]).toEqual([0, ""]);
    expect(await filesIn(join(folder, "back"))).toEqual(kept);
  });

  test("are those that the database knows, although its replica lacks them", async () => {
    await using database = await postgres.create("empty");
    await using replica = await postgres.create();
    expectCopied(await copy({ DATA_DIR: home }, "--to", database.url));
    const moved = { DATA_DIR: home, DATABASE_URL: database.url, DATABASE_REPLICA_URL: replica.url };
    const copied = await copy(moved, "--resumes-to", join(await newFolder(), "new"));
    expect(copied.stderr).toContain("resumes: 2 copied\n");
  });

  test("that are damaged, missing or in the way are named, and nothing is put in their place", async () => {
    const folder = await newFolder();
    await cp(home, folder, { recursive: true });
    const [damaged = "", other = ""] = Object.keys(await filesIn(join(home, "resumes")));
    await writeFile(join(folder, "resumes", damaged), "other bytes");
    const target = join(folder, "new");
    const first = await copy({ DATA_DIR: folder }, "--resumes-to", target);
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/APP-\d+-\d+: its resume is not the one that was uploaded/);
    expect(first.stderr).toContain("1 resume was not copied");
    expect(Object.keys(await filesIn(target))).toEqual([other]);

    await writeFile(join(target, other), "a stranger's");
    await rm(join(folder, "resumes", damaged));
    const second = await copy({ DATA_DIR: folder }, "--resumes-to", target);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/APP-\d+-\d+: its resume is not where resumes are kept/);
    expect(second.stderr).toMatch(/APP-\d+-\d+: another file has the name of its resume there/);
    expect(second.stderr).toContain("2 resumes were not copied");
    expect(await readFile(join(target, other), "utf8")).toBe("a stranger's");
  });
});
