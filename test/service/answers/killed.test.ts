// A process that is killed while it files an answer, which is kept once all the same, or while it takes a file of a reply.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { handOver, inboundEnv, rawMail } from "../../support/answers/mails.ts";
import { CrashSite, laterMs, sha256 } from "../../support/crash/crash-site.ts";
import { inquire, Operator, operator } from "../../support/console/operator.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { ImapStandIn } from "../../support/imap-stand-in.ts";
import { nightly, someOf } from "../../support/many-or-few.ts";
import { createDatabase } from "../../support/service-database.ts";
import { until } from "../../support/service-process.ts";

// It starts processes, one after the other.
const patient = { timeout: 300_000 };
const env = inboundEnv;
const email = "ann@example.org";
const jpeg = { name: "me.jpg", bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) };
const databaseOrFile = async () => (process.env["TEST_DATABASE"] === "postgres" ? createDatabase("empty") : null);

async function answersOf(site: CrashSite) {
  await using store = await openStore(site.storage, { access: "read-only" });
  const facts = await Array.fromAsync(store.desk.readPerson({ kinds: ["inquiry"], subscribers: false }, email));
  return facts.filter(({ kind }) => kind === "answer");
}

const killedAt = [
  { failpoint: "answer-files-kept", before: 0, result: "filed", filesBefore: 2 },
  { failpoint: "answer-filed", before: 1, result: "repeated", filesBefore: 1 },
] as const;
test.each(someOf(killedAt))(
  "killed at $failpoint: kept once, told of once, no file is left over",
  patient,
  async (killed) => {
    await using database = await databaseOrFile();
    await using site = await CrashSite.open(database);
    const service = await site.start({ failpoint: killed.failpoint, env });
    expect((await rest.send(service, "marketplace.inquiry", json({ ...buyer, email }))).status).toBe(200);
    const to = site.postmark.taken.find(({ To }) => To === email)!.ReplyTo!;
    const raw = rawMail({ from: email, to, files: [jpeg] });
    await expect(handOver(service, raw)).rejects.toThrow("fetch failed");
    await service.ended;
    expect(service.child.signalCode).toBe("SIGKILL");
    expect(await answersOf(site)).toHaveLength(killed.before);

    const next = await site.start({ env });
    for (const result of [killed.result, "repeated"]) {
      const response = await handOver(next, raw);
      expect([response.status, await response.json()]).toEqual([200, { result }]);
    }
    expect(await site.resumeFiles()).toHaveLength(killed.filesBefore);
    next.child.kill("SIGTERM");
    await next.ended;

    await site.start({ env, aheadMs: laterMs });
    await until(async () => (await site.resumeFiles()).length === 1);
    await until(async () => (await site.contents()).mails.every(({ status }) => status === "sent"));
    expect((await answersOf(site)).length).toBe(1);
    expect((await site.contents()).mails.filter(({ kind }) => kind === "answer")).toHaveLength(1);
    expect([...site.copies().values()]).toEqual([1, 1, 1]);
  },
);

const behindMailbox = [
  { failpoint: "answer-files-kept", before: 0 },
  { failpoint: "answer-filed", before: 1 },
] as const;
nightly.each(behindMailbox)(
  "killed at $failpoint behind a mailbox: the mail is fetched again, and kept once",
  patient,
  async (killed) => {
    await using database = await databaseOrFile();
    await using site = await CrashSite.open(database);
    await using server = await ImapStandIn.open();
    const { INBOUND_WEBHOOK_AUTH: _, ...inbound } = env;
    const mailbox = { ...inbound, IMAP_URL: server.url };
    const fetched = (uid: number) => server.commands.filter((line) => line.startsWith(`UID FETCH ${uid} (BODY.PEEK[]`));
    const service = await site.start({ failpoint: killed.failpoint, env: mailbox });
    await until(() => server.commands.at(-1) === "IDLE");
    await inquire(service, email);
    const to = site.postmark.taken.find(({ To }) => To === email)!.ReplyTo!;
    server.add(rawMail({ from: email, to, files: [jpeg] }));
    await service.ended;
    expect(service.child.signalCode).toBe("SIGKILL");
    expect(await answersOf(site)).toHaveLength(killed.before);

    const next = await site.start({ env: mailbox, aheadMs: laterMs });
    await until(() => fetched(1).length === 2);
    await until(() => server.commands.at(-1) === "IDLE");
    await until(async () => (await site.resumeFiles()).length === 1);
    server.add(rawMail({ from: email, to, text: "And this." }));
    await until(async () => (await answersOf(site)).length === 2);
    next.child.kill("SIGTERM");
    await next.ended;

    await site.start({ env: mailbox, aheadMs: 2 * laterMs });
    await until(() => server.commands.at(-1) === "IDLE");
    expect([fetched(1).length, fetched(2).length, (await answersOf(site)).length]).toEqual([2, 1, 2]);
    await until(async () => (await site.contents()).mails.every(({ status }) => status === "sent"));
    expect([...site.copies().values()].every((copies) => copies === 1)).toBe(true);
  },
);

test(
  "killed before the row of a reply's file: what was acknowledged leaves with the reply, the other is swept",
  patient,
  async () => {
    await using database = await databaseOrFile();
    await using site = await CrashSite.open(database);
    const service = await site.start({ failpoint: "resume-kept:kill:2", env });
    // Before the vault is paired with the store, the sweep takes nothing.
    const pairing = () => readdir(join(site.dataFolder, "resumes/.identity")).catch(() => []);
    await until(async () => (await pairing()).length === 1);
    const reference = await inquire(service, email);
    const sam = await operator({ url: service.url, storage: site.storage }, "sam@example.org", "sales");
    const attach = (one: Operator, text: string) =>
      one.fetch(`/console/replies/files/${reference}`, {
        method: "POST",
        body: text,
        headers: { "content-type": "application/octet-stream", "x-file-name": "offer.txt" },
      });
    const acknowledged = await (await attach(sam, "Our offer")).json();
    await expect(attach(sam, "Lost")).rejects.toThrow("fetch failed");
    await service.ended;
    expect(service.child.signalCode).toBe("SIGKILL");
    expect(await site.resumeFiles()).toHaveLength(2);

    const next = await site.start({ env, aheadMs: laterMs });
    await until(async () => (await site.resumeFiles()).length === 1);
    const again = Object.assign(new Operator(next), { cookie: sam.cookie });
    const { attached } = (await again.call("submission.get", { reference })).data as SubmissionDetail;
    expect(attached).toEqual([acknowledged]);
    const files = attached.map(({ id }) => id);
    expect((await again.call("reply.send", { reference, text: "Here it is.", files })).status).toBe(200);
    await until(() => site.postmark.taken.some(({ Attachments = [] }) => Attachments.length > 0));
    const sent = site.postmark.taken.flatMap(({ Attachments = [] }) => Attachments.map(({ Content }) => Content));
    expect(sent.map((content) => sha256(Buffer.from(content, "base64")))).toEqual([sha256(Buffer.from("Our offer"))]);
  },
);
