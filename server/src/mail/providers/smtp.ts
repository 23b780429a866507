// Sends through an SMTP server, over a few connections that are kept open, and says of each mail what the server's reply
// means.
import { createTransport } from "nodemailer";
import { handOverMsMax, type Mailer, type MailOutcome, type OutgoingMail, type Sender } from "../mailer.ts";
import { messageId, mimeFields } from "./mime.ts";
import { judgeSmtpError, missedRecipients } from "./smtp-verdict.ts";

/** What a small provider allows one client. One mail a call and a connection for each: no mail waits inside the client. */
const calls = { fresh: 3, due: 2 };
/** Closed by us before a server loses patience (RFC 5321 4.5.3.2.7 asks it for five minutes). */
const idleMsMax = 60_000;

/** How long an SMTP server is waited for, in milliseconds. */
export interface SmtpPatience {
  /** Until it asks for the mail. A mail that it has not asked for was not sent. */
  readonly handOverMs: number;
  /** From then until its reply. RFC 5321 4.5.3.2.6: a client that gives up sooner sends mails twice. */
  readonly replyMs: number;
}

const patienceDefault: SmtpPatience = { handOverMs: handOverMsMax, replyMs: 10 * 60_000 };

/**
 * Opens the mailer. Nothing is sent and no connection is made.
 *
 * @param url `smtp://` or `smtps://`, with user and password if the server wants them; never logged
 */
export function openSmtpMailer(url: string, from: Sender, patience = patienceDefault): Mailer {
  const { handOverMs, replyMs } = patience;
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: calls.fresh + calls.due,
    // A mail is put on another connection once, if the first was closed before the server asked for the mail.
    maxRequeues: 1,
    idleTimeout: idleMsMax,
    connectionTimeout: handOverMs,
    greetingTimeout: handOverMs,
    dnsTimeout: handOverMs,
    // Silence is noticed by the time-outs of each mail.
    socketTimeout: handOverMs + replyMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The message is read once the server has answered DATA with "go ahead". From then on, silence may mean yes.
  const onRead = new WeakMap<object, () => void>();
  transport.use("stream", (message, done) => {
    message.message.processFunc((stream) => {
      stream.once("resume", () => onRead.get(message.data.envelope as object)?.());
      return stream;
    });
    done();
  });

  async function deliver(mail: OutgoingMail): Promise<MailOutcome> {
    const envelope = { from: from.address, to: [...mail.content.to] };
    const giveUp = new AbortController();
    let timer = setTimeout(() => giveUp.abort(), handOverMs);
    let handedOver = false;
    onRead.set(envelope, () => {
      handedOver = true;
      clearTimeout(timer);
      timer = setTimeout(() => giveUp.abort(), replyMs);
    });
    try {
      const sent = await transport.sendMail({ ...mimeFields(mail, from), envelope, signal: giveUp.signal });
      const missed = missedRecipients(sent.rejectedErrors);
      const providerId = sent.serverMessageId ?? messageId(mail, from);
      return { result: "taken", providerId, ...(missed !== undefined && { missed }) };
    } catch (error) {
      // nodemailer's errors have a code; the others are mistakes of ours.
      if (!(error instanceof Error && "code" in error)) throw error;
      return judgeSmtpError(error, handedOver);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    batchMax: 1,
    calls,
    gatherMs: 0,
    doubt: "once-more",
    send: (mails) => Promise.all(mails.map(deliver)),
    async [Symbol.asyncDispose]() {
      transport.close({ force: true });
    },
  };
}
