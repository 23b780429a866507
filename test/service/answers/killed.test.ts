// A process that is killed while it files an answer: Postmark hands the mail over again, and it is kept once.
import { expect, test } from "vitest";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { handOver, inboundEnv, rawMail } from "../../support/answers/mails.ts";
import { CrashSite, laterMs } from "../../support/crash/crash-site.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { createDatabase } from "../../support/service-database.ts";
import { until } from "../../support/service-process.ts";

// It starts processes, one after the other.
const patient = { timeout: 300_000 };
const env = inboundEnv;
const email = "ann@example.org";

async function answersOf(site: CrashSite) {
  await using store = await openStore(site.storage, { access: "read-only" });
  const facts = await Array.fromAsync(store.desk.readPerson({ kinds: ["inquiry"], subscribers: false }, email));
  return facts.filter(({ kind }) => kind === "answer");
}

test.each([
  { failpoint: "answer-files-kept", before: 0, result: "filed", filesBefore: 2 },
  { failpoint: "answer-filed", before: 1, result: "repeated", filesBefore: 1 },
] as const)("killed at $failpoint: kept once, told of once, no file is left over", patient, async (killed) => {
  await using database = process.env["TEST_DATABASE"] === "postgres" ? await createDatabase("empty") : null;
  await using site = await CrashSite.open(database);
  const service = await site.start({ failpoint: killed.failpoint, env });
  expect((await rest.send(service, "marketplace.inquiry", json({ ...buyer, email }))).status).toBe(200);
  const to = site.postmark.taken.find(({ To }) => To === email)!.ReplyTo!;
  const raw = rawMail({ from: email, to, files: [{ name: "me.jpg", bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) }] });
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
});
