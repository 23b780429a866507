// Which mails programs sent: many makes of them, and as many of persons that look like them.
import { expect, it } from "vitest";
import { manyOrFew } from "../../support/many-or-few.ts";
import { readMail } from "../../../server/src/inbound/read-mail.ts";

const marks = [
  "Auto-Submitted: auto-generated",
  "Auto-Submitted: auto-replied",
  "AUTO-SUBMITTED: Auto-Replied (vacation)",
  "Auto-Submitted: auto-notified; owner-email=a@example.org",
  "Auto-submitted:\r\n auto-generated (failure)",
  "Auto-Submitted: no-reply",
  "Auto-Submitted: no.reply",
  "Precedence: bulk",
  "precedence: Junk",
  "Precedence: list",
  "Precedence: auto_reply",
  "List-Id: <friends.lists.example.org>",
  "List-ID: Friends\r\n\t<friends.lists.example.org>",
  "X-Autoreply: yes",
  "X-Autorespond: Away",
  "Return-Path: <>",
  "Return-Path:  < >",
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  "Content-Type: multipart/report; report-type=disposition-notification; boundary=b",
  'content-type: MULTIPART/REPORT;\r\n\treport-type="feedback-report";\r\n\tboundary="b"',
];
const notMarks = [
  "Auto-Submitted: no",
  "Auto-Submitted: (by hand) No",
  "Auto-Submitted: no (a person); by=hand",
  "Auto-Submitted: no; by=hand",
  "Precedence: normal",
  "Precedence: first-class",
  "X-Auto-Response-Suppress: OOF",
  "Return-Path: <eve@example.org>",
  "X-Precedence: bulk",
  "List-Unsubscribe: <mailto:a@example.org>",
  'Content-Type: multipart/mixed; boundary="b"',
  "Subject: Auto-Submitted: auto-replied",
];
const subjects = [
  "Automatic reply: Hello",
  "Abwesenheitsnotiz",
  "自動応答",
  "Re: Your inquiry",
  "Undeliverable: x",
  "",
];
const senders = ["eve@example.org", "MAILER-DAEMON@mx.example.org", "noreply@example.org", "postmaster@example.jp"];

const mailOf = (number: number, mark: string) =>
  Buffer.from(
    [
      ...(mark.startsWith("Subject") ? [] : [`Subject: ${subjects[number % subjects.length]}`]),
      ...(number % 2 === 0 ? [mark] : []),
      `From: Eve <${senders[number % senders.length]}>`,
      "To: answers+abc@desk.example",
      `Message-ID: <${number}@example.org>`,
      ...(number % 2 === 0 ? [] : [mark]),
      "",
      "--b\r\n\r\nHello\r\n\r\nAuto-Submitted: auto-replied\r\n\r\n--b--",
    ].join("\r\n"),
  );

it("knows mails of programs, and those of persons", async () => {
  for (let number = 0; number < manyOrFew(1_000); number += 1) {
    const mark = marks[number % marks.length] ?? "";
    expect((await readMail(mailOf(number, mark))).automatic, mark).toBe(true);
    const notMark = notMarks[number % notMarks.length] ?? "";
    expect((await readMail(mailOf(number, notMark))).automatic, notMark).toBe(false);
  }
});

it("knows a mail without a sender of its envelope", async () => {
  expect(await readMail(mailOf(1, "Return-Path:"))).toMatchObject({ automatic: true });
  expect(await readMail(mailOf(1, "Return-Path: eve@example.org"))).toMatchObject({ automatic: false });
});
