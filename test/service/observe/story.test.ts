// At the level info the log tells what became of a submission, one line an event, and nothing of open consoles.
import { expect, test } from "vitest";
import { receiptsMax } from "../../../server/src/storage/rules/mails.ts";
import { operator } from "../../support/console/operator.ts";
import { type Answer, buyer, doors, json, rest } from "../../support/doors.ts";
import { keptLog } from "../../support/kept-log.ts";
import { startService } from "../../support/service.ts";

/** Without times and ids. */
const storyOf = (lines: readonly Record<string, unknown>[], { headers }: Pick<Answer, "headers">) =>
  lines
    .filter(({ requestId }) => requestId === headers.get("x-request-id"))
    .map(({ level: _1, time: _2, requestId: _3, ms: _4, mailId: _5, method: _6, ...told }) => told);

test.each(doors)("$name: accepted, repeated, spam, and each mail", async (door) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log });
  const procedure = "marketplace.inquiry";
  const send = (more: object, headers: Record<string, string> = {}) =>
    door.send(service, procedure, json({ ...buyer, ...more }, headers));
  const told = async (answer: Answer, result: string, mails: readonly object[]) => {
    const reference = answer.receipt?.["inquiryId"];
    const answered = { msg: "answered", route: expect.any(String), status: 200, procedure, reference, result };
    await expect.poll(() => storyOf(lines, answer)).toHaveLength(1 + mails.length);
    expect(storyOf(lines, answer)).toEqual(expect.arrayContaining([answered, ...mails]));
  };
  const sent = (mailKind: string) => ({ msg: "mail sent", mailKind, result: "sent" });
  const key = { "idempotency-key": "k" };
  await told(await send({}, key), "accepted", [sent("inquiry-receipt"), sent("inquiry-notice")]);
  await told(await send({}, key), "repeated", []);
  await told(await send({ website: "https://spam.example" }), "spam", []);
  for (let receipts = 1; receipts < receiptsMax; receipts += 1) await send({});
  const capped = { msg: "mail not sent", mailKind: "inquiry-receipt", result: "capped" };
  await told(await send({}), "accepted", [capped, sent("inquiry-notice")]);
});

test("what consoles read is told at debug, with the procedure; changes and refusals at info", async () => {
  const { lines, log } = keptLog("debug");
  await using service = await startService({ log });
  const eva = await operator(service, "eva@example.org", "sales");
  await rest.send(service, "marketplace.inquiry", json(buyer));
  const lineOf = async (path: string, input?: unknown) => {
    const answer = await eva.call(path, input);
    const mine = () => lines.filter(({ requestId }) => requestId === answer.headers.get("x-request-id"));
    await expect.poll(mine).toHaveLength(1);
    const [{ level, procedure, status } = {}] = mine();
    return [level, procedure, status];
  };
  expect(await lineOf("inbox.counts")).toEqual(["debug", "inbox.counts", 200]);
  expect(await lineOf("session.me")).toEqual(["debug", "session.me", 200]);
  expect(await lineOf("operators.list")).toEqual(["info", "operators.list", 404]);
  expect(await lineOf("no.such\n")).toEqual(["info", undefined, 404]);
  expect(await lineOf("session.signOut")).toEqual(["info", "session.signOut", 200]);
});
