// Sends through an SMTP server, a few connections kept open, and says of each mail what the server's reply means. It
// knows nothing of the outbox that tries again.
import { createTransport } from "nodemailer";
import type { Mailer, MailOutcome, OutgoingMail } from "./mailer.ts";
import { messageId, writeMessage } from "./message.ts";
import type { Sender } from "./sender.ts";
import { judgeSmtpError } from "./smtp-verdict.ts";

/** Time-outs of the SMTP mailer, in milliseconds. */
export interface SmtpTimes {
  /** To connect, to be greeted, and without a sign of life after that. */
  readonly silenceMsMax: number;
  /** For one mail from the queue to the last reply, however many signs of life there are. */
  readonly mailMsMax: number;
}

const timesDefault: SmtpTimes = { silenceMsMax: 10_000, mailMsMax: 30_000 };
/** What a small provider allows one client. */
const connectionsMax = 5;
/** Ten mails a connection: done well within a mail's lease even when the server takes seconds for each. */
const batchMax = 50;
/** Closed by us before a server loses patience (RFC 5321 4.5.3.2.7 asks it for five minutes). */
const idleMsMax = 60_000;

/**
 * Opens the mailer. Nothing is sent and no connection is made.
 *
 * @param url `smtp://` or `smtps://`, with user and password if the server wants them; never logged
 */
export function openSmtpMailer(url: string, from: Sender, times: SmtpTimes = timesDefault): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    // A mail is put on another connection once, if the first was closed before it was asked for the mail.
    maxRequeues: 1,
    idleTimeout: idleMsMax,
    connectionTimeout: times.silenceMsMax,
    greetingTimeout: times.silenceMsMax,
    socketTimeout: times.silenceMsMax,
    dnsTimeout: times.silenceMsMax,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const handedOver = new WeakSet<object>();
  // The message is read only once the server has answered DATA with "go ahead". From then on, silence may mean yes.
  transport.use("stream", (message, done) => {
    const { envelope } = message.data;
    message.message.processFunc((stream) => {
      stream.once("resume", () => handedOver.add(envelope as object));
      return stream;
    });
    done();
  });

  async function deliver(mail: OutgoingMail): Promise<MailOutcome> {
    const envelope = { from: from.address, to: [...mail.content.to] };
    try {
      const sent = await transport.sendMail({
        envelope,
        raw: writeMessage(mail, from, new Date()),
        signal: AbortSignal.timeout(times.mailMsMax),
      });
      return { result: "taken", providerId: sent.serverMessageId ?? messageId(mail, from) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return judgeSmtpError(error, handedOver.has(envelope));
    }
  }

  return {
    batchMax,
    send: (mails) => Promise.all(mails.map(deliver)),
    async [Symbol.asyncDispose]() {
      transport.close();
    },
  };
}
