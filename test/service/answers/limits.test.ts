// How much of what comes in is kept, and what a person's answer ends and is told to.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { expect, test } from "vitest";
import { parseWebhook } from "../../../client/src/webhooks.ts";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { keepFiles } from "../../../server/src/inbound/files.ts";
import { readMail } from "../../../server/src/inbound/read-mail.ts";
import { openVault } from "../../../server/src/resumes/open-vault.ts";
import { unmatchedDays, unmatchedMax } from "../../../server/src/storage/inbound-store.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { addWebhook } from "../../../server/src/webhooks/target.ts";
import { inboundEnv, passes, rawMail, resultOf } from "../../support/answers/mails.ts";
import { operator } from "../../support/console/operator.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { nightly } from "../../support/many-or-few.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";

const dayMs = 24 * 60 * 60 * 1000;
const clock = new MovableClock();
const env = { ...inboundEnv, WEBHOOK_TARGETS: "loopback" };
const service = shared(() => startService({ env, clock }));
const store = shared(() => openStore(service().storage));
const admin = shared(() => operator(service(), "root@example.org", "admin"));
const detailOf = async (reference: string) =>
  (await admin().call("submission.get", { reference })).data as SubmissionDetail;

async function inquire(email: string) {
  const { receipt } = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email }));
  const mail = (await service().mails()).find(({ to }) => to?.[0]?.address === email)!;
  return { reference: receipt!["inquiryId"] as string, from: email, to: mail.replyTo![0]!.address! };
}

nightly("of a submission 50 MB of files are kept", async () => {
  const { reference, from, to } = await inquire("large@example.org");
  const jpeg = Buffer.alloc(10 * 1024 * 1024);
  jpeg.set([0xff, 0xd8, 0xff, 0xe0]);
  for (let number = 0; number < 5; number += 1) {
    const files = [{ name: `${number}.jpg`, bytes: jpeg }];
    expect(await resultOf(service(), { from, to, files })).toBe("filed");
  }
  const small = [{ name: "small.jpg", bytes: jpeg.subarray(0, 4) }];
  expect(await resultOf(service(), { from, to, files: small })).toBe("filed");
  const files = (await detailOf(reference)).answers.flatMap((answer) => answer.files);
  expect(files.map(({ kept }) => kept !== null)).toEqual([...Array(5).fill(true), false]);
});

test("none is kept beyond 50 MB, nor while less than 2 GiB of the disk is left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "room-"));
  try {
    await using vault = await openVault({ kind: "disk", folder }, clock);
    const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    const mail = await readMail(Buffer.from(rawMail({ to: "x@desk.example", files: [{ name: "me.jpg", bytes }] })));
    const kept = async (freeBytes: number, usedBytes = 0) => {
      const files = await keepFiles(mail, vault, { usedBytes, freeBytes });
      return files.map((file) => [file.name, file.kept !== null]);
    };
    expect(await kept(2 * 1024 ** 3 - 1)).toEqual([["me.jpg", false]]);
    expect(await kept(2 * 1024 ** 3)).toEqual([["me.jpg", true]]);
    const allBytes = 50 * 1024 ** 2;
    expect(await kept(2 * 1024 ** 3, allBytes - bytes.length)).toEqual([["me.jpg", true]]);
    expect(await kept(2 * 1024 ** 3, allBytes - bytes.length + 1)).toEqual([["me.jpg", false]]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the newest 1,000 unmatched mails are kept, for 30 days", async () => {
  const at = clock.now();
  for (let number = 0; number < unmatchedMax + 2; number += 1) {
    await store().inbound.keepUnmatched({
      identity: number.toString(16).padStart(64, "0"),
      at,
      messageId: null,
      senderAddress: "eve@example.org",
      senderName: "",
      subject: `${number}`,
      text: "",
      reply: null,
      automatic: false,
      fileNames: [],
    });
  }
  const subjects = async () => {
    const found: string[] = [];
    for (let after: number | null | undefined; after !== null;) {
      const page = await store().inbound.listUnmatched({ limit: 100, ...(after !== undefined && { after }) });
      found.push(...page.rows.map(({ subject }) => subject));
      after = page.next;
    }
    return found;
  };
  const expected = Array.from({ length: unmatchedMax }, (_, number) => `${unmatchedMax + 1 - number}`);
  expect(await subjects()).toEqual(expected);
  await store().forgetExpired(at + unmatchedDays * dayMs - 1);
  expect(await subjects()).toHaveLength(unmatchedMax);
  while ((await store().forgetExpired(at + unmatchedDays * dayMs)).more);
  expect(await subjects()).toEqual([]);
});

test("a person's answer is told to a webhook; a program's is not", async () => {
  await using receiver = await openReceiver();
  const eva = { operator: "eva@example.org", at: clock.now() };
  const added = await addWebhook(store().webhooks, { url: `${receiver.url}/hook`, events: ["answer.received"] }, eva);
  if (added === "too-many") throw new Error(added);
  const { reference, from, to } = await inquire("told@example.org");
  await resultOf(service(), { from, to, text: "Away", headers: ["Auto-Submitted: auto-replied"] });
  await resultOf(service(), { from, to, text: "Gladly.\r\n\r\n> When?" });
  const [{ body, headers }] = (await receiver.got(1)) as [Awaited<ReturnType<typeof receiver.got>>[number]];
  const told = parseWebhook(body, headers, added.secret);
  expect(told?.type).toBe("answer.received");
  expect(body).toContain(reference);
  expect(body).toContain("Gladly.");
  expect(body).not.toContain("Away");
});

test("a person's answer ends a snooze; an unverified one and a program's do not", async () => {
  const { reference, from, to } = await inquire("later@example.org");
  const targets = [{ reference, version: (await detailOf(reference)).version }];
  const snoozedUntil = clock.now() + 3 * dayMs;
  expect(await admin().call("inbox.triage", { targets, snoozedUntil })).toMatchObject({ status: 200 });
  const snoozed = async () => (await detailOf(reference)).snoozedUntil;
  await resultOf(service(), { from, to, headers: [] });
  await resultOf(service(), {
    from,
    to,
    text: "Away",
    headers: [passes("example.org"), "Auto-Submitted: auto-replied"],
  });
  expect(await snoozed()).toBe(snoozedUntil);
  await resultOf(service(), { from, to, text: "Here I am." });
  expect(await snoozed()).toBeNull();
});

test("of a day 100 answers of the person are kept and 100 others; further ones are counted", async () => {
  const { reference, from, to } = await inquire("many@example.org");
  const others = { from: "eve@example.org", to };
  for (let number = 0; number < 100; number += 1) {
    expect(await resultOf(service(), { from, to, text: `${number}` })).toBe("filed");
    const headers = number % 2 === 0 ? [] : ["Auto-Submitted: auto-replied"];
    expect(await resultOf(service(), { ...others, headers, text: `${number}` })).toBe("filed");
  }
  const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
  const files = (await service().files("resumes")).length;
  for (const more of [{ from, to, files: [{ name: "me.jpg", bytes }] }, others, others]) {
    expect(await resultOf(service(), more)).toBe("left-out");
  }
  const full = await detailOf(reference);
  expect([full.answers.length, full.answersLeftOut]).toEqual([200, 3]);
  expect(await service().files("resumes")).toHaveLength(files);
  clock.advance(dayMs + 1);
  expect(await resultOf(service(), { from, to, text: "The next day" })).toBe("filed");
  // The first session has ended meanwhile.
  const later = await operator(service(), "later@example.org", "admin");
  const { answers } = (await later.call("submission.get", { reference })).data as SubmissionDetail;
  expect(answers.at(-1)).toMatchObject({ sender: "person", text: expect.stringContaining("The next day") });
});

test("of many long mails, a page shows the last ones whole and of others the beginning", async () => {
  const { reference, from, to } = await inquire("long@example.org");
  const desk = await operator(service(), "desk@example.org", "admin");
  const quoted = "Am 20.11.2026 um 10:00 schrieb a@b.example:\n> x";
  const long = (number: number) => `${number} ${"word".repeat(20_000)}\n${quoted}`;
  const ofTo = "answers+nothing@desk.example";
  for (let number = 0; number < 30; number += 1) await resultOf(service(), { from, to, text: long(number) });
  for (let number = 0; number < 5; number += 1) await resultOf(service(), { from, to: ofTo, text: long(number) });
  const { answers } = (await desk.call("submission.get", { reference })).data as SubmissionDetail;
  expect(answers.map(({ text }) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 30 }, (_, at) => at));
  expect(answers.at(-1)?.text).toBe(long(29));
  const beginning = expect.stringMatching(/^0 (?:word){249}wo…\n/);
  expect(answers[0]).toMatchObject({ text: beginning, reply: beginning });
  expect(JSON.stringify(answers).length).toBeLessThan(2_500_000);
  const { rows } = (await desk.call("unmatched.list", { page: { limit: 5 } })).data as { rows: { text: string }[] };
  expect(rows.map(({ text }) => text.length < 5_100)).toEqual([true, true, true, true, true]);
});

test("what mails say is shown whole, however much they quote", async () => {
  const { reference, from, to } = await inquire("quoting@example.org");
  const desk = await operator(service(), "reader@desk.example", "admin");
  const said = (number: number) => `${number} ${"said".repeat(400)}`;
  const quoted = `> ${"word ".repeat(12)}\n`.repeat(1_400);
  for (let number = 0; number < 14; number += 1)
    await resultOf(service(), { from, to, text: `${said(number)}\n\n${quoted}` });
  const { answers } = (await desk.call("submission.get", { reference })).data as SubmissionDetail;
  expect(answers.map(({ reply }) => reply)).toEqual(Array.from({ length: 14 }, (_, number) => said(number)));
  expect(answers[0]?.text.length).toBeLessThan(1_100);
});

/** Has the database refuse answers with the subject "Poison". */
const ofSqlite = {
  begin:
    "CREATE TRIGGER poison BEFORE INSERT ON answer WHEN NEW.subject = 'Poison' BEGIN SELECT RAISE(ABORT, 'x'); END",
  end: "DROP TRIGGER poison",
};
const ofPostgres = {
  begin: "ALTER TABLE answer ADD CONSTRAINT poison CHECK (subject <> 'Poison')",
  end: "ALTER TABLE answer DROP CONSTRAINT poison",
};

async function execute(script: string): Promise<void> {
  const { storage } = service();
  if (storage.kind === "sqlite") {
    using database = new DatabaseSync(storage.file, { timeout: 10_000 });
    return database.exec(script);
  }
  const client = new Client({ connectionString: storage.url });
  await client.connect();
  await client.query(script);
  await client.end();
}

test("a mail that cannot be stored is refused each time, and stands among the unmatched ones once, until it comes in", async () => {
  const { from, to } = await inquire("poison@example.org");
  const poisoned = service().storage.kind === "sqlite" ? ofSqlite : ofPostgres;
  await execute(poisoned.begin);
  const subjects = async () => (await store().inbound.listUnmatched({})).rows.map(({ subject }) => subject);
  const poison = { from, to, subject: "Poison", messageId: "<poison@example.org>" };
  for (let tries = 1; tries <= 4; tries += 1) {
    expect(await resultOf(service(), poison)).toMatch(/^500/);
    expect((await subjects()).filter((each) => each === "Poison")).toHaveLength(tries < 3 ? 0 : 1);
  }
  expect(await resultOf(service(), { from, to, subject: "Another" })).toBe("filed");
  const [row] = (await store().inbound.listUnmatched({})).rows;
  expect(row).toMatchObject({ senderAddress: from, text: expect.stringMatching(/Postmark has it.*<poison@/s) });
  const metrics = await (await fetch(`${service().url}/metrics`)).text();
  expect(metrics).toContain('mails_received_total{result="set-aside"} 1');
  await execute(poisoned.end);
  expect(await resultOf(service(), poison)).toBe("filed");
  expect(await subjects()).not.toContain("Poison");
});
