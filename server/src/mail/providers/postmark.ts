// Sends through Postmark's API, one call for a mail and one for a batch, and asks it about mails that it may have.
import { Models, type ServerClient } from "postmark";
import type { Later, Mailer, MailFinding, MailOutcome, OutgoingMail, Sender } from "../mailer.ts";
import { messageId } from "./mime.ts";
import { PostmarkApi, type Exchange, type PostmarkSettings } from "./postmark-call.ts";

/** The stream that every Postmark server has for mails to single persons. */
const messageStream = "outbound";
/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;
/** Postmark's search takes one id a call, so several calls are made at once. */
const searchesAtOnceMax = 10;

/**
 * Opens the mailer. Nothing is sent and no connection is made.
 *
 * @param key makes Message-IDs of the ids of mails
 */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender, key: string): Mailer {
  const api = new PostmarkApi(settings);
  return {
    batchMax,
    // New mails share one call at a time while calls are quick; a slow call does not hold up what comes after it.
    calls: { fresh: 4, due: 1 },
    gatherMs: 250,
    doubt: "ask",
    send(mails) {
      const endsAt = performance.now() + api.timeoutMs;
      const messages = mails.map((mail) => toMessage(mail, from, key));
      return sendInHalves(api, endsAt, messages);
    },
    find: (mails) => search(api, mails),
    async check() {
      for (const use of [
        (client: ServerClient) => client.getServer(),
        (client: ServerClient) => client.getMessageStream(messageStream),
      ]) {
        const exchange = await api.call(performance.now() + api.timeoutMs, use);
        if (exchange.status !== 200) return judgeFailure(exchange).error;
      }
      return null;
    },
    [Symbol.asyncDispose]: async () => api[Symbol.dispose](),
  };
}

// A call that is refused as a whole (too large, or a batch that Postmark will not read) says nothing of the single mails:
// it is halved until the one that is to blame stands alone.
async function sendInHalves(
  api: PostmarkApi,
  endsAt: number,
  messages: readonly Models.Message[],
): Promise<MailOutcome[]> {
  if (messages.length === 0) return [];
  if (performance.now() >= endsAt) return messages.map(() => unsent("no time left"));
  const batch = [...messages];
  const send = (client: ServerClient) =>
    batch.length === 1 ? client.sendEmail(batch[0]!) : client.sendEmailBatch(batch);
  const exchange = await api.call(endsAt, send, batch);
  const entries = messages.length === 1 ? [exchange.body] : exchange.body;
  if (exchange.status === 200 && exchange.failure === null) {
    if (Array.isArray(entries) && entries.length === messages.length) return entries.map(judgeEntry);
    return messages.map(() => ambiguous("unreadable answer"));
  }
  const outcome = judgeFailure(exchange);
  if (outcome.result !== "refused" || messages.length === 1) return messages.map(() => outcome);
  const half = Math.ceil(messages.length / 2);
  const first = await sendInHalves(api, endsAt, messages.slice(0, half));
  return [...first, ...(await sendInHalves(api, endsAt, messages.slice(half)))];
}

// Answers in the order of the mails. Once a search has failed the rest are not made: they share its failure.
async function search(api: PostmarkApi, mails: readonly Pick<OutgoingMail, "id">[]): Promise<MailFinding[]> {
  const endsAt = performance.now() + api.timeoutMs;
  const findings: MailFinding[] = [];
  let failure: MailFinding | null = null;
  let next = 0;
  const searchOn = async () => {
    while (next < mails.length) {
      const position = next++;
      const finding: MailFinding = failure ?? (await searchOne(api, endsAt, mails[position]!.id));
      findings[position] = finding;
      if (finding.result === "later") failure = finding;
    }
  };
  await Promise.all(Array.from({ length: searchesAtOnceMax }, searchOn));
  return findings;
}

// Postmark is asked by the outbox id, which travels in the metadata.
async function searchOne(api: PostmarkApi, endsAt: number, id: string): Promise<MailFinding> {
  if (performance.now() >= endsAt) return unsent("no time left");
  const exchange = await api.call(endsAt, (client) =>
    client.getOutboundMessages({ count: 1, offset: 0, messagestream: messageStream, metadata_mailId: id }),
  );
  return judgeSearch(exchange, id);
}

/** Without encoding: Postmark is handed text and writes the header itself. */
const senderHeader = ({ name, address }: Sender): string =>
  name === null ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;

function toMessage(mail: OutgoingMail, from: Sender, key: string): Models.Message {
  const { id, kind, reference, requestId, content } = mail;
  // Postmark writes a Message-ID of its own unless it is told to keep ours.
  const headers = { ...content.headers, "Message-ID": messageId(mail, from, key), "X-PM-KeepID": "true" };
  const message: Models.Message = {
    From: senderHeader({ ...from, ...(content.fromName !== undefined && { name: content.fromName }) }),
    To: inOnePiece(content.to.join(", ")),
    Subject: inOnePiece(content.subject),
    // Lines that were joined: in one piece already.
    TextBody: content.text,
    HtmlBody: inOnePiece(content.html),
    Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value: inOnePiece(Value) })),
    MessageStream: messageStream,
    Tag: kind,
    // Postmark can be asked for the mail by these, and its webhooks bring them back.
    Metadata: metadataOf({ mailId: id, kind, requestId, reference }),
    TrackOpens: false,
    TrackLinks: Models.LinkTrackingOptions.None,
  };
  if (content.replyTo.length > 0) message.ReplyTo = inOnePiece(content.replyTo.join(", "));
  return message;
}

function metadataOf(values: Readonly<Record<string, string | null>>): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (value !== null) metadata[name] = inOnePiece(value);
  return metadata;
}

/**
 * The same text as a flat string. V8 keeps a concatenated string as a tree of its parts, and JSON.stringify takes four
 * times as long from the first such string on. That was a third of the CPU time of mails.
 */
const inOnePiece = (text: string): string => text.split("\0").join("\0");

// What Postmark's answers mean for a mail. Errors hold numbers and codes only, because its own messages quote addresses.
// 300: the request names an invalid address. 406: the address bounced or complained before. Where some recipients of a mail
// did, it is taken for the others, and only the message of the entry says so.
const invalidRequest = 300;
const inactiveRecipient = 406;
// 100: Postmark is down for maintenance. 429: we are too fast.
const maintenance = 100;
const tooFast = 429;

/** The outcome of a mail from its entry in a whole answer of HTTP 200. */
function judgeEntry(entry: unknown): MailOutcome {
  const { ErrorCode: code, MessageID: id, Message: message } = isObject(entry) ? entry : {};
  if (typeof code !== "number") return ambiguous("unreadable answer");
  if (code !== 0) return judgeCode(code, `code ${code}`, null);
  if (typeof id !== "string" || id === "") return ambiguous("no message id");
  const missed = typeof message === "string" && /\binactive\b/i.test(message) && "postmark: inactive recipients";
  return { result: "taken", providerId: id, ...(missed && { missed }) };
}

/** The outcome of every mail of a call that did not bring an answer of HTTP 200. */
function judgeFailure({ sent, status, retryAfterMs, body, failure }: Exchange): Failure {
  if (status === null) return sent ? ambiguous(failure ?? "no answer") : unsent(failure ?? "no answer");
  const code = isObject(body) && typeof body["ErrorCode"] === "number" ? body["ErrorCode"] : 0;
  const error = [`HTTP ${status}`, code !== 0 && `code ${code}`, failure].filter(Boolean).join(", ");
  if (status >= 500) return later(error, "ambiguous", retryAfterMs);
  if (status === 429) return later(error, "limit", retryAfterMs);
  if (status === 413) return refused(error, false);
  if (status === 422) return judgeCode(code, error, retryAfterMs);
  // 401: the token. 403: something in front of the API. 404 and redirects: the base address. Postmark answers no other
  // 2xx than 200.
  return status < 300 ? ambiguous(error) : later(error, "configuration", retryAfterMs);
}

/** What a search for the mail of this id says. */
function judgeSearch(exchange: Exchange, mailId: string): MailFinding {
  const { status, body, failure } = exchange;
  if (status !== 200 || failure !== null) {
    const outcome = judgeFailure(exchange);
    return outcome.result === "later" ? outcome : { result: "later", error: outcome.error, cause: "configuration" };
  }
  const { TotalCount: count, Messages: messages } = isObject(body) ? body : {};
  if (!Array.isArray(messages)) return unsent("unreadable search");
  // Compared once more: a search that did not understand the filter would show another mail.
  const found = messages.filter(isObject).find(({ Metadata: of }) => isObject(of) && of["mailId"] === mailId);
  if (found !== undefined && typeof found["MessageID"] === "string" && found["MessageID"] !== "") {
    return { result: "taken", providerId: found["MessageID"] };
  }
  return count === 0 && messages.length === 0 ? { result: "absent" } : unsent("unreadable search");
}

// The codes that blame neither the recipient nor the message blame our account, sender address, stream or request (10,
// 400, 401, 405, 412, 413, 1226, 1235 and so on): no mail is given up for one of them.
function judgeCode(code: number, error: string, retryAfterMs: number | null): Failure {
  if (code === inactiveRecipient) return refused(error, true);
  if (code === invalidRequest) return refused(error, false);
  if (code === tooFast) return later(error, "limit", retryAfterMs);
  return later(error, code === maintenance ? "provider" : "configuration", retryAfterMs);
}

const refused = (error: string, inactive: boolean): Failure => ({
  result: "refused",
  error: `postmark: ${error}`,
  inactiveRecipient: inactive,
});

type Failure = Exclude<MailOutcome, { result: "taken" }>;

const later = (error: string, cause: Later["cause"], retryAfterMs: number | null): Later => ({
  result: "later",
  error: `postmark: ${error}`,
  cause,
  ...(retryAfterMs !== null && { retryAfterMs }),
});

/** The outcome when the provider may have taken the mail all the same. */
const ambiguous = (error: string): Later => later(error, "ambiguous", null);

/** The outcome when the provider cannot have taken the mail. */
const unsent = (error: string): Later => later(error, "provider", null);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
