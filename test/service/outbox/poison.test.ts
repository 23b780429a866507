// Mails that cannot be sent, and rows that cannot be read: they hold up no other, and end where an operator sees them.
import { expect, test } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { compose } from "../../../server/src/mail/compose.ts";
import { useRaw } from "../../contract/sqlite-under-test.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import {
  hour,
  mailerOf,
  mailSettings,
  openOutboxUnderTest,
  taken,
  type OutboxUnderTest,
} from "../../support/outbox/outbox-under-test.ts";

/** Lets time pass until no mail is queued any more. One has failed by then. */
const untilOneFailed = (tested: OutboxUnderTest) =>
  eventually(() => {
    tested.letPass(hour);
    return tested.store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 1 });

test("a mail that cannot be written takes no other with it, and ends as failed", async () => {
  await using tested = await openOutboxUnderTest();
  const mails = await tested.storeDueMails(40);
  const poison = mails[17]!.id;
  const { outbox, failed } = tested.openSender({
    compose: (mail) => {
      if (mail.id === poison) throw new TypeError("secret@recipient.example");
      return compose(mail, mailSettings);
    },
  });
  outbox.start();
  await untilOneFailed(tested);
  expect(await listMails(tested.store.desk, { status: "failed", limit: 10 })).toMatchObject([
    { id: poison, attempts: 5, lastError: "given up: not written: TypeError" },
  ]);
  expect(tested.taken().toSorted()).toEqual(mails.flatMap(({ id }) => (id === poison ? [] : [id])).toSorted());
  expect(failed.every((error) => error instanceof TypeError)).toBe(true);
});

test("a mail that makes the mailer throw takes no other with it, and ends as failed", async () => {
  await using tested = await openOutboxUnderTest();
  const mails = await tested.storeDueMails(40);
  const poison = mails[17]!.id;
  const sent: string[] = [];
  const { outbox, failed } = tested.openSender({
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
  await untilOneFailed(tested);
  expect(await listMails(tested.store.desk, { status: "failed", limit: 10 })).toMatchObject([
    { id: poison, attempts: 5, lastError: "given up: not written: TypeError" },
  ]);
  expect(sent.toSorted()).toEqual(mails.flatMap(({ id }) => (id === poison ? [] : [id])).toSorted());
  expect(failed.every((error) => error instanceof TypeError)).toBe(true);
});

test("a row that cannot be read takes no other with it, and is seen by the operator", async () => {
  await using tested = await openOutboxUnderTest();
  const mails = await tested.storeDueMails(5);
  const { location } = tested;
  if (location.kind !== "sqlite") throw new Error("This test changes a file of SQLite.");
  useRaw(location.file, (database) => database.prepare("UPDATE mail SET tokens = '{' WHERE id = 1").run());
  tested.openSender().outbox.start();
  await eventually(() => tested.store.mailBacklog()).toMatchObject({ queued: 0, failed: 1 });
  expect(tested.taken()).toHaveLength(4);
  expect(await listMails(tested.store.desk, { status: "failed", limit: 10 })).toMatchObject([
    { id: mails[0]!.id, lastError: "unreadable row" },
  ]);
});
