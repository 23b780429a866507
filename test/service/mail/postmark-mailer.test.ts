// Postmark's mailer against a stand-in over real sockets: what it posts, and what it makes of every kind of answer.
import { createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { OutgoingMail } from "../../../server/src/mail/mailer.ts";
import { messageId } from "../../../server/src/mail/message-id.ts";
import { openPostmarkMailer } from "../../../server/src/mail/providers/postmark.ts";
import { listening } from "../../support/listening.ts";
import { PostmarkStandIn, type PostmarkFault } from "../../support/postmark-stand-in.ts";
import { shared } from "../../support/shared.ts";
import { from, inquiry, messageKey, oneOfEach, welcomes } from "../../support/mail/examples.ts";

const standIn = shared(() => PostmarkStandIn.open());

const mailer = (more: { token?: string; apiUrl?: string; timeoutMs?: number } = {}) =>
  openPostmarkMailer({ token: standIn().token, apiUrl: standIn().url, ...more }, from, messageKey);

test("posts one mail by itself, with stream, tag, metadata, Reply-To and headers, and without tracking", async () => {
  const notice = oneOfEach()[1]!;
  const [outcome] = await mailer().send([notice]);
  const taken = standIn().taken.at(-1)!;
  expect(outcome).toEqual({ result: "taken", providerId: taken.MessageID });
  expect(standIn().requests.at(-1)).toMatchObject({ path: "/email", messages: 1 });
  expect(taken).toMatchObject({
    From: '"Accent Datasets" <hello@datasets.example>',
    To: "sales@datasets.example, boss@datasets.example",
    ReplyTo: inquiry.email,
    Subject: notice.content.subject,
    TextBody: notice.content.text,
    HtmlBody: notice.content.html,
    MessageStream: "outbound",
    Tag: "inquiry-notice",
    Metadata: { mailId: notice.id, kind: "inquiry-notice", reference: inquiry.reference },
    TrackOpens: false,
    TrackLinks: "None",
  });
  expect(taken.Headers).toContainEqual({ Name: "Auto-Submitted", Value: "auto-generated" });
  expect(taken.Headers).toContainEqual({ Name: "Message-ID", Value: messageId(notice, from, messageKey) });
  expect(taken.Headers).toContainEqual({ Name: "X-PM-KeepID", Value: "true" });
});

test("leaves out what a mail does not have", async () => {
  await mailer().send(welcomes(1));
  const taken = standIn().taken.at(-1)!;
  expect(taken).not.toHaveProperty("ReplyTo");
  expect(taken.Metadata).not.toHaveProperty("reference");
  expect(taken.Headers).toContainEqual({ Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click" });
});

test("sends a batch in one call and judges every mail by its own entry", async () => {
  standIn().refuse("reader1@example.org", 406);
  standIn().refuse("reader3@example.org", 300);
  const before = standIn().requests.length;
  const outcomes = await mailer().send(welcomes(5));
  expect(standIn().requests.slice(before)).toMatchObject([{ path: "/email/batch", messages: 5 }]);
  expect(outcomes.map((outcome) => outcome.result)).toEqual(["taken", "refused", "taken", "refused", "taken"]);
  expect(outcomes[1]).toMatchObject({ inactiveRecipient: true });
  expect(outcomes[3]).toMatchObject({ inactiveRecipient: false });
});

test("a recipient that Postmark leaves out is told, and not by name", async () => {
  standIn().refuse("left@example.org", 406);
  const [mail] = welcomes(1);
  const to = ["right@example.org", "left@example.org"];
  const [outcome] = await mailer().send([{ ...mail!, content: { ...mail!.content, to } }]);
  expect(outcome).toMatchObject({ result: "taken", missed: "postmark: inactive recipients" });
});

test("takes 500 mails at once, and none at all", async () => {
  const outcomes = await mailer().send(welcomes(500));
  expect(outcomes.filter(({ result }) => result === "taken")).toHaveLength(498);
  expect(await mailer().send([])).toEqual([]);
});

const error = (status: number, code = 0): PostmarkFault => ({ kind: "error", status, code });
const body = (status: number, text: string): PostmarkFault => ({ kind: "body", status, body: text, taken: true });

const refused = (inactiveRecipient: boolean) => ({ result: "refused", inactiveRecipient });
const later = (cause: string) => ({ result: "later", cause });

test.each<[string, PostmarkFault, object]>([
  ["an inactive recipient", error(422, 406), refused(true)],
  ["an invalid message", error(422, 300), refused(false)],
  ["a forbidden file", error(422, 411), refused(false)],
  ["a message too large", error(413), refused(false)],
  ["an unknown sender signature", error(422, 400), later("configuration")],
  ["an unconfirmed sender signature", error(422, 401), later("configuration")],
  ["an account without credits", error(422, 405), later("configuration")],
  ["an account under review", error(422, 412), later("configuration")],
  ["a closed account", error(422, 413), later("configuration")],
  ["an unknown message stream", error(422, 1235), later("configuration")],
  ["a wrong token", error(401, 10), later("configuration")],
  ["a guard in front of the API", body(403, "<html>Forbidden</html>"), later("configuration")],
  ["a wrong base address", body(404, "<html>Not found</html>"), later("configuration")],
  ["too many requests", error(429, 429), later("limit")],
  ["too many requests, said otherwise", error(422, 429), later("limit")],
  ["a fault at Postmark", error(500), later("ambiguous")],
  ["a gateway's page", body(502, "<html>Bad gateway</html>"), later("ambiguous")],
  ["maintenance", error(503, 100), later("ambiguous")],
  ["maintenance, said otherwise", error(422, 100), later("provider")],
  ["a gateway's time-out", body(504, ""), later("ambiguous")],
  ["an empty success", body(200, ""), later("ambiguous")],
  ["a page for a success", body(200, "<html>"), later("ambiguous")],
  ["JSON that is no answer", body(200, "null"), later("ambiguous")],
  ["a success without a message id", body(200, '{"ErrorCode":0,"Message":"OK"}'), later("ambiguous")],
  ["a message id that is no text", body(200, '{"ErrorCode":0,"MessageID":7}'), later("ambiguous")],
  ["an empty message id", body(200, '{"ErrorCode":0,"MessageID":""}'), later("ambiguous")],
  ["an error code that is no number", body(200, '{"ErrorCode":"0","MessageID":"x"}'), later("ambiguous")],
  ["a refusal in a success", body(200, '{"ErrorCode":406,"Message":"x"}'), refused(true)],
  ["an answer without end", body(200, " ".repeat(1_100_000)), later("ambiguous")],
  ["a cut answer", { kind: "cut", taken: true }, later("ambiguous")],
  ["a broken connection", { kind: "reset" }, later("ambiguous")],
])("judges %s", async (_, fault, outcome) => {
  standIn().failNext(fault);
  const before = standIn().requests.length;
  const [mail] = welcomes(1);
  const [judged] = await mailer().send([mail!]);
  expect(judged).toMatchObject(outcome);
  expect(standIn().requests.length - before).toBe(1);
  // Postmark's words quote the recipient.
  expect(JSON.stringify(judged)).not.toMatch(/example|reader|stand-in|secret/);
});

test.each(["[]", '[{"ErrorCode":0,"MessageID":"a"}]', '{"ErrorCode":0,"MessageID":"a"}'])(
  "takes %s for a batch of two as ambiguous for both",
  async (text) => {
    standIn().failNext(body(200, text));
    expect(await mailer().send(welcomes(2))).toMatchObject([later("ambiguous"), later("ambiguous")]);
  },
);

test.each(["hang", "trickle"] as const)("gives up after its time when the answer does not come (%s)", async (kind) => {
  await using hasty = mailer({ timeoutMs: 800 });
  // Over a connection that is open already, a mail leaves at once however busy the machine is.
  await expect.poll(() => hasty.send(welcomes(1))).toMatchObject([{ result: "taken" }]);
  standIn().failNext({ kind, taken: true });
  const [outcome] = await hasty.send(welcomes(1));
  expect(outcome).toMatchObject({ error: expect.stringContaining("time-out"), cause: "ambiguous" });
});

test("takes an answer that changes the protocol as ambiguous, and ends", async () => {
  const answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
  await using server = await listening(createServer((socket) => socket.once("data", () => socket.write(answer))));
  await using sent = mailer({ apiUrl: server.url });
  expect(await sent.send(welcomes(1))).toMatchObject([later("ambiguous")]);
  expect(await sent.find!([{ id: "unknown" }])).toMatchObject([later("ambiguous")]);
});

const withFile = (size: number): OutgoingMail => {
  const bytes = Buffer.alloc(size, "file");
  return { ...welcomes(1)[0]!, attachments: [{ name: "offer.pdf", type: "application/pdf", bytes }] };
};

test("waits longer for a large file than for a small one, however slowly it is read", async () => {
  const reads = Promise.withResolvers<void>();
  let length = 0;
  await using slow = await listening((request, response) => {
    request.on("end", () => response.end('{"ErrorCode":0,"MessageID":"m"}'));
    void reads.promise.then(() => request.on("data", (piece: Buffer) => (length += piece.length)));
  });
  await using sent = mailer({ apiUrl: slow.url, timeoutMs: 200 });
  const large = sent.send([withFile(7 * 1024 * 1024)]);
  // Begun later, and over first.
  expect(await sent.send([withFile(100)])).toEqual([{ ...later(expect.any(String)), error: "postmark: time-out" }]);
  reads.resolve();
  expect(await large).toEqual([{ result: "taken", providerId: "m" }]);
  expect(length).toBeGreaterThan(9_000_000);
});

test("a mail that is given up is not handed over any more", async () => {
  const begun = Promise.withResolvers<Socket>();
  await using deaf = await listening(createServer((socket) => begun.resolve(socket.pause())));
  await using sent = mailer({ apiUrl: deaf.url });
  const giveUp = new AbortController();
  // More than the system takes for a server that reads nothing.
  const size = 24 * 1024 * 1024;
  const outcome = sent.send([withFile(size)], giveUp.signal);
  const socket = await begun.promise;
  giveUp.abort();
  expect(await outcome).toMatchObject([{ result: "later", error: "postmark: time-out" }]);
  expect((await buffer(socket)).length).toBeLessThan(size);
  expect(await sent.send(welcomes(1), giveUp.signal)).toMatchObject([later("provider")]);
  expect(deaf.connections).toBe(1);
});

test("knows that nothing was sent when no server listens", async () => {
  const [outcome] = await mailer({ apiUrl: "http://127.0.0.1:9" }).send(welcomes(1));
  expect(outcome).toEqual({ result: "later", error: "postmark: ECONNREFUSED", cause: "provider" });
});

test("knows that nothing was sent when the connection cannot be made secure, or nothing comes before it is", async () => {
  const secure = (url: string) => mailer({ apiUrl: url.replace("http:", "https:"), timeoutMs: 200 }).send(welcomes(1));
  expect(await secure(standIn().url)).toMatchObject([later("provider")]);
  await using silent = await listening(createServer());
  expect(await secure(silent.url)).toEqual([{ ...later("provider"), error: "postmark: time-out" }]);
});

test("keeps its connection for the calls that follow", async () => {
  await using api = await PostmarkStandIn.open();
  await using kept = openPostmarkMailer({ token: api.token, apiUrl: api.url }, from, messageKey);
  for (const mail of welcomes(5)) expect(await kept.send([mail])).toMatchObject([{ result: "taken" }]);
  expect(await kept.find!([{ id: "unknown" }])).toEqual([{ result: "absent" }]);
  expect(api.connections).toBe(1);
});

test("calls a search that is refused a configuration fault, because no mail is to blame", async () => {
  standIn().failNext(error(422, 300));
  const told = { ...later("configuration"), error: "postmark: HTTP 422, code 300" };
  expect(await mailer().find!([{ id: "unknown" }])).toEqual([told]);
});

describe("Retry-After", () => {
  test("is honoured in seconds", async () => {
    standIn().failNext({ kind: "error", status: 429, headers: { "retry-after": "17" } });
    expect(await mailer().send(welcomes(1))).toMatchObject([{ cause: "limit", retryAfterMs: 17_000 }]);
  });

  test("is honoured as a date, for every mail of a batch", async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    standIn().failNext({ kind: "error", status: 503, headers: { "retry-after": date } });
    for (const outcome of await mailer().send(welcomes(2))) {
      const { cause, retryAfterMs } = outcome as { cause: string; retryAfterMs: number };
      expect([cause, retryAfterMs > 50_000, retryAfterMs <= 60_000]).toEqual(["ambiguous", true, true]);
    }
  });

  test("is left out when Postmark names no time, or one that is none", async () => {
    standIn().failNext(error(429), { kind: "error", status: 429, headers: { "retry-after": "soon" } });
    for (const outcome of [await mailer().send(welcomes(1)), await mailer().send(welcomes(1))]) {
      expect(outcome[0]).not.toHaveProperty("retryAfterMs");
    }
  });
});

test("does not follow a redirect, which would carry the token along", async () => {
  standIn().failNext({ kind: "error", status: 307, headers: { location: `${standIn().url}/email` } });
  const before = standIn().requests.length;
  expect(await mailer().send(welcomes(1))).toMatchObject([later("configuration")]);
  expect(standIn().requests.length - before).toBe(1);
});

test("halves a batch that is refused as a whole, so that one mail too large takes no other with it", async () => {
  // Refused are the five, the first three, the first two, and the first alone.
  const tooLarge = { kind: "error", status: 413 } as const;
  standIn().failNext(tooLarge, tooLarge, tooLarge, tooLarge);
  const mails = welcomes(10).slice(5);
  const outcomes = await mailer().send(mails);
  expect(outcomes.map(({ result }) => result)).toEqual(["refused", "taken", "taken", "taken", "taken"]);
  const latest = standIn().taken.slice(-4);
  expect(latest.map(({ Metadata }) => Metadata?.["mailId"])).toEqual(mails.slice(1).map(({ id }) => id));
});

test("ends a batch in its time, however often it was halved", async () => {
  const [hung, unsent] = [later("ambiguous"), later("provider")];
  for (let calls = 0; calls < 2;) {
    await using api = await PostmarkStandIn.open();
    api.failNext({ kind: "error", status: 413 }, { kind: "hang" });
    await using hasty = mailer({ apiUrl: api.url, timeoutMs: 901 });
    const outcomes = await hasty.send(welcomes(10).slice(6));
    calls = api.requests.length;
    // Once more if a busy machine took all of the time for the first call.
    if (calls === 2) expect(outcomes).toMatchObject([hung, hung, unsent, unsent]);
  }
});
