// A store that version 0.1.0 left on the disk, opened by the code of today: everything in it is as it was.
import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { InboxFilter } from "@submissions/shared/console";
import { systemClock } from "../../server/src/clock.ts";
import { Passwords } from "../../server/src/console/password.ts";
import { allRows, exportRecords, type ExportSubject, exportSubjects, textsOf } from "../../server/src/desk/export.ts";
import { openDiskVault } from "../../server/src/resumes/disk.ts";
import { hashSecret } from "../../server/src/secrets.ts";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { applyPending, postgresMigrations } from "../../server/src/storage/postgres/migrate.ts";
import type { IdempotencyRecord } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { runCommand } from "../support/desk/run-command.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate } from "./postgres-under-test.ts";
import {
  accept,
  acceptReference,
  applications,
  collect,
  findResume,
  inquiries,
  inquiry,
  kindsOf,
  minute,
  noon,
  subscribers,
  subscription,
} from "./records.ts";
import { useRaw } from "./sqlite-under-test.ts";
import { release } from "../../server/src/desk/mails.ts";

const lease = { owner: "today", until: noon + 60 * minute };
const frozen = join(import.meta.dirname, "../fixtures/frozen-store");

interface Held {
  readonly rows: Readonly<Record<string, number>>;
  readonly identity: string;
  readonly exports: Readonly<Record<string, readonly object[]>>;
  readonly inquiry: {
    readonly submission: { readonly reference: string; readonly arrival: number };
    readonly mails?: unknown;
  };
  readonly application: string;
  readonly spam: string;
  readonly infected: string;
  /** Ids of the mails that were queued. */
  readonly due: readonly string[];
  readonly keys: readonly IdempotencyRecord[];
  readonly secrets: Readonly<Record<string, string>>;
}

type Query = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** Lays a copy of the store out, migrated no further than it was. */
const engines = {
  sqlite: async (folder: string) => {
    const file = join(folder, "submissions.sqlite");
    await writeFile(file, gunzipSync(await readFile(join(frozen, "sqlite.db.gz"))));
    const query: Query = async (text) => useRaw(file, (database) => database.prepare(text).all());
    return { location: { kind: "sqlite", file } as StoreLocation, query, env: { DATA_DIR: folder } };
  },
  postgres: async (folder: string) => {
    const database = await createDatabase("empty");
    await using connections = new Connections(addressOf(database.url), { max: 1, answerMs: 0 });
    await applyPending(connections, undefined, postgresMigrations().slice(0, 1));
    await database.query(await readFile(join(frozen, "postgres.sql"), "utf8"));
    await database.query("ANALYZE");
    const env = { DATA_DIR: folder, DATABASE_URL: database.url };
    return { location: locate(database.url) as StoreLocation, query: database.query, env };
  },
};

test.each(["sqlite", "postgres"] as const)("a frozen store of %s is migrated and reads as it did", async (name) => {
  await using folder = await openFolder();
  const { location, query, env } = await engines[name](folder.path);
  const held = JSON.parse(await readFile(join(frozen, `${name}.json`), "utf8")) as Held;
  await tellsHowLong(env, held);
  await using store = await openStore(location);
  await holdsAllRows(query, held);
  await exportsTheSame(store, held);
  await cp(join(frozen, "resumes"), join(folder.path, "resumes"), { recursive: true });
  // What was searchable is indexed anew.
  while ((await store.desk.indexNext(3, (email) => email.endsWith("@mailinator.com"))).more);
  await showsSubmissions(store, held, folder.path);
  await discardsWhatIsErased(store, folder.path);
  await letsOperatorsIn(store, held);
  await sendsWhatIsDue(store, held);
  await remembersCallers(store, held);
  await goesOn(store, held);
});

/** Lays out what `backup` of the version of that time made of the store. */
async function writeBackup(folder: string): Promise<void> {
  const database = gunzipSync(await readFile(join(frozen, "sqlite.db.gz")));
  await writeFile(join(folder, "submissions.sqlite"), database);
  await cp(join(frozen, "resumes"), join(folder, "resumes"), { recursive: true });
  const manifest = { version: "0.1.0", database: createHash("sha256").update(database).digest("hex"), resumes: 2 };
  await writeFile(join(folder, "backup.json"), JSON.stringify(manifest));
}

test.each(["sqlite", "postgres"] as const)("a backup of it is migrated into %s and reads as it did", async (name) => {
  await using backup = await openFolder();
  await writeBackup(backup.path);
  await using folder = await openFolder();
  await using database = name === "postgres" ? await createDatabase("empty") : null;
  const location: StoreLocation =
    database === null ? { kind: "sqlite", file: join(folder.path, "submissions.sqlite") } : locate(database.url);
  const env = { DATA_DIR: folder.path, DATABASE_URL: database?.url ?? "" };
  const held = JSON.parse(await readFile(join(frozen, "sqlite.json"), "utf8")) as Held;
  expect(await runCommand(["restore", backup.path], env)).toMatchObject({ code: 0 });
  expect(await runCommand(["migrate", "--check"], env)).toMatchObject({ code: 0, stdout: "" });
  await using store = await openStore(location);
  // The restore is in the log, too.
  await exportsTheSame(store, held, ["inquiries", "applications", "subscribers"]);
  // The search is filled by the service. What was queued is held: it may have gone out after the backup.
  while ((await store.desk.indexNext(100, (email) => email.endsWith("@mailinator.com"))).more);
  const { mails: _, ...shown } = held.inquiry;
  await showsSubmissions(store, { ...held, inquiry: shown }, folder.path);
  expect(await store.mails.claim(noon + 30 * minute, 100, lease)).toEqual([]);
  expect(await runCommand(["mail", "release"], env)).toMatchObject({ code: 0 });
  const now = Date.now() + minute;
  const released = await store.mails.claim(now, 100, { ...lease, until: now + minute });
  expect(released.map(({ id }) => id)).toEqual(expect.arrayContaining([...held.due]));
  await remembersCallers(store, held);
  await goesOn(store, held);
});

/** `migrate --check` names the rows that are read, and a migration that reads none. */
async function tellsHowLong(env: Readonly<Record<string, string>>, { rows }: Held): Promise<void> {
  const { code, stdout, stderr } = await runCommand(["migrate", "--check"], env);
  expect([code, stdout.trim().split("\n").length]).toEqual([1, stderr.match(/submissions wait for/g)?.length]);
  expect(stderr).toContain(
    `0004-replies-of-an-hour: reads audit (${rows["audit"]} rows); submissions wait for a second`,
  );
  expect(stderr).toContain("0005-names-of-operators: reads no table; submissions wait for less than a second.");
  expect(stderr).toMatch(/0002-tags: reads .*subscriber/);
}

async function holdsAllRows(query: Query, { rows, identity }: Held): Promise<void> {
  const { schema_migration: _, ...kept } = rows;
  const found = Object.keys(kept).map(async (table) => {
    const [row] = await query(`SELECT count(*) AS rows FROM ${table}`);
    return [table, Number(row?.["rows"])] as const;
  });
  expect(Object.fromEntries(await Promise.all(found))).toEqual(kept);
  expect(await query("SELECT identity FROM store")).toMatchObject([{ identity }]);
}

async function exportsTheSame(
  store: Store,
  held: Held,
  subjects: readonly ExportSubject[] = exportSubjects,
): Promise<void> {
  const isDisposable = (email: string) => email.endsWith("@mailinator.com");
  for (const subject of subjects) {
    const pieces = exportRecords(allRows(store, subject, {}), { subject, format: "ndjson", isDisposable });
    const lines = (await collect(textsOf(pieces))).join("").split("\n").filter(Boolean);
    // What was added since then may be there besides.
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(held.exports[subject] ?? []);
  }
}

async function showsSubmissions(store: Store, held: Held, folder: string): Promise<void> {
  const { reference } = held.inquiry.submission;
  expect(await store.desk.findDetail(wholeScope, reference)).toMatchObject(held.inquiry);
  const found = async (filter: InboxFilter) =>
    (await store.desk.listSubmissions(wholeScope, filter, { limit: 100 })).rows.map((row) => row.reference);
  expect(await found({ letter: "Açorean" })).toEqual([held.application]);
  expect(await found({ search: "ann-2@example.org" })).toEqual([reference]);
  expect(await found({ disposable: true })).toHaveLength(1);
  expect(await findResume(store, held.infected)).toMatchObject({ scan: "infected" });
  const resume = await findResume(store, held.application);
  expect(resume).toMatchObject({ filename: "Résumé 5.pdf", scan: "clean" });
  await using vault = await openDiskVault({ folder: join(folder, "resumes") }, systemClock);
  const bytes = Buffer.concat(await collect<Buffer>(await vault.read(resume?.key ?? "")));
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(resume?.sha256);
}

async function discardsWhatIsErased(store: Store, folder: string): Promise<void> {
  await using vault = await openDiskVault({ folder: join(folder, "resumes") }, systemClock);
  const toDiscard = await store.desk.resumesToDiscard(10, []);
  expect(toDiscard).toHaveLength(1);
  await collect(await vault.read(toDiscard[0] ?? ""));
}

async function letsOperatorsIn({ access }: Store, { secrets }: Held): Promise<void> {
  const hash = (name: string) => hashSecret(secrets[name] ?? "");
  const eva = await access.findOperator("eva@example.org");
  const place = { holder: "", isKnown: true };
  expect(await new Passwords().verify(secrets["password"] ?? "", eva?.password ?? null, place)).toBe(true);
  expect(eva).toMatchObject({ role: "admin", totpSecret: "JBSWY3DPEHPK3PXP" });
  // The code of this step was used, the one of the next was not.
  const id = eva?.id ?? 0;
  expect(await access.useSecondFactor(id, { step: noon / 30_000 }, noon)).toBe(false);
  expect(await access.useSecondFactor(id, { step: noon / 30_000 + 1 }, noon)).toBe(true);
  expect(await access.useSecondFactor(id, { recoveryHash: hash("one") }, noon)).toBe(true);
  expect(await access.findSession(hash("session"), noon + minute)).toMatchObject({ email: eva?.email, isStrong: true });
  const origin = { device: "", network: "", isStrong: true };
  await access.createSession("new", { id, password: eva?.password ?? null }, origin, noon);
  expect(await access.listSessions(id, noon)).toHaveLength(2);
  expect(await access.findToken(hash("token"), noon)).toMatchObject({ name: "BI", role: "admin" });
  expect(await access.useSignInLink(hash("sign-in-link"), noon)).toMatchObject({ email: eva?.email });
  expect(await access.findInvited(hash("invitation-ina"), noon)).toMatchObject({
    email: "ina@example.org",
  });
  const olaf = { issuer: "https://id.example.org", subject: "olaf" };
  expect(await access.findBound(olaf)).toMatchObject({ email: "olaf@example.org", role: "marketing" });
  expect(access.cookieKey).toMatch(/^[0-9a-f]{64}$/);
}

async function remembersCallers(store: Store, held: Held): Promise<void> {
  const earlier = await Promise.all(held.keys.map((key) => store.findEarlier(key)));
  expect(earlier).toMatchObject([
    { reference: held.inquiry.submission.reference, receiptSent: true, spam: false },
    { reference: null, receiptSent: false },
    { reference: null, receiptSent: false },
  ]);
  // A challenge that was spent, and addresses that get no mail.
  const challenge = { hash: hashSecret("challenge"), expiresAt: noon + 30 * minute };
  const entry = { spam: false, key: null, lease: { owner: "now", until: noon + minute } };
  const deadline = performance.now() + minute;
  const again = { ...entry, submission: inquiry(20, { requestId: "spent" }), challenge, deadline };
  expect(await store.accept(again)).toEqual({ result: "challenge-spent" });
  for (const email of ["bounced@example.org", "erased@example.org"]) {
    const accepted = await accept(store, inquiry(21, { email }));
    expect([kindsOf(accepted.mails), accepted.capped]).toEqual([["inquiry-notice"], ["inquiry-receipt"]]);
  }
  const follow = (name: string) => ({ tokenHash: hashSecret(held.secrets[name] ?? ""), at: noon + minute });
  expect(await store.followLink("confirm", follow("confirm-pending"))).toBe(true);
  expect(await store.followLink("unsubscribe", follow("unsubscribe-active"))).toBe(true);
  const status = async (email: string) => (await subscribers(store)).find((one) => one.email === email)?.status;
  expect([await status("pending@example.org"), await status("active@example.org")]).toEqual(["active", "unsubscribed"]);
}

async function sendsWhatIsDue(store: Store, held: Held): Promise<void> {
  const claimed = await store.mails.claim(noon + 30 * minute, 100, lease);
  const refused = claimed.filter(({ about }) => "refused" in about);
  const suppressed = { refused: "suppressed", requestId: null };
  expect(refused.map(({ about }) => about)).toEqual([suppressed, suppressed]);
  const sendable = claimed.filter((mail) => !refused.includes(mail));
  expect(sendable.map(({ id }) => id).toSorted()).toEqual(held.due);
  const about = (kind: string) => claimed.find((mail) => mail.kind === kind)?.about;
  expect(about("digest")).toMatchObject({ digest: { day: "2026-11-21" } });
  expect(about("newsletter-welcome")).toMatchObject({ welcome: { unsubscribeToken: expect.any(String) as string } });
  expect(about("inquiry-receipt")).toMatchObject({
    submission: { kind: "inquiry", email: expect.any(String) as string },
  });
  const deliveries = await store.deliveries.claim(noon + 30 * minute, 100, lease);
  expect(deliveries).toContainEqual(
    expect.objectContaining({ url: "https://crm.example.org/hook", secrets: ["whsec_dHdv", "whsec_b25l"] }),
  );
}

async function goesOn(store: Store, held: Held): Promise<void> {
  const known = [...(await inquiries(store)), ...(await applications(store))];
  const reference = await acceptReference(store, inquiry(30));
  expect(known.map((one) => one.reference)).not.toContain(reference);
  const newest = (await inquiries(store)).at(-1);
  expect(newest).toMatchObject({ reference, name: "Ann Buyer" });
  expect(newest?.arrival).toBeGreaterThan(Math.max(...known.map(({ arrival }) => arrival)));
  await accept(store, subscription({ email: "next@example.org" }));
  const actor = { operator: "eva@example.org", at: noon + minute };
  expect(await release(store.desk, wholeScope, held.spam, actor)).toBe("released");
  expect(await store.desk.erasePerson("ana-5@example.org", actor)).toMatchObject({ submissions: 1, resumes: 1 });
  expect(await store.desk.findDetail(wholeScope, held.application)).toBeNull();
  while ((await store.desk.indexNext(100, () => false)).more);
  const { rows } = await store.desk.listSubmissions(wholeScope, { search: "ann-30@example.org" }, { limit: 10 });
  expect(rows).toMatchObject([{ reference }]);
}
