// Sends through Postmark's API, one call for a mail and one for a batch, and asks it about mails that it may have. It
// knows nothing of the outbox that tries again.
import { Models } from "postmark";
import { mailerMsMax, type Mailer, type MailOutcome, type OutgoingMail } from "../mailer.ts";
import { callPostmark, type PostmarkSettings } from "./postmark-call.ts";
import { searchPostmark } from "./postmark-search.ts";
import { ambiguous, judgeEntry, judgeFailure, unsent } from "./postmark-verdict.ts";
import { formatSender, type Sender } from "../sender.ts";

/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;

/** Opens the mailer. Nothing is sent and no connection is made. */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender): Mailer {
  const endsAt = () => performance.now() + (settings.timeoutMs ?? mailerMsMax);
  return {
    batchMax,
    async send(mails) {
      // All before the first is sent: what cannot be written is thrown while nothing is handed over.
      const messages = mails.map((mail) => toMessage(mail, settings, from));
      return sendInHalves({ settings, endsAt: endsAt() }, messages);
    },
    find: (mails) =>
      searchPostmark(
        settings,
        endsAt(),
        mails.map(({ id }) => id),
      ),
    [Symbol.asyncDispose]: async () => {},
  };
}

interface Errand {
  readonly settings: PostmarkSettings;
  /** By `performance.now()`. */
  readonly endsAt: number;
}

// A call that is refused as a whole (too large, or a batch that Postmark will not read) says nothing of the single mails:
// it is halved until the one that is to blame stands alone.
async function sendInHalves(errand: Errand, messages: readonly Models.Message[]): Promise<MailOutcome[]> {
  if (messages.length === 0) return [];
  const { settings, endsAt } = errand;
  if (performance.now() >= endsAt) return messages.map(() => unsent("no time left"));
  const exchange = await callPostmark(settings, endsAt, (client) =>
    messages.length === 1 ? client.sendEmail(messages[0]!) : client.sendEmailBatch([...messages]),
  );
  const entries = messages.length === 1 ? [exchange.body] : exchange.body;
  if (exchange.status === 200 && exchange.failure === null) {
    if (Array.isArray(entries) && entries.length === messages.length) return entries.map(judgeEntry);
    return messages.map(() => ambiguous("unreadable answer"));
  }
  const outcome = judgeFailure(exchange);
  if (outcome.result !== "refused" || messages.length === 1) return messages.map(() => outcome);
  const half = Math.ceil(messages.length / 2);
  const first = await sendInHalves(errand, messages.slice(0, half));
  return [...first, ...(await sendInHalves(errand, messages.slice(half)))];
}

function toMessage(mail: OutgoingMail, settings: PostmarkSettings, from: Sender): Models.Message {
  const { content } = mail;
  return {
    From: formatSender(from),
    To: content.to.join(", "),
    ...(content.replyTo === null ? {} : { ReplyTo: content.replyTo }),
    Subject: content.subject,
    TextBody: content.text,
    HtmlBody: content.html,
    Headers: Object.entries(content.headers).map(([Name, Value]) => ({ Name, Value })),
    MessageStream: settings.messageStream ?? "outbound",
    Tag: mail.kind,
    // Postmark can be asked for the mail by these, and its webhooks bring them back.
    Metadata: {
      mailId: mail.id,
      kind: mail.kind,
      ...(mail.reference === null ? {} : { reference: mail.reference }),
    },
    TrackOpens: false,
    TrackLinks: Models.LinkTrackingOptions.None,
  };
}
