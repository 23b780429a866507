// What the replies of an SMTP server, and its silence, mean for a mail. Pure. Errors hold reply codes only: the text of a
// reply quotes addresses.
import type { Later, MailOutcome } from "../mailer.ts";

/** What nodemailer says of a mail that did not go out. */
interface SmtpError extends Error {
  /** nodemailer's own code: EAUTH, EENVELOPE, ECONNECTION … */
  readonly code?: unknown;
  /** The code of the system behind it: ECONNREFUSED … */
  readonly originalCode?: string | undefined;
  /** The three digits of the server's reply, if there was one. */
  readonly responseCode?: number | false | undefined;
  /** The reply itself. */
  readonly response?: string | false | undefined;
  /** Which command it answered: `MAIL FROM`, `RCPT TO`, `DATA`, `AUTH PLAIN`, or `CONN` and `API` for our side. */
  readonly command?: string | undefined;
}

// RFC 3463 and 7505: no such mailbox, has moved, takes no mail, disabled.
const inactiveStatus = /^5\.(?:1\.1|1\.6|1\.10|2\.1)$/;

/**
 * The outcome of a mail from nodemailer's error.
 *
 * @param handedOver whether the server had begun to read the mail, so that it may have taken it
 */
export function judgeSmtpError(error: SmtpError, handedOver: boolean): MailOutcome {
  const reply = error.responseCode || null;
  const code = error.code === "EABORT" ? "time-out" : (error.originalCode ?? String(error.code));
  if (reply === null) {
    if (handedOver) return later(code, "ambiguous");
    // The server was not asked: this envelope or size cannot be sent to it.
    if (error.code === "EENVELOPE" || error.code === "EMESSAGE") return refused(code, false);
    return later(code, error.code === "EAUTH" || error.code === "ENOAUTH" ? "configuration" : "provider");
  }
  return judgeReply(readReply(error, reply));
}

/** What of a taken mail's recipients that were refused may be logged. Undefined when there were none. */
export function missedRecipients(errors: readonly SmtpError[] = []): string | undefined {
  const words = new Set(errors.map((error) => `smtp: ${readReply(error, error.responseCode || 0).words}`));
  return words.size === 0 ? undefined : `${errors.length} refused: ${[...words].join(", ")}`;
}

function readReply(error: SmtpError, reply: number) {
  // The enhanced status code (RFC 3463), or nothing.
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(error.response || "")?.[1] ?? "";
  const command = (error.command ?? "").split(" ").slice(0, 2).join(" ");
  const words = [reply, status, command].filter((word) => word !== "").join(" ");
  return { reply, status, command, words };
}

function judgeReply({ reply, status, command, words }: ReturnType<typeof readReply>): MailOutcome {
  // 503: the session was out of step, which the next one need not be.
  if (reply < 500 || reply === 503) return later(words, "provider");
  const ours = later(words, "configuration");
  if (command.startsWith("AUTH") || reply === 530 || reply === 534 || reply === 535) return ours;
  if (command === "RCPT TO") {
    // 5.7: relaying denied or a policy against us, for any recipient.
    return status.startsWith("5.7.") ? ours : refused(words, inactiveStatus.test(status));
  }
  if (command === "DATA" || reply === 552) return refused(words, false);
  // Refused before there was a recipient: our sender address, our host or our way of saying hello.
  return ours;
}

const later = (words: string, cause: Later["cause"]): MailOutcome => ({
  result: "later",
  error: `smtp: ${words}`,
  cause,
});

const refused = (words: string, inactiveRecipient: boolean): MailOutcome => ({
  result: "refused",
  error: `smtp: ${words}`,
  inactiveRecipient,
});
