import { expect, test } from "vitest";
import type { MailOutcome, OutgoingMail } from "./mailer.ts";
import { sendWithBisection } from "./send-with-bisection.ts";

const attach = async (mail: OutgoingMail) => mail;

const mails = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: String(index), content: {} }) as OutgoingMail);
const taken = ({ id }: OutgoingMail): MailOutcome => ({ result: "taken", providerId: id });

function mailerThatBreaksAt(...broken: string[]) {
  const calls: string[][] = [];
  const failed: unknown[] = [];
  const send = async (batch: readonly OutgoingMail[]) => {
    calls.push(batch.map(({ id }) => id));
    if (batch.some(({ id }) => broken.includes(id))) throw new RangeError("cannot be written");
    return batch.map(taken);
  };
  return { calls, failed, options: { mailer: { send }, attach, failed: (error: unknown) => void failed.push(error) } };
}

test("a mail that cannot be written stands alone in the end, and is reported once", async () => {
  const { options, calls, failed } = mailerThatBreaksAt("3");
  const outcomes = await sendWithBisection({ ...options, hasTime: () => true }, mails(5));
  expect(outcomes).toEqual(
    mails(5).map((mail) => (mail.id === "3" ? { result: "broken", error: "not written: RangeError" } : taken(mail))),
  );
  expect(calls).toEqual([["0", "1", "2", "3", "4"], ["0", "1", "2"], ["3", "4"], ["3"], ["4"]]);
  expect(failed).toEqual([new RangeError("cannot be written")]);
});

test("what is thrown and is no error has the name of its type", async () => {
  const options = { mailer: { send: () => Promise.reject<MailOutcome[]>("words") }, attach, failed: () => {} };
  expect(await sendWithBisection({ ...options, hasTime: () => true }, mails(1))).toEqual([
    { result: "broken", error: "not written: string" },
  ]);
});

test("when the time is over the rest is not handed over, which is no outcome", async () => {
  const { options, calls } = mailerThatBreaksAt("0");
  let asked = 0;
  const hasTime = () => (asked += 1) <= 2;
  expect(await sendWithBisection({ ...options, hasTime }, mails(4))).toEqual([null, null, null, null]);
  expect(calls).toEqual([
    ["0", "1", "2", "3"],
    ["0", "1"],
  ]);
});

test("a mail of which the mailer says nothing may have been sent", async () => {
  const options = {
    mailer: { send: async (batch: readonly OutgoingMail[]) => [taken(batch[0]!)] },
    attach,
    failed: () => {},
  };
  expect(await sendWithBisection({ ...options, hasTime: () => true }, mails(2))).toEqual([
    taken(mails(2)[0]!),
    { result: "later", error: "mailer: no outcome", cause: "ambiguous" },
  ]);
});

test("a mail with files is handed over alone, and later when they cannot be read", async () => {
  const { options, calls, failed } = mailerThatBreaksAt();
  const batch = mails(4).map((mail, at) => (at === 1 || at === 3 ? { ...mail, content: { files: [{}] } } : mail));
  const away = new Error("away");
  const reading = async (mail: OutgoingMail) => (mail.id === "3" ? Promise.reject(away) : mail);
  const outcomes = await sendWithBisection(
    { ...options, attach: reading, hasTime: () => true },
    batch as OutgoingMail[],
  );
  const [first, second, third] = mails(4);
  const unready = { result: "unready", error: "files not read: Error" };
  expect(outcomes).toEqual([taken(first!), taken(second!), taken(third!), unready]);
  expect([calls, failed]).toEqual([[["0"], ["1"], ["2"]], [away]]);
});
