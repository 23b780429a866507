// Moving house: everything that a service has stored goes to another store, on real engines, and a service goes on there
// as if nothing had been.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportLines, exportSubjects } from "../../server/src/desk/export.ts";
import { archivedTables, KeyTaken, storesOwnTables } from "../../server/src/storage/row-archive.ts";
import { openArchive, openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { applicant, buyer, form, json, pdf, rest } from "../support/doors.ts";
import { until } from "../crash/crash-site.ts";
import { addressees } from "../outbox/mail-service.ts";
import { PostmarkStandIn } from "../support/postmark-stand-in.ts";
import { startPostgres, type PostgresDatabase, type PostgresServer } from "../support/postgres-server.ts";
import { s3Credentials, S3StandIn } from "../support/s3-stand-in.ts";
import { startService } from "../support/service.ts";
import { littleWork, proveWork } from "../support/solve-challenge.ts";
import { runCommand, type Finished } from "./run-command.ts";
import { inquiry, lease, mail } from "./stored-submissions.ts";

/** More than go over at once. */
const manyInquiries = 1_100;

const keyed = (value: object) => ({
  ...json(value),
  headers: { "content-type": "application/json", "idempotency-key": "k-1" },
});
const locate = (url: string) => ({ kind: "postgres", url, replicaUrl: null, poolMax: 1 }) as const;
const sqlite = (folder: string) => ({ kind: "sqlite", file: join(folder, "submissions.sqlite") }) as const;

let postgres: PostgresServer;
let postmark: PostmarkStandIn;
/** The old house: its data folder, never written to by a test. */
let home: string;
/** All folders of these tests. */
let ground: string;
let firstReference: unknown;
let confirmPath: string;
const waiting = mail("INQ-20250101-000001");

const mailSettings = () => ({
  ...addressees,
  MAIL_TRANSPORT: "postmark",
  POSTMARK_SERVER_TOKEN: postmark.token,
  POSTMARK_API_URL: postmark.url,
});
const copy = (environment: Readonly<Record<string, string>>, ...words: string[]): Promise<Finished> =>
  runCommand(["copy", ...words], environment);
const newFolder = () => mkdtemp(join(ground, "house-"));

/** A service with some of everything: all kinds, states, mails and tokens. */
async function liveIn(folder: string): Promise<void> {
  await using service = await startService({
    env: { DATA_DIR: folder, DATABASE_URL: "", MAIL_DEADLINE_MS: "10000", ...littleWork, ...mailSettings() },
  });
  const proven = async (value: object) => ({ ...value, altcha: await proveWork(service) });
  const ask = async (value: object) => rest.send(service, "marketplace.inquiry", keyed(await proven(value)));
  const apply = async (value: Record<string, string | File>) => {
    const fields = { ...applicant, ...value, altcha: await proveWork(service) };
    const answer = await rest.send(service, "applications.submit", form(fields));
    expect(answer.status).toBe(200);
  };
  const subscribe = async (email: string) => {
    const answer = await rest.send(service, "newsletter.subscribe", json(await proven({ email })));
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
  await subscribe("reader@example.org");
  const welcome = () => postmark.taken.find(({ To }) => To.includes("reader@example.org"))?.TextBody;
  await until(() => welcome() !== undefined);
  const [link = ""] = /http\S+\/newsletter\/confirm\?token=\S+/.exec(welcome() ?? "") ?? [];
  confirmPath = link.slice(new URL(link).origin.length);
  await until(() => postmark.taken.filter(({ To }) => To.includes("jobs@")).length === 4);
}

/** What no caller can bring about at will. */
async function addRareStates(folder: string): Promise<void> {
  await using store = await openStore(sqlite(folder));
  const many = Array.from({ length: manyInquiries }, (_, number) =>
    inquiry(number, { reference: `INQ-20250101-${String(number).padStart(6, "0")}`, company: `Nº ${number}` }),
  );
  await Promise.all(many.slice(2).map((one) => store.acceptInquiry(one, [], lease)));
  // One waits and is nobody's; another is in the hands of a process that died.
  await store.acceptInquiry(many[1]!, [waiting], { owner: "stopped", until: Date.now() });
  await store.releaseMails("stopped", Date.now());
  await store.acceptInquiry(many[0]!, [mail("INQ-20250101-000000")], { owner: "died", until: Date.now() + 3_600_000 });
  const [infected] = await store.unscannedResumes(1);
  await store.recordScan(infected!.key, "infected");
  await store.suppress({ email: "left@example.org", reason: "complained", at: Date.now() });
  await store.suppress({ email: "back@example.org", reason: null, at: Date.now() });
}

beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "copy-"));
  [postgres, postmark, home] = await Promise.all([startPostgres(), PostmarkStandIn.open(), newFolder()]);
  await liveIn(home);
  await addRareStates(home);
}, 120_000);
afterAll(async () => {
  await postmark[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  await rm(ground, { recursive: true });
});

/** Everything that operators can take out, as NDJSON. */
async function exportsOf(location: StoreLocation): Promise<string> {
  await using store = await openStore(location, { access: "read-only" });
  const all = exportSubjects.map((subject) => Array.fromAsync(exportLines(store, subject, "ndjson", 0)));
  return (await Promise.all(all)).flat().join("");
}

/** The rows of the report, by table. */
function reportOf({ stdout }: Finished): Map<string, { source: [string, string]; target: [string, string] }> {
  const report = new Map<string, { source: [string, string]; target: [string, string] }>();
  for (const line of stdout.trim().split("\n").slice(1)) {
    const [table = "", side = "", rows = "", sha256 = ""] = line.split(/ +/);
    const found = report.get(table) ?? { source: ["", ""], target: ["", ""] };
    report.set(table, { ...found, [side]: [rows, sha256] });
  }
  return report;
}

function expectEqualSides(finished: Finished): void {
  expect([finished.code, finished.stderr]).toEqual([0, expect.stringContaining("the same on both sides")]);
  const report = reportOf(finished);
  expect([...report.keys()]).toEqual(archivedTables);
  for (const [table, { source, target }] of report) {
    expect([table, target]).toEqual([table, source]);
    expect(source[1]).toMatch(/^[0-9a-f]{64}$/);
    // Otherwise these tests say nothing of the table.
    expect([table, Number(source[0])]).toEqual([table, expect.toSatisfy((rows: number) => rows > 0)]);
  }
}

const tableCounts = (database: PostgresDatabase) =>
  database.query(
    `SELECT ${archivedTables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(", ")}`,
  );
const nothing = Object.fromEntries(archivedTables.map((table) => [table, 0]));

describe("to PostgreSQL and back", () => {
  let database: PostgresDatabase;
  let moved: Record<string, string>;
  const inPostgres = () => locate(database.url);

  beforeAll(async () => {
    database = await postgres.create("empty");
    moved = { DATA_DIR: home, DATABASE_URL: database.url };
  });

  test("everything arrives as it was, and no password is shown", async () => {
    const finished = await copy(
      { DATA_DIR: home, PGPASSWORD: new URL(database.url).password },
      "--to",
      database.url.replace(/:[^:@]+@/, "@"),
    );
    expectEqualSides(finished);
    expect(finished.stderr).toContain(`Resumes stay where they are, ${join(home, "resumes")}`);
    expect(finished.stderr).toContain("Set DATABASE_URL");
    expect(finished.stdout + finished.stderr).not.toContain(new URL(database.url).password);
    expect(await exportsOf(inPostgres())).toBe(await exportsOf(sqlite(home)));
    const states = await database.query("SELECT status, lease_owner FROM mail WHERE status <> 'sent' ORDER BY id");
    expect(states).toContainEqual({ status: "queued", lease_owner: "died" });
    expect(states).toContainEqual({ status: "failed", lease_owner: null });
  });

  test("no table of either engine is left out", async () => {
    const own = new Set<string>(storesOwnTables);
    const tables = await database.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    using file = new DatabaseSync(join(home, "submissions.sqlite"), { readOnly: true });
    const inSqlite = file
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    for (const catalogue of [tables, inSqlite]) {
      const names = catalogue.map(({ name }) => String(name)).filter((name) => !own.has(name));
      expect(names.toSorted()).toEqual(archivedTables.toSorted());
    }
  });

  test("again, it finds everything there and changes nothing", async () => {
    const finished = await copy({ DATA_DIR: home }, "--to", database.url);
    expectEqualSides(finished);
    expect(finished.stderr).toContain(`inquiry: 0 copied, ${manyInquiries + 2} were there already`);
  });

  test("a service goes on there: keys, links and mails are what they were", async () => {
    const sentBefore = postmark.taken.length;
    await using service = await startService({ env: { ...moved, ...mailSettings() } });
    const again = await rest.send(service, "marketplace.inquiry", keyed(buyer));
    expect([again.receipt?.["inquiryId"], again.headers.get("idempotency-replayed")]).toEqual([firstReference, "true"]);
    const token = new URL(confirmPath, service.url).searchParams.get("token") ?? "";
    const confirmed = await fetch(new URL("/newsletter/confirm", service.url), {
      method: "POST",
      body: new URLSearchParams({ token }),
    });
    expect(confirmed.status).toBe(200);
    expect((await service.stored()).subscribers).toMatchObject([{ email: "reader@example.org", status: "active" }]);
    const copies = () => postmark.taken.slice(sentBefore).map(({ Metadata }) => Metadata?.["mailId"]);
    await expect.poll(copies, { timeout: 20_000 }).toContain(waiting.id);
    const refused = await copy(moved, "--to", `sqlite:${join(await newFolder(), "x.sqlite")}`);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("stop it first");
    await service.stop();
    expect(copies()).toEqual([waiting.id]);
  });

  test("back into a new file, it is the same again", async () => {
    const folder = await newFolder();
    const finished = await copy(moved, "--to", `sqlite:${join(folder, "submissions.sqlite")}`);
    expectEqualSides(finished);
    expect(await exportsOf(sqlite(folder))).toBe(await exportsOf(inPostgres()));
  });

  test("into itself, it is refused", async () => {
    const finished = await copy(moved, "--to", database.url);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr).toContain("Another copy is under way");
  });
});

test("killed again and again, it goes on where it ended, whatever the engine", async () => {
  const preload = new URL("../crash/preload/stand-ins.ts", import.meta.url).href;
  // Dies after each batch.
  const dying = { DATA_DIR: home, NODE_OPTIONS: `--import ${preload}`, FAILPOINT: "rows-copied" };
  await using database = await postgres.create("empty");
  // Three batches of inquiries, and the one of applications.
  for (const rows of [500, 1_000, manyInquiries + 2, manyInquiries + 2]) {
    expect(await copy(dying, "--to", database.url)).toMatchObject({ code: null, stdout: "" });
    expect(await database.query("SELECT count(*)::int AS rows FROM inquiry")).toEqual([{ rows }]);
  }
  const finished = await copy({ DATA_DIR: home }, "--to", database.url);
  expectEqualSides(finished);
  expect(finished.stderr).toContain("application: 0 copied, 4 were there already\nsubscriber: 1 copied\n");
  const file = join(await newFolder(), "submissions.sqlite");
  expect((await copy(dying, "--to", `sqlite:${file}`)).code).toBeNull();
  const resumed = await copy({ DATA_DIR: home }, "--to", `sqlite:${file}`);
  expectEqualSides(resumed);
  expect(resumed.stderr).toContain(`inquiry: ${manyInquiries + 2 - 500} copied, 500 were there already`);
});

describe("is refused", () => {
  test("where somebody else's rows are, before one row is written", async () => {
    await using database = await postgres.create("empty");
    await runCommand(["migrate"], { DATABASE_URL: database.url });
    await database.query("INSERT INTO spent_challenge VALUES ('foreign', 1)");
    const finished = await copy({ DATA_DIR: home }, "--to", database.url);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr).toContain("The table spent_challenge of the target");
    expect(await tableCounts(database)).toEqual([{ ...nothing, spent_challenge: 1 }]);
  });

  test("where a row differs in one column, which stays as it is", async () => {
    const folder = await newFolder();
    await cp(join(home, "submissions.sqlite"), join(folder, "submissions.sqlite"));
    using file = new DatabaseSync(join(folder, "submissions.sqlite"));
    file.exec("UPDATE subscriber SET last_source = 'elsewhere'");
    const finished = await copy({ DATA_DIR: home }, "--to", `sqlite:${join(folder, "submissions.sqlite")}`);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr).toContain("The table subscriber of the target");
    expect(file.prepare("SELECT last_source FROM subscriber").get()).toEqual({ last_source: "elsewhere" });
  });

  test("while a service runs on the file, which is left alone", async () => {
    await using database = await postgres.create("empty");
    const folder = await newFolder();
    await using _service = await startService({ env: { DATA_DIR: folder, DATABASE_URL: "" } });
    const finished = await copy({ DATA_DIR: folder }, "--to", database.url);
    expect([finished.code, finished.stdout]).toEqual([1, ""]);
    expect(finished.stderr).toContain("Another service is running on this database");
    expect(await database.query("SELECT to_regclass('inquiry') AS inquiry")).toEqual([{ inquiry: null }]);
    const onto = await copy({ DATA_DIR: home }, "--to", `sqlite:${join(folder, "submissions.sqlite")}`);
    expect([onto.code, onto.stdout]).toEqual([1, ""]);
  });

  test("without a store to copy, and makes none", async () => {
    const folder = await newFolder();
    const finished = await copy({ DATA_DIR: join(folder, "wrong") }, "--to", `sqlite:${join(folder, "x.sqlite")}`);
    expect([finished.code, finished.stderr]).toEqual([1, "There is no database file to copy.\n"]);
    expect(await readdir(folder)).toEqual([]);
  });
});

test("rows that somebody adds under the same keys meanwhile are never overwritten, and none of their batch is added", async () => {
  await using database = await postgres.create("empty");
  const file = sqlite(await newFolder());
  const rows = [1, 2, 3].map((number) => ({ challenge_hash: `h-${number}`, expires_at: number }));
  for (const location of [locate(database.url), file]) {
    await using first = await openArchive(location, "target");
    await first.write("spent_challenge", [{ challenge_hash: "h-2", expires_at: 0 }]);
    await expect(first.write("spent_challenge", rows)).rejects.toThrow(KeyTaken);
  }
  for (const location of [locate(database.url), file]) {
    await using again = await openArchive(location, "target");
    const found = await again.readAfter("spent_challenge", null, 10);
    expect(found.map((row) => ({ ...row }))).toEqual([{ challenge_hash: "h-2", expires_at: 0 }]);
  }
});

test("a target that does not keep what it is given is told by the digests", async () => {
  await using database = await postgres.create("empty");
  await runCommand(["migrate"], { DATABASE_URL: database.url });
  await database.query(`
    CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.changed_at := 1; RETURN NEW; END';
    CREATE TRIGGER forget BEFORE INSERT ON suppression FOR EACH ROW EXECUTE FUNCTION forget()`);
  const finished = await copy({ DATA_DIR: home }, "--to", database.url);
  expect(finished.code).toBe(1);
  expect(finished.stderr).toContain("The copy is not what the source is, in suppression.");
  expect(finished.stderr).not.toContain("Next:");
  const { source, target } = reportOf(finished).get("suppression")!;
  expect([target[0], target[1] === source[1]]).toEqual([source[0], false]);
});

describe("resumes", () => {
  const filesIn = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const files = await Promise.all(
      paths.map(async (path) => {
        const sha256 = createHash("sha256")
          .update(await readFile(path))
          .digest("hex");
        return [path.slice(folder.length + 1), sha256] as const;
      }),
    );
    return Object.fromEntries(files);
  };

  test("go along into a bucket and back to a folder under their names, byte for byte", async () => {
    await using store = await S3StandIn.open();
    const bucket = {
      S3_ENDPOINT: store.endpoint,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    };
    const folder = await newFolder();
    const words = ["--to", `sqlite:${join(folder, "submissions.sqlite")}`, "--resumes-to", "s3://resumes/kept"];
    const there = await copy({ DATA_DIR: home, ...bucket }, ...words);
    expectEqualSides(there);
    expect(there.stderr).toContain("resumes: 2 copied\n");
    expect(there.stderr).toContain("Set RESUME_STORE to s3://resumes/kept.");
    const kept = await filesIn(join(home, "resumes"));
    expect([...store.objects.keys()].toSorted()).toEqual(
      Object.keys(kept)
        .map((key) => `kept/${key}`)
        .toSorted(),
    );
    const again = await copy({ DATA_DIR: home, ...bucket }, ...words);
    expect(again.stderr).toContain("resumes: 0 copied, 2 were there already");
    const moved = { DATA_DIR: folder, RESUME_STORE: "s3://resumes/kept", ...bucket };
    const back = await copy(moved, "--resumes-to", join(folder, "back"));
    expect([back.code, back.stdout]).toEqual([0, ""]);
    expect(await filesIn(join(folder, "back"))).toEqual(kept);
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

    await writeFile(join(target, other), "somebody else's");
    await rm(join(folder, "resumes", damaged));
    const second = await copy({ DATA_DIR: folder }, "--resumes-to", target);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/APP-\d+-\d+: its resume is not where resumes are kept/);
    expect(second.stderr).toMatch(/APP-\d+-\d+: another file has the name of its resume there/);
    expect(second.stderr).toContain("2 resumes were not copied");
    expect(await readFile(join(target, other), "utf8")).toBe("somebody else's");
  });
});
