// Sends through Postmark's API, one call for a mail and one for a batch, and asks it about mails that it may have.
import { Readable } from "node:stream";
import { Models, type ServerClient } from "postmark";
import { isFields } from "../../read-unknown.ts";
import { type Failure, failuresOf } from "../mailer.ts";
import type { Mailer, MailFinding, MailOutcome, OutgoingMail, Sender } from "../mailer.ts";
import { messageId } from "../message-id.ts";
import { openPostmarkApi, type Exchange, type PostmarkApi, type PostmarkSettings } from "./postmark-call.ts";
import type { MessageKey } from "../../storage/store.ts";

/** The stream that every Postmark server has for mails to single persons. */
const messageStream = "outbound";
/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;
/** Postmark's search takes one id a call, so several calls are made at once. */
const searchesAtOnceMax = 10;

/** The slowest uplink that attachments leave by: 0.4 Mbit/s. */
const attachedBytesPerMs = 50;

/** Opens the mailer. Nothing is sent and no connection is made. @param key see {@link messageId} */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender, key: MessageKey): Mailer {
  const api = openPostmarkApi(settings);
  const toMessage = messagesOf(from, key);
  return {
    batchMax,
    // New mails share one call at a time while calls are quick; a slow call does not hold up what comes after it.
    calls: { fresh: 4, due: 1 },
    gatherMs: 250,
    doubt: "ask",
    send(mails, giveUp) {
      const messages = mails.map(toMessage);
      const endsAt = performance.now() + api.timeoutMs + attachedBytesOf(messages) / attachedBytesPerMs;
      return sendInHalves(api, endsAt, messages, giveUp);
    },
    find: (mails) => search(api, mails),
    async check() {
      const server = await api.call(performance.now() + api.timeoutMs, (client) => client.getServer());
      if (server.status !== 200) return judgeFailure(server).error;
      const use = (client: ServerClient) => client.getMessageStream(messageStream);
      const stream = await api.call(performance.now() + api.timeoutMs, use);
      return stream.status === 200 ? null : judgeFailure(stream).error;
    },
    [Symbol.asyncDispose]: async () => api[Symbol.dispose](),
  };
}

// A call that is refused as a whole says nothing of the single mails: it is halved until the one to blame stands alone.
async function sendInHalves(
  api: PostmarkApi,
  endsAt: number,
  messages: readonly Models.Message[],
  giveUp?: AbortSignal,
): Promise<MailOutcome[]> {
  if (messages.length === 0) return [];
  if (performance.now() >= endsAt || giveUp?.aborted) return messages.map(() => unsent("no time left"));
  const batch = [...messages];
  const send = (client: ServerClient) =>
    batch.length === 1 ? client.sendEmail(batch[0]!) : client.sendEmailBatch(batch);
  const exchange = await api.call(endsAt, send, batch, giveUp);
  const entries = messages.length === 1 ? [exchange.body] : exchange.body;
  if (exchange.status === 200 && exchange.failure === null) {
    if (Array.isArray(entries) && entries.length === messages.length) return entries.map(judgeEntry);
    return messages.map(() => ambiguous("unreadable answer"));
  }
  const outcome = judgeFailure(exchange);
  if (outcome.result !== "refused" || messages.length === 1) return messages.map(() => outcome);
  const half = Math.ceil(messages.length / 2);
  const first = await sendInHalves(api, endsAt, messages.slice(0, half), giveUp);
  return [...first, ...(await sendInHalves(api, endsAt, messages.slice(half), giveUp))];
}

// Answers in the order of the mails. Once a search has failed the rest are not made: they share its failure.
function search(api: PostmarkApi, mails: readonly Pick<OutgoingMail, "id">[]): Promise<MailFinding[]> {
  const endsAt = performance.now() + api.timeoutMs;
  let failure: MailFinding | null = null;
  const searchOn = async ({ id }: Pick<OutgoingMail, "id">): Promise<MailFinding> => {
    const finding: MailFinding = failure ?? (await searchOne(api, endsAt, id));
    if (finding.result === "later") failure = finding;
    return finding;
  };
  return Readable.from(mails).map(searchOn, { concurrency: searchesAtOnceMax }).toArray();
}

async function searchOne(api: PostmarkApi, endsAt: number, id: string): Promise<MailFinding> {
  if (performance.now() >= endsAt) return unsent("no time left");
  const exchange = await api.call(endsAt, (client) =>
    client.getOutboundMessages({ count: 1, offset: 0, messagestream: messageStream, metadata_mailId: id }),
  );
  const { status, body, failure } = exchange;
  if (status !== 200 || failure !== null) {
    const outcome = judgeFailure(exchange);
    return outcome.result === "later" ? outcome : { result: "later", error: outcome.error, cause: "configuration" };
  }
  const { TotalCount: count, Messages: messages } = isFields(body) ? body : {};
  if (!Array.isArray(messages)) return unsent("unreadable search");
  // Compared once more: a search that did not understand the filter would show another mail.
  const found = messages.filter(isFields).find(({ Metadata: of }) => isFields(of) && of["mailId"] === id);
  if (found !== undefined && typeof found["MessageID"] === "string" && found["MessageID"] !== "") {
    return { result: "taken", providerId: found["MessageID"] };
  }
  return count === 0 && messages.length === 0 ? { result: "absent" } : unsent("unreadable search");
}

function messagesOf(from: Sender, key: MessageKey): (mail: OutgoingMail) => Models.Message {
  // Without encoding: Postmark is handed text and writes the header itself.
  const sender = (name: string | null) =>
    inOnePiece(name === null ? from.address : `"${name.replace(/["\\]/g, "\\$&")}" <${from.address}>`);
  const ours = sender(from.name);
  return (mail) => {
    const { id, reference, requestId, content } = mail;
    const { fromName, to, replyTo } = content;
    const kind = inOnePiece(mail.kind);
    const headers = Object.entries(content.headers).map(([Name, Value]) => ({ Name, Value: inOnePiece(Value) }));
    // Without the second header Postmark replaces the first.
    headers.push({ Name: "Message-ID", Value: inOnePiece(messageId(mail, from, key)) });
    headers.push({ Name: "X-PM-KeepID", Value: "true" });
    const metadata: Record<string, string> = { mailId: inOnePiece(id), kind };
    if (requestId !== null) metadata["requestId"] = inOnePiece(requestId);
    if (reference !== null) metadata["reference"] = inOnePiece(reference);
    const message: Models.Message = {
      From: fromName === undefined ? ours : sender(fromName),
      To: inOnePiece(to.join(", ")),
      Subject: inOnePiece(content.subject),
      // In one piece already.
      TextBody: content.text,
      HtmlBody: content.html,
      Headers: headers,
      MessageStream: messageStream,
      Tag: kind,
      Metadata: metadata,
      TrackOpens: false,
      TrackLinks: Models.LinkTrackingOptions.None,
    };
    if (mail.attachments !== undefined) {
      message.Attachments = mail.attachments.map(
        ({ name, type, bytes }) => new Models.Attachment(inOnePiece(name), bytes.toString("base64"), type),
      );
    }
    if (replyTo.length > 0) message.ReplyTo = inOnePiece(replyTo.join(", "));
    return message;
  };
}

/** In base64, as they are sent. */
const attachedBytesOf = (messages: readonly Models.Message[]): number =>
  messages.flatMap(({ Attachments = [] }) => Attachments).reduce((sum, { Content }) => sum + Content.length, 0);

// The same text as a string of its own. V8 keeps a concatenated string as a tree of its parts, and a part of a string as a
// view of it. From the first of either on, JSON.stringify takes five times as long for the whole batch.
const inOnePiece = (text: string): string => [text.slice(0, 1), text.slice(1)].join("");

// What Postmark's answers mean for a mail. Errors hold numbers and codes only, because its own messages quote addresses.
const invalidRequest = 300;
/** A file of a kind that Postmark never sends, `.crt` for example. */
const forbiddenFile = 411;
/** It bounced or complained before. Where some recipients did, only the message of the entry says so. */
const inactiveRecipient = 406;
const maintenance = 100;
const tooFast = 429;

/** The outcome of a mail from its entry in a whole answer of HTTP 200. */
function judgeEntry(entry: unknown): MailOutcome {
  const { ErrorCode: code, MessageID: id, Message: message } = isFields(entry) ? entry : {};
  if (typeof code !== "number") return ambiguous("unreadable answer");
  if (code !== 0) return judgeCode(code, `code ${code}`, null);
  if (typeof id !== "string" || id === "") return ambiguous("no message id");
  const missed = typeof message === "string" && /\binactive\b/i.test(message) && "postmark: inactive recipients";
  return { result: "taken", providerId: id, ...(missed && { missed }) };
}

/** The outcome of every mail of a call that did not bring an answer of HTTP 200. */
function judgeFailure({ sent, status, retryAfterMs, body, failure }: Exchange): Failure {
  if (status === null) return sent ? ambiguous(failure ?? "no answer") : unsent(failure ?? "no answer");
  const code = isFields(body) && typeof body["ErrorCode"] === "number" ? body["ErrorCode"] : 0;
  const error = [`HTTP ${status}`, code !== 0 && `code ${code}`, failure].filter(Boolean).join(", ");
  if (status >= 500) return later(error, "ambiguous", retryAfterMs);
  if (status === 429) return later(error, "limit", retryAfterMs);
  if (status === 413) return refused(error, false);
  if (status === 422) return judgeCode(code, error, retryAfterMs);
  // 401: the token. 403: something in front of the API. 404 and redirects: the base address.
  return status < 300 ? ambiguous(error) : later(error, "configuration", retryAfterMs);
}

// All other codes blame our account, sender address, stream or request: no mail is given up for one of them.
function judgeCode(code: number, error: string, retryAfterMs: number | null): Failure {
  if (code === inactiveRecipient) return refused(error, true);
  if (code === invalidRequest || code === forbiddenFile) return refused(error, false);
  if (code === tooFast) return later(error, "limit", retryAfterMs);
  return later(error, code === maintenance ? "provider" : "configuration", retryAfterMs);
}

const { refused, later } = failuresOf("postmark");

const ambiguous = (error: string) => later(error, "ambiguous");

const unsent = (error: string) => later(error, "provider");
