// A database with damaged pages: it is noticed and named, what can be read is got out, and a restored backup mends indexes.
import { copyFile, cp, mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { startOwnServer } from "../../contract/postgres-under-test.ts";
import { accept, application, inquiry, noon, subscription } from "../../contract/records.ts";
import { changeLeaves, zeroLeaf } from "../../support/damage.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { type Service, startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { nightly, someOf } from "../../support/many-or-few.ts";

const fileIn = (folder: string) => join(folder, "submissions.sqlite");
const run = (folder: string, ...words: string[]) => runCommand(words, { DATA_DIR: folder });
const chapter = 'See "The database is damaged" in docs/operations.md.';

let ground: string;
/** A data folder that no test writes to. */
let sound: string;
const inquiries = 600;
const applications = 150;
const subscribers = 300;

const newFolder = () => mkdtemp(join(ground, "data-"));

async function copyOfSound(): Promise<string> {
  const folder = await newFolder();
  await cp(sound, folder, { recursive: true });
  return folder;
}

async function damaged(damage: (file: string) => void): Promise<string> {
  const folder = await copyOfSound();
  damage(fileIn(folder));
  return folder;
}

beforeAll(async () => {
  ground = await mkdtemp(join(tmpdir(), "damaged-"));
  sound = await newFolder();
  await using store = await openStore({ kind: "sqlite", file: fileIn(sound) });
  const some = <T>(count: number, make: (number: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  await Promise.all(some(inquiries, (n) => accept(store, inquiry(n))));
  await Promise.all(some(applications, (n) => accept(store, application(n, { resume: null }))));
  await Promise.all(some(subscribers, (n) => accept(store, subscription({ email: `reader-${n}@example.org` }))));
  for (let n = 0; n < 200; n += 1) {
    await store.desk.audit({ action: "resume.view", subject: `APP-${n}` }, { operator: "eva@example.org", at: noon });
  }
});
afterAll(() => rm(ground, { recursive: true }));

const inquire = async (service: Service, email: string) =>
  (await rest.send(service, "marketplace.inquiry", json({ ...buyer, email }))).status;
const readiness = async (service: Service) => (await fetch(`${service.url}/readyz`)).status;

describe("a page of an index that accepting needs", () => {
  const zeroed = () => damaged((file) => zeroLeaf(file, "submission_email", "ann-300@"));

  test("is met by the readiness probe, by doctor, and by the backup, which names it and is not whole", async () => {
    const folder = await zeroed();
    await using service = await startService({ env: { DATA_DIR: folder, DATABASE_URL: "" } });
    expect(await inquire(service, "ann-300@example.org")).toBe(503);
    for (const _probe of [1, 2, 3]) expect(await readiness(service)).toBe(503);

    const doctor = await run(folder, "doctor");
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/^failed +database: damaged: .*[pP]age/m)]);
    const place = await newFolder();
    expect(await run(await copyOfSound(), "backup", place)).toMatchObject({ code: 0 });
    const [whole] = await readdir(place);
    const made = await run(folder, "backup", place, "--keep", "1");
    expect(made.code).toBe(1);
    expect(made.stderr).toMatch(/^The database is damaged: .*[pP]age.*$/m);
    expect(made.stderr).toContain(`The database is damaged. ${chapter}`);
    expect(made.stderr).not.toContain("is whole");
    expect((await readdir(place)).toSorted()).toEqual([whole, expect.any(String)]);
  });

  nightly("is mended by a backup that is restored", async () => {
    const [folder, place, restored] = [await zeroed(), await newFolder(), await newFolder()];
    await run(folder, "backup", place);
    expect(await run(restored, "restore", place)).toMatchObject({ code: 0 });
    for (const subject of ["inquiries", "applications", "subscribers"]) {
      expect((await run(restored, "export", subject)).stdout).toBe(
        (await run(await copyOfSound(), "export", subject)).stdout,
      );
    }
    expect(await run(restored, "backup", place)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is whole"),
    });
    await using service = await startService({ env: { DATA_DIR: restored, DATABASE_URL: "" } });
    expect(await inquire(service, "ann-300@example.org")).toBe(200);
    expect(await readiness(service)).toBe(200);
  });
});

const probed = [
  "submission",
  "submission_day_number",
  "submission_received",
  "submission_status",
  "mail",
  "submission_kind",
  "mail_submission",
  "mail_created",
  "subscriber_status",
];
test.each(someOf(probed))("the readiness probe meets a damaged end of %s", async (name) => {
  const folder = await damaged((file) => zeroLeaf(file, name));
  await using service = await startService({ env: { DATA_DIR: folder, DATABASE_URL: "" } });
  expect(await readiness(service)).toBe(503);
});

describe("a person whom an index of addresses does not know any more", () => {
  const changed = () => damaged((file) => changeLeaves(file, "submission_email", "ann-558@", "ann-xx8@"));

  test("is not reported as erased", async () => {
    const folder = await changed();
    const { code, stdout, stderr } = await run(folder, "erase", "Ann-558@example.org", "--yes");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Not erased: INQ-20261121-\d{6}\. An index of the database does not know of them\./m);
    // Another one is.
    expect(await run(folder, "erase", "ann-557@example.org", "--yes")).toMatchObject({
      code: 0,
      stderr: "Erased: 1 submission, 0 resumes, 0 subscriptions.\n",
    });
  });

  test("is not told to be unknown", async () => {
    const { code, stdout, stderr } = await run(await changed(), "export", "person", "ann-558@example.org");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Not written: INQ-20261121-\d{6}\./m);
    expect(await run(await copyOfSound(), "export", "person", "ann-558@example.org")).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  test("is named by the backup, which has all rows", async () => {
    const place = await newFolder();
    const made = await run(await changed(), "backup", place);
    expect(made.code).toBe(1);
    expect(made.stderr).toMatch(/^The database is damaged: row \d+ missing from index submission_email$/m);
    const restored = await newFolder();
    expect(await run(restored, "restore", place)).toMatchObject({ code: 0 });
    expect(await run(restored, "erase", "ann-558@example.org", "--yes")).toMatchObject({ code: 0 });
  });
});

test("a subscriber whom the index does not know is not reported as erased", async () => {
  const index = "sqlite_autoindex_subscriber_1";
  const folder = await damaged((file) => changeLeaves(file, index, "reader-25@", "reader-xx@"));
  const { code, stderr } = await run(folder, "erase", "reader-25@example.org", "--yes");
  expect([code, stderr]).toEqual([1, expect.stringContaining("Not erased: subscription.")]);
});

describe("a page of a table", () => {
  const arrivalsIn = (stdout: string, name: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as Record<string, number>)[name]!);

  const exported = [
    ["inquiries", "submission", "ann-300@", "arrival", inquiries],
    ["applications", "submission", "ana-100@", "arrival", applications],
    // The page of the latest rows.
    ["applications", "submission", undefined, "arrival", applications],
    ["subscribers", "subscriber", "reader-150@", "arrival", subscribers],
    ["audit", "audit", "APP-100", "id", 200],
  ] as const;
  test.each(someOf(exported))(
    "costs an export of %s its rows, which are counted, and no other (%s, %s)",
    async (subject, table, text, name, all) => {
      const folder = await damaged((file) => zeroLeaf(file, table, text));
      const { code, stdout, stderr } = await run(folder, "export", subject, "--format", "ndjson");
      const [, lost] = /^Could not be read: (\d+) rows? or fewer\./m.exec(stderr) ?? [];
      expect([code, stderr]).toEqual([1, expect.stringContaining(chapter)]);
      const left = arrivalsIn(stdout, name);
      const whole = await run(await copyOfSound(), "export", subject, "--format", "ndjson");
      const missing = arrivalsIn(whole.stdout, name).filter((arrival) => !left.includes(arrival));
      expect(missing.length).toBeGreaterThan(0);
      expect(missing.length).toBeLessThan(all / 2);
      expect(missing.length).toBeLessThanOrEqual(Number(lost));
      expect(missing).toEqual(missing.map((_, n) => missing[0]! + n));
      // What is written is what was stored, but for the entries of the two exports.
      const stored = new Set(whole.stdout.split("\n"));
      const isOther = (line: string) => !stored.has(line) && !line.includes('"action":"export"');
      expect(stdout.split("\n").filter(isOther)).toEqual([]);
    },
  );

  test("fails a backup, which names it, and an export in the console", async () => {
    const folder = await damaged((file) => zeroLeaf(file, "submission", "ann-300@"));
    const place = await newFolder();
    const made = await run(folder, "backup", place);
    expect([made.code, await readdir(place)]).toEqual([1, []]);
    expect(made.stderr).toMatch(/^The database is damaged: .*[pP]age.*$/m);
    await using store = await openStore({ kind: "sqlite", file: fileIn(folder) }, { access: "read-only" });
    await expect(Array.fromAsync(store.readAll("inquiry", {}))).rejects.toThrow("The database is corrupt.");
  });

  test("shows nothing of a person in what is named", async () => {
    const folder = await damaged((file) => zeroLeaf(file, "submission", "ann-300@"));
    const { stderr } = await run(folder, "backup", await newFolder());
    expect(stderr).not.toMatch(/@|ann/);
    expect(await readFile(fileIn(folder), "latin1")).toContain("@example.org");
  });
});

describe("on PostgreSQL", () => {
  const server = shared(startOwnServer);
  const pageBytes = 8_192;

  /** A database with 300 inquiries, damaged while the server is stopped. @param damage is handed the files of relations */
  async function damagedDatabase(
    script: string,
    damage: (files: readonly string[]) => Promise<unknown>,
    ...names: string[]
  ) {
    const database = await server().create();
    const location = { kind: "postgres", url: database.url, poolMax: 4 } as const;
    await using store = await openStore(location);
    await Promise.all(Array.from({ length: 300 }, (_, n) => accept(store, inquiry(n))));
    await store[Symbol.asyncDispose]();
    const [row = {}] = await database.query(`
      ${script}; CHECKPOINT;
      SELECT ${names.map((name) => `pg_relation_filepath('${name}') AS ${name}`).join()}`);
    await server().stop();
    await damage(names.map((name) => join(server().folder, String(row[name]))));
    await server().start();
    return { DATA_DIR: await newFolder(), DATABASE_URL: database.url };
  }

  test("a person whom the index of addresses does not know any more is not reported as erased", async () => {
    const env = await damagedDatabase(
      "CREATE TABLE other (email_key TEXT, receipt_at BIGINT); CREATE INDEX nothing ON other (email_key, receipt_at)",
      ([index = "", nothing = ""]) => copyFile(nothing, index),
      "submission_email",
      "nothing",
    );
    const erased = await runCommand(["erase", "ann-58@example.org", "--yes"], env);
    expect([erased.code, erased.stderr]).toEqual([1, expect.stringMatching(/^Not erased: INQ-20261121-\d{6}\. An/m)]);
    const written = await runCommand(["export", "person", "ann-58@example.org"], env);
    expect([written.code, written.stderr]).toEqual([
      1,
      expect.stringMatching(/^Not written: INQ-20261121-\d{6}\. An/m),
    ]);
  });

  test("a damaged page of a table costs an export its rows and no other", async () => {
    const spoil = async ([table = ""]: readonly string[]) => {
      await using file = await open(table, "r+");
      await file.write(Buffer.alloc(64, 0xaa), 0, 64, 3 * pageBytes);
    };
    const env = await damagedDatabase("SELECT 1", spoil, "submission");
    const { code, stdout, stderr } = await runCommand(["export", "inquiries", "--format", "ndjson"], env);
    const [, lost] = /^Could not be read: (\d+) rows or fewer\. /m.exec(stderr) ?? [];
    expect(code).toBe(1);
    expect(Number(lost)).toBeGreaterThan(5);
    expect(stdout.match(/"inquiryId"/g)?.length).toBe(300 - Number(lost));
  });
});
