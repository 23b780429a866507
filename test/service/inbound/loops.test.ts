// 1,000 mails of programs at the door, of many makes: none is answered, none reopens anything, none tells an operator.
import { expect, test } from "vitest";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { handOver, inboundEnv, passes, rawMail, reportBody } from "../../support/answers/mails.ts";
import { operator } from "../../support/console/operator.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { atNight } from "../../support/many-or-few.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService({ env: inboundEnv }));

/** What programs write of themselves: away, lists, tickets, receipts of reading, challenges. */
const makes: readonly (readonly string[])[] = [
  ["Auto-Submitted: auto-replied", "X-Auto-Response-Suppress: All"],
  ["Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: DR, OOF, AutoReply"],
  ["AUTO-SUBMITTED: Auto-Replied (vacation)", "X-Mailer: vacation 1.2"],
  ["Auto-Submitted: auto-notified", "X-Sieve: notify"],
  ["Precedence: bulk", "X-Loop: desk@example.org"],
  ["Precedence: auto_reply", "X-Autoreply: yes"],
  ["precedence: JUNK"],
  ["Precedence: list", "List-Id: Friends <friends.lists.example.org>", "List-Unsubscribe: <mailto:x@example.org>"],
  ["X-Autorespond: Away", "X-AutoReply-From: eve@example.org"],
  ["Return-Path: <>"],
];
const reports = ["delivery-status", "disposition-notification", "feedback-report"];
const senders = ["", "MAILER-DAEMON@mx.example.org", "noreply@example.org", "postmaster@example.jp"];
const subjects = [
  "Automatic reply: Hello",
  "Abwesenheitsnotiz",
  "自動応答",
  "Re: Your inquiry",
  "Undeliverable: x",
  "",
];

// A day of a submission has room for 100 of them.
const submissions = 10;
const each = atNight ? 100 : 10;

test("1,000 mails of programs send nothing and reopen nothing", { timeout: 600_000 }, async () => {
  const admin = await operator(service(), "root@example.org", "admin");
  const detailOf = async (reference: string) =>
    (await admin.call("submission.get", { reference })).data as SubmissionDetail;
  const asked: { reference: string; email: string; to: string; messageId: string }[] = [];
  for (let number = 0; number < submissions; number += 1) {
    const email = `ann${number}@example.org`;
    const { receipt } = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email }));
    const mail = (await service().mails()).find(({ to }) => to?.[0]?.address === email)!;
    const reference = receipt!["inquiryId"] as string;
    asked.push({ reference, email, to: mail.replyTo![0]!.address!, messageId: mail.messageId! });
    const targets = [{ reference, version: (await detailOf(reference)).version }];
    await admin.call("inbox.triage", { targets, status: "done" });
  }
  const before = (await service().mails()).length;
  for (const { email, to, messageId } of asked) {
    for (let number = 0; number < each; number += 1) {
      const of = number % (makes.length + reports.length);
      const report = reports[of - makes.length];
      const body = reportBody("4.2.2", messageId, email).replace(
        "report-type=delivery-status",
        `report-type=${report}`,
      );
      const mail = rawMail({
        // As if it were authentic, from the person or from a mail server.
        from: senders[number % senders.length] || email,
        to,
        subject: `${subjects[number % subjects.length]} ${number}`,
        headers: [passes("example.org"), ...(makes[of] ?? [])],
        ...(report !== undefined && { body }),
      });
      const response = await handOver(service(), mail);
      expect([response.status, await response.json()]).toEqual([200, { result: "filed" }]);
    }
  }
  for (const { reference } of asked) {
    const { status, answers, mails } = await detailOf(reference);
    expect([status, answers.length]).toEqual(["done", each]);
    expect(answers.every(({ sender }) => sender === "automatic")).toBe(true);
    expect(mails.map(({ kind }) => kind).toSorted()).toEqual(["inquiry-notice", "inquiry-receipt"]);
  }
  expect(await service().mails()).toHaveLength(before);
});
