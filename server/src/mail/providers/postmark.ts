// Sends through Postmark's API, one call for a mail and one for a batch, and asks it about mails that it may have.
import { Models, type ServerClient } from "postmark";
import type { Mailer, MailFinding, MailOutcome, OutgoingMail, Sender } from "../mailer.ts";
import { PostmarkApi, type PostmarkSettings } from "./postmark-call.ts";
import { ambiguous, judgeEntry, judgeFailure, judgeSearch, unsent } from "./postmark-verdict.ts";

/** The stream that every Postmark server has for mails to single persons. */
const messageStream = "outbound";
/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;
/** Postmark's search takes one id a call, so several calls are made at once. */
const searchesAtOnceMax = 10;

/** Opens the mailer. Nothing is sent and no connection is made. */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender): Mailer {
  const api = new PostmarkApi(settings);
  const sender = senderHeader(from);
  return {
    batchMax,
    // New mails share one call at a time while calls are quick; a slow call does not hold up what comes after it.
    calls: { fresh: 4, due: 1 },
    gatherMs: 250,
    doubt: "ask",
    send(mails) {
      const endsAt = performance.now() + api.timeoutMs;
      const messages = mails.map((mail) => toMessage(mail, sender));
      return sendInHalves(api, endsAt, messages);
    },
    find: (mails) => search(api, mails),
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

function toMessage({ id, kind, reference, requestId, content }: OutgoingMail, sender: string): Models.Message {
  const message: Models.Message = {
    From: sender,
    To: inOnePiece(content.to.join(", ")),
    Subject: inOnePiece(content.subject),
    // Lines that were joined: in one piece already.
    TextBody: content.text,
    HtmlBody: inOnePiece(content.html),
    Headers: Object.entries(content.headers).map(([Name, Value]) => ({ Name, Value })),
    MessageStream: messageStream,
    Tag: kind,
    // Postmark can be asked for the mail by these, and its webhooks bring them back.
    Metadata: metadataOf({ mailId: id, kind, requestId, reference }),
    TrackOpens: false,
    TrackLinks: Models.LinkTrackingOptions.None,
  };
  if (content.replyTo !== null) message.ReplyTo = inOnePiece(content.replyTo);
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
