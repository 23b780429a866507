// Sends through Postmark's API, one call for a mail and one for a batch, and asks it about mails that it may have.
import { Models, type ServerClient } from "postmark";
import type { Mailer, MailOutcome, OutgoingMail } from "../mailer.ts";
import { formatSender, type Sender } from "../sender.ts";
import { PostmarkApi, type PostmarkSettings } from "./postmark-call.ts";
import { searchPostmark } from "./postmark-search.ts";
import { ambiguous, judgeEntry, judgeFailure, unsent } from "./postmark-verdict.ts";

/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;

/** Opens the mailer. Nothing is sent and no connection is made. */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender): Mailer {
  const api = new PostmarkApi(settings);
  const sender = formatSender(from);
  return {
    batchMax,
    // New mails share one call at a time while calls are quick; a slow call does not hold up what comes after it.
    calls: { fresh: 4, due: 1 },
    gatherMs: 250,
    doubt: "ask",
    send: (mails) =>
      sendInHalves(
        api,
        performance.now() + api.timeoutMs,
        mails.map((mail) => toMessage(mail, sender, api.messageStream)),
      ),
    find: (mails) =>
      searchPostmark(
        api,
        mails.map(({ id }) => id),
      ),
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

function toMessage(
  { id, kind, reference, requestId, content }: OutgoingMail,
  sender: string,
  stream: string,
): Models.Message {
  const message: Models.Message = {
    From: sender,
    To: inOnePiece(content.to.join(", ")),
    Subject: inOnePiece(content.subject),
    // Lines that were joined: in one piece already.
    TextBody: content.text,
    HtmlBody: inOnePiece(content.html),
    Headers: Object.entries(content.headers).map(([Name, Value]) => ({ Name, Value })),
    MessageStream: stream,
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
