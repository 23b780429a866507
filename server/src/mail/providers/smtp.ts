// Sends through an SMTP server, a few connections kept open, and says of each mail what the server's reply means. It
// knows nothing of the outbox that tries again.
import { createTransport } from "nodemailer";
import { mailerMsMax, type Mailer, type MailOutcome, type OutgoingMail } from "../mailer.ts";
import { messageId, writeMessage } from "./message.ts";
import type { Sender } from "../sender.ts";
import { judgeSmtpError } from "./smtp-verdict.ts";

/** What a small provider allows one client. */
const connectionsMax = 5;
/** Ten mails a connection, a second for each. */
const batchMax = 50;
/** Closed by us before a server loses patience (RFC 5321 4.5.3.2.7 asks it for five minutes). */
const idleMsMax = 60_000;

/**
 * Opens the mailer. Nothing is sent and no connection is made.
 *
 * @param url `smtp://` or `smtps://`, with user and password if the server wants them; never logged
 * @param timeoutMs how long a batch may take in all; mails that the server has not asked for by then were not sent
 */
export function openSmtpMailer(url: string, from: Sender, timeoutMs = mailerMsMax): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    // A mail is put on another connection once, if the first was closed before it was asked for the mail.
    maxRequeues: 1,
    idleTimeout: idleMsMax,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
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

  const write = (mail: OutgoingMail) => ({
    mail,
    envelope: { from: from.address, to: [...mail.content.to] },
    raw: writeMessage(mail, from, new Date()),
  });

  async function deliver(message: ReturnType<typeof write>, signal: AbortSignal): Promise<MailOutcome> {
    const { mail, envelope, raw } = message;
    try {
      const sent = await transport.sendMail({ envelope, raw, signal });
      return { result: "taken", providerId: sent.serverMessageId ?? messageId(mail, from) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return judgeSmtpError(error, handedOver.has(envelope));
    }
  }

  return {
    batchMax,
    async send(mails) {
      // All before the first is sent: what cannot be written is thrown while nothing is handed over.
      const messages = mails.map(write);
      // However many signs of life a server gives: silence alone would be noticed by the time-outs above.
      const signal = AbortSignal.timeout(timeoutMs);
      return Promise.all(messages.map((message) => deliver(message, signal)));
    },
    async [Symbol.asyncDispose]() {
      transport.close();
    },
  };
}
