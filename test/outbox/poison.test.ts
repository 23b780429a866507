// Mails that nobody can send, and rows that nobody can read: they hold up no other, and end where an operator sees them.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMailboxMailer } from "../../server/src/mail/providers/mailbox.ts";
import type { OutgoingMail } from "../../server/src/mail/mailer.ts";
import { openPostmarkMailer } from "../../server/src/mail/providers/postmark.ts";
import { openSmtpMailer } from "../../server/src/mail/providers/smtp.ts";
import { mail } from "../contract/records.ts";
import { PostmarkStandIn } from "../support/postmark-stand-in.ts";
import { SmtpStandIn } from "../support/smtp-stand-in.ts";
import { eventually } from "./mail-service.ts";
import { from, hour, mailerOf, openOutboxUnderTest, taken } from "./outbox-under-test.ts";

test("a mail that makes the mailer throw takes no other with it, and ends as failed", async () => {
  await using tested = await openOutboxUnderTest();
  const mails = await tested.storeDueMails(40);
  const poison = mails[17]!.id;
  const sent: string[] = [];
  const { outbox, stumbled } = tested.openSender({
    mailer: mailerOf(
      async (batch) => {
        if (batch.some(({ id }) => id === poison)) throw new TypeError("secret@recipient.example");
        sent.push(...batch.map(({ id }) => id));
        return taken(batch);
      },
      { batchMax: 40 },
    ),
  });
  outbox.start();
  await eventually(() => sent.length).toBe(39);
  await eventually(() => {
    tested.clock.advance(hour);
    return tested.store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 1 });
  const failed = await tested.store.listMails({ status: "failed", limit: 10 });
  expect(failed).toMatchObject([{ id: poison, attempts: 5, lastError: "given up: mailer: TypeError" }]);
  expect(sent.toSorted()).toEqual(
    mails
      .map(({ id }) => id)
      .filter((id) => id !== poison)
      .toSorted(),
  );
  expect(stumbled.every((error) => error instanceof TypeError)).toBe(true);
});

test("a row that cannot be read takes no other with it, and is seen by the operator", async () => {
  await using tested = await openOutboxUnderTest();
  const mails = await tested.storeDueMails(5);
  await tested.sqlite.spoilMail(mails[0]!.id, "recipients");
  tested.openSender().outbox.start();
  await eventually(() => tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 1 });
  expect(tested.taken()).toHaveLength(4);
  const failed = await tested.store.listMails({ status: "failed", limit: 10 });
  expect(failed).toMatchObject([{ id: mails[0]!.id, lastError: "unreadable row" }]);
});

// The type forbids it; a row of another version may hold it.
const unwritable = mail({ content: { ...mail().content, text: null as never, headers: null as never } });
const batch: readonly OutgoingMail[] = [mail(), mail(), unwritable];

test("the mailbox writes nothing of a batch with a mail that cannot be written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mailbox-"));
  await using mailer = await openMailboxMailer(folder, from);
  await expect(mailer.send(batch)).rejects.toThrow(TypeError);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("Postmark is handed nothing of a batch with a mail that cannot be written", async () => {
  await using postmark = await PostmarkStandIn.open();
  await using mailer = openPostmarkMailer({ token: postmark.token, apiUrl: postmark.url }, from);
  await expect(mailer.send(batch)).rejects.toThrow(TypeError);
  expect(postmark.requests).toEqual([]);
});

test("SMTP is handed nothing of a batch with a mail that cannot be written", async () => {
  await using server = await SmtpStandIn.open();
  await using mailer = openSmtpMailer(server.url, from);
  await expect(mailer.send(batch)).rejects.toThrow(TypeError);
  expect(server.connections).toBe(0);
});
