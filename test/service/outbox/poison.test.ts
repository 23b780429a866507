// Mails that cannot be sent, and rows that cannot be read: they hold up no other, and end where an operator sees them.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { compose } from "../../../server/src/mail/compose.ts";
import { useRaw } from "../../contract/sqlite-under-test.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import {
  hour,
  mailerOf,
  mailSettings,
  outboxTest as test,
  taken,
  type OutboxUnderTest,
  type SenderOptions,
} from "../../support/outbox/outbox-under-test.ts";

/** Lets time pass until no mail is queued any more. One has failed by then. */
const untilOneFailed = (tested: OutboxUnderTest) =>
  eventually(() => {
    tested.letPass(hour);
    return tested.store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 1 });

const fail = () => {
  throw new TypeError("secret@recipient.example");
};

/** How a sender fails over one mail, and of all others says what was sent. */
const failures: Record<string, (poison: string, sent: string[]) => SenderOptions> = {
  "that cannot be written": (poison) => ({
    compose: (mail) => (mail.id === poison ? fail() : compose(mail, mailSettings)),
  }),
  "that makes the mailer throw": (poison, sent) => ({
    mailer: mailerOf(
      async (batch) => {
        if (batch.some(({ id }) => id === poison)) fail();
        sent.push(...batch.map(({ id }) => id));
        return taken(batch);
      },
      { batchMax: 40 },
    ),
  }),
};

test.for(Object.entries(failures))("a mail %s stops no other, and is failed", async ([_what, failing], { tested }) => {
  const mails = await tested.storeDueMails(40);
  const poison = mails[17]!.id;
  const sent: string[] = [];
  const { outbox, failed } = tested.openSender(failing(poison, sent));
  outbox.start();
  await untilOneFailed(tested);
  expect(await listMails(tested.store.desk, { status: "failed", limit: 10 })).toMatchObject([
    { id: poison, attempts: 5, lastError: "given up: not written: TypeError" },
  ]);
  const others = mails.flatMap(({ id }) => (id === poison ? [] : [id]));
  expect([...sent, ...tested.taken()].toSorted()).toEqual(others.toSorted());
  expect(failed.every((error) => error instanceof TypeError)).toBe(true);
});

test("a row that cannot be read takes no other with it, and is seen by the operator", async ({ tested }) => {
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
