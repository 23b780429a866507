// The SMTP mailer against a real SMTP server: what arrives, and what it makes of refusals and of silence.
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Mailer, MailOutcome, OutgoingMail } from "../../../server/src/mail/mailer.ts";
import { messageId } from "../../../server/src/mail/message-id.ts";
import { openSmtpMailer } from "../../../server/src/mail/providers/smtp.ts";
import { anew } from "../../support/shared.ts";
import { SmtpStandIn, type SmtpBehaviour } from "../../support/smtp-stand-in.ts";
import { from, inquiry, messageKey, oneOfEach, welcomes } from "../../support/mail/examples.ts";

const standIn = anew(() => SmtpStandIn.open());
const mailer: () => Mailer = anew(() => openSmtpMailer(standIn().url, from, messageKey));

/** Gives up soon on a server that does not ask for the mail, or on one that does not reply to it. */
const hasty = (soon: "handOverMs" | "replyMs") =>
  openSmtpMailer(standIn().url, from, messageKey, { handOverMs: 60_000, replyMs: 60_000, [soon]: 200 });

/** Sends mails as the outbox does: one a call, as many calls at once as the mailer allows. */
async function send(mails: readonly OutgoingMail[]): Promise<MailOutcome[]> {
  const outcomes: MailOutcome[] = [];
  const waiting = mails.entries();
  const calls = Array.from({ length: mailer().calls.fresh + mailer().calls.due }, async () => {
    for (const [position, mail] of waiting) [outcomes[position]] = (await mailer().send([mail])) as [MailOutcome];
  });
  await Promise.all(calls);
  return outcomes;
}

test("delivers every kind of mail whole", async () => {
  const mails = oneOfEach();
  const outcomes = await send(mails);
  expect(outcomes.map(({ result }) => result)).toEqual(mails.map(() => "taken"));
  for (const mail of mails) {
    const received = standIn().received.find(({ message }) => message.messageId === messageId(mail, from, messageKey))!;
    expect(received.envelope).toEqual({ from: from.address, to: mail.content.to });
    expect(received.message.subject).toBe(mail.content.subject);
    expect(received.message.text?.trimEnd()).toBe(mail.content.text.trimEnd());
    expect(received.message.html?.trimEnd()).toBe(mail.content.html.trimEnd());
    expect(received.message.replyTo?.map(({ address }) => address) ?? []).toEqual(mail.content.replyTo);
  }
});

test("delivers many mails over five connections, which stay open", async () => {
  const mails = welcomes(50);
  const outcomes = await send(mails);
  expect(outcomes.every(({ result }) => result === "taken")).toBe(true);
  expect(new Set(standIn().received.map(({ message }) => message.messageId)).size).toBe(mails.length);
  expect(standIn().connections).toBeLessThanOrEqual(5);
});

const all = (code: number | string, words: string) => ({ recipients: { "reader0@example.org": { code, words } } });
const data = (code: number, words: string): SmtpBehaviour => ({ data: { code, words } });
const refused = (inactiveRecipient: boolean) => ({ result: "refused", inactiveRecipient });
const later = (cause: string) => ({ result: "later", cause });

test.each<[string, SmtpBehaviour, object]>([
  ["an unknown mailbox", all(550, "5.1.1 No such user reader0@example.org"), refused(true)],
  ["a disabled mailbox", all(550, "5.2.1 Disabled"), refused(true)],
  ["a bad address", all(553, "5.1.3 Bad syntax"), refused(false)],
  ["relaying denied", all(554, "5.7.1 Relay access denied"), later("recipient")],
  ["a login that is wanted", all(530, "5.7.0 Authentication required"), later("configuration")],
  ["a greylisted recipient", all(450, "4.7.1 Greylisted"), later("recipient")],
  ["a full mailbox", all(452, "4.2.2 Over quota"), later("recipient")],
  ["a server going down", all(421, "4.3.2 Shutting down"), later("provider")],
  ["a refused sender", { sender: { code: 550, words: "5.7.1 Not your address" } }, later("configuration")],
  ["words that are no SMTP", all("Hello", "reader0@example.org"), later("provider")],
  ["a refused message", data(554, "5.6.0 Looks like spam"), refused(false)],
  ["a message that breaks a policy", data(554, "5.7.1 Rejected"), refused(false)],
  ["a message that we may not send", data(554, "5.2.252 SendAsDenied"), later("recipient")],
  ["a message that is not authentic", data(550, "5.7.26 Unauthenticated"), later("recipient")],
  ["a message too many", data(550, "5.4.5 Daily limit exceeded"), later("recipient")],
  [
    "an account that is not verified",
    data(554, "Message rejected: Email address is not verified."),
    later("recipient"),
  ],
  ["an account that is paused", data(554, "Message rejected: Sending paused for this account."), later("recipient")],
  ["a message refused without a reason", data(554, "Transaction failed"), refused(false)],
  ["a message too large", data(552, "5.3.4 Too big"), refused(false)],
  ["a message for later", data(451, "4.3.0 Try again"), later("provider")],
  ["a connection lost before the message", { recipient: "close" }, later("provider")],
  ["silence before the message", { recipient: "hang" }, { ...later("provider"), error: "smtp: time-out" }],
  ["a connection lost after the message", { data: "close" }, later("ambiguous")],
  ["a connection lost after the message was kept", { data: "closeTaken" }, later("ambiguous")],
  ["silence after the message", { data: "hang" }, later("ambiguous")],
])("judges %s", async (_, behaviour, outcome) => {
  standIn().behaviour = behaviour;
  await using impatient = hasty(behaviour.recipient === "hang" ? "handOverMs" : "replyMs");
  const [judged] = await (Object.values(behaviour).includes("hang") ? impatient : mailer()).send(welcomes(1));
  expect(judged).toMatchObject(outcome);
  expect(standIn().received.length).toBeLessThanOrEqual(behaviour.data === "closeTaken" ? 1 : 0);
  // A server's words quote the recipient.
  expect(JSON.stringify(judged)).not.toMatch(/example|reader/);
});

test("judges each mail by itself", async () => {
  standIn().behaviour = all(550, "5.1.1 No such user");
  expect((await send(welcomes(3))).map(({ result }) => result)).toEqual(["refused", "taken", "taken"]);
});

describe("a server that is slow", () => {
  test("over its reply is waited for, longer than for the question for the mail", async () => {
    await using patient = openSmtpMailer(standIn().url, from, messageKey, { handOverMs: 300, replyMs: 60_000 });
    standIn().behaviour = { slow: () => sleep(350) };
    const [mail] = welcomes(1);
    // On a busy machine the first tries may end before the server has asked for the mail.
    await expect.poll(() => patient.send([mail!])).toMatchObject([{ result: "taken" }]);
    expect(standIn().received).toHaveLength(1);
  });

  test("has each mail once, and none waits for another's reply", async () => {
    const replies: (() => void)[] = [];
    standIn().behaviour = { slow: () => new Promise<void>((resolve) => replies.push(resolve)) };
    const sent = welcomes(5).map((mail) => mailer().send([mail]));
    await expect.poll(() => replies.length).toBe(5);
    replies[3]!();
    // Over five connections mails come in any order.
    expect(await Promise.race(sent)).toMatchObject([{ result: "taken" }]);
    for (const reply of replies) reply();
    expect((await Promise.all(sent)).flat().every(({ result }) => result === "taken")).toBe(true);
    expect(standIn().received).toHaveLength(5);
  });

  test("beyond all patience may have the mail", async () => {
    standIn().behaviour = { slow: () => new Promise(() => {}) };
    await using impatient = hasty("replyMs");
    expect(await impatient.send(welcomes(1))).toEqual([{ ...later("ambiguous"), error: "smtp: time-out" }]);
    expect(standIn().asked).toBe(1);
    // The connection is given up with it: the next mail goes over another one.
    standIn().behaviour = {};
    await expect.poll(() => impatient.send(welcomes(1))).toMatchObject([{ result: "taken" }]);
    expect(standIn().connections).toBeGreaterThan(1);
  });
});

test("counts a notice as taken when one of the team's addresses is, and tells of the other", async () => {
  standIn().behaviour = { recipients: { "boss@datasets.example": { code: 550, words: "5.1.1 Left" } } };
  const [outcome] = await mailer().send([oneOfEach()[1]!]);
  expect(outcome).toMatchObject({ result: "taken", missed: "1 refused: smtp: 550 5.1.1 RCPT TO" });
  expect(standIn().received[0]).toMatchObject({ envelope: { to: ["sales@datasets.example"] } });
  expect(standIn().received[0]!.message.replyTo?.[0]?.address).toBe(inquiry.email);
});

test("counts a notice as taken by one of the team's addresses when the other may take it later", async () => {
  standIn().behaviour = { recipients: { "boss@datasets.example": { code: 451, words: "4.7.1 Greylisted boss" } } };
  const [outcome] = await mailer().send([oneOfEach()[1]!]);
  const partly = { has: ["sales@datasets.example"], error: "1 refused: smtp: 451 4.7.1 RCPT TO" };
  expect(outcome).toStrictEqual({ result: "taken", providerId: expect.any(String), partly });
});

test("sends a notice to one of the team's addresses when the server leaves at the other", async () => {
  standIn().behaviour = { recipients: { "boss@datasets.example": { code: 421, words: "4.7.0 Too many boss" } } };
  const [outcome] = await mailer().send([oneOfEach()[1]!]);
  const partly = { has: ["sales@datasets.example"], error: "smtp: 421 4.7.0 CONN" };
  expect(outcome).toStrictEqual({ result: "taken", providerId: expect.any(String), partly });
  expect(standIn().received.map(({ envelope }) => envelope.to)).toEqual([["sales@datasets.example"]]);
});

test("tries a notice again while one of the team's addresses may take it later, whatever the last one says", async () => {
  const recipients = {
    "sales@datasets.example": { code: 554, words: "5.7.1 Relay access denied" },
    "boss@datasets.example": { code: 550, words: "5.1.1 Left" },
  };
  standIn().behaviour = { recipients };
  expect(await mailer().send([oneOfEach()[1]!])).toMatchObject([later("recipient")]);
});

test("sends once, over a new connection, when the server has dropped the idle one", async () => {
  await mailer().send(welcomes(1));
  standIn().dropConnections();
  const [outcome] = await mailer().send(welcomes(1));
  expect(outcome).toMatchObject({ result: "taken" });
  expect(standIn().received).toHaveLength(2);
});

test("knows that nothing was sent when no server listens", async () => {
  await using lost = openSmtpMailer("smtp://127.0.0.1:9", from, messageKey);
  const [outcome] = await lost.send(welcomes(1));
  expect(outcome).toEqual({ result: "later", error: "smtp: ECONNREFUSED", cause: "provider" });
});

test("says the name that the address gives, else the sender's domain where the host has no full name", async () => {
  await using named = openSmtpMailer(`${standIn().url}?name=mail.datasets.example`, from, messageKey);
  await named.send(welcomes(1));
  await mailer().send(welcomes(1));
  const own = hostname().includes(".") ? hostname() : from.address.split("@")[1];
  expect([...standIn().names]).toEqual(["mail.datasets.example", own]);
});

describe("with a login", () => {
  const login = { user: "service", password: "Hunter2Hunter2" };
  const anyCertificate = "?tls.rejectUnauthorized=false";

  /** Sends one mail and says what the server saw in clear text, with what it decodes to. */
  async function sendTo(server: SmtpStandIn, url: string) {
    await using client = openSmtpMailer(url, from, messageKey);
    const [outcome] = await client.send(welcomes(1));
    const clear = Buffer.concat(server.inClear).toString();
    const decoded = clear.split(/\s/).map((word) => Buffer.from(word, "base64").toString());
    return { outcome, sawPassword: [clear, ...decoded].some((text) => text.includes(login.password)) };
  }

  test("logs in over TLS", async () => {
    await using server = await SmtpStandIn.open(login, true);
    const { outcome, sawPassword } = await sendTo(server, server.url + anyCertificate);
    expect([outcome?.result, sawPassword]).toEqual(["taken", false]);
  });

  test("sends neither password nor mail without TLS", async () => {
    await using server = await SmtpStandIn.open(login);
    const { outcome, sawPassword } = await sendTo(server, server.url);
    expect(outcome).toMatchObject({ ...later("configuration"), error: expect.stringMatching(/STARTTLS/) });
    expect([sawPassword, server.received]).toEqual([false, []]);
    expect(server.inClear.length).toBeGreaterThan(0);
  });

  test("sends nothing to a server with another certificate", async () => {
    await using server = await SmtpStandIn.open(login, true);
    const { outcome, sawPassword } = await sendTo(server, server.url);
    expect([outcome?.result, sawPassword, server.received]).toEqual(["later", false, []]);
  });

  test.each(["requireTLS=false", "ignoreTLS=true"])("logs in without TLS if told to by %s", async (told) => {
    await using server = await SmtpStandIn.open(login);
    const { outcome, sawPassword } = await sendTo(server, `${server.url}?${told}`);
    expect([outcome?.result, sawPassword]).toEqual(["taken", true]);
  });

  test("calls wrong credentials a configuration fault, without naming them", async () => {
    await using server = await SmtpStandIn.open(login, true);
    const url = server.url.replace(login.password, "wrong") + anyCertificate;
    await using client = openSmtpMailer(url, from, messageKey);
    const outcomes = await client.send(welcomes(2));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ result: "later", cause: "configuration" });
    expect(JSON.stringify(outcomes)).not.toMatch(/service|wrong|example/);
  });
});

test("sends nothing without TLS where the address requires it", async () => {
  await using strict = openSmtpMailer(`${standIn().url}?requireTLS=true`, from, messageKey);
  expect(await strict.send(welcomes(1))).toMatchObject([{ result: "later", cause: "configuration" }]);
  expect(standIn().received).toEqual([]);
});
