// Sends through an SMTP server, over a few connections that are kept open, and says what its reply to each mail means.
import { hostname } from "node:os";
import { emailKey } from "@submissions/shared/addresses";
import { createTransport, type NodemailerError } from "nodemailer";
import { accessTokens, type OAuthSettings, TokenUnavailable } from "../../oauth-tokens.ts";
import { type Failure, failuresOf, handOverMsMax } from "../mailer.ts";
import type { Mailer, MailOutcome, OutgoingMail, Sender } from "../mailer.ts";
import { messageId } from "../message-id.ts";
import { mimeFields } from "./mime.ts";
import type { MessageKey } from "../../storage/store.ts";

const { refused, later } = failuresOf("smtp");

/** As many as a small provider allows one client: each call is one mail, over a connection of its own. */
const calls = { fresh: 3, due: 2 };
/** Closed by us before a server loses patience (RFC 5321 4.5.3.2.7 asks it for five minutes). */
const idleMsMax = 60_000;

/** How long a server is waited for. */
const patience = {
  /** Until it asks for the mail. A mail that it has not asked for was not sent. */
  handOverMs: handOverMsMax,
  /** From then until its reply. RFC 5321 4.5.3.2.6: a client that gives up sooner sends mails twice. */
  replyMs: 10 * 60_000,
};

interface SmtpOptions extends Readonly<Partial<typeof patience>> {
  /** Where reports of a mail come to; null: to the sender. */
  readonly returnPath?: ((mailId: string) => string) | null;
  /** How tokens are got in place of the password. */
  readonly oauth?: OAuthSettings;
}

/**
 * Opens the mailer. Nothing is sent and no connection is made.
 * @param url with user and password if the server wants them; its parameters are nodemailer's and outrank the options here
 * @param key see {@link messageId}
 */
export function openSmtpMailer(url: string, from: Sender, key: MessageKey, options: SmtpOptions = {}): Mailer {
  const { handOverMs, replyMs, returnPath = null } = { ...patience, ...options };
  const server = new URL(url);
  const { protocol, username, password, searchParams } = server;
  // What stands in the URL outranks the options.
  if (options.oauth !== undefined) [server.username, server.password] = ["", ""];
  const transport = createTransport({
    url: server.href,
    ...(options.oauth !== undefined && { auth: { type: "OAuth2", user: decodeURIComponent(username) } }),
    pool: true,
    // A password must not be readable on its way, nor by a program in between that hides the server's offer of TLS.
    requireTLS: protocol === "smtp:" && username + password !== "" && searchParams.get("ignoreTLS") !== "true",
    // Servers may want a full name (RFC 5321 4.1.1.1), which the host name of a container is not.
    name: hostname().includes(".") ? hostname() : from.address.replace(/^.*@/, ""),
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
  let isTokenStale = false;
  if (options.oauth !== undefined) {
    const tokens = accessTokens(options.oauth);
    transport.set("oauth2_provision_cb", (_user, renew, done) => {
      const asked = tokens(renew || isTokenStale);
      isTokenStale = false;
      asked.then((token) => done(null, token), done);
    });
  }
  // The message is read once the server has answered DATA with "go ahead". From then on, silence may mean yes.
  const onRead = new WeakMap<object, () => void>();
  transport.use("stream", (message, done) => {
    message.message.processFunc((stream) => {
      stream.once("resume", () => onRead.get(message.data.envelope as object)?.());
      return stream;
    });
    done();
  });

  // A second attempt shares the time of the first: later than that, the mail's lease may have ended.
  async function deliver(mail: OutgoingMail, endsAt: number, isRetry = false): Promise<MailOutcome> {
    const envelope = { from: returnPath?.(mail.id) ?? from.address, to: [...mail.content.to] };
    const giveUp = new AbortController();
    let timer = setTimeout(() => giveUp.abort(), Math.max(endsAt - performance.now(), 0));
    let handedOver = false;
    onRead.set(envelope, () => {
      handedOver = true;
      clearTimeout(timer);
      timer = setTimeout(() => giveUp.abort(), replyMs);
    });
    try {
      const sent = await transport.sendMail({ ...mimeFields(mail, from, key), envelope, signal: giveUp.signal });
      const { left, missed } = missedRecipients(sent.rejectedErrors);
      const providerId = sent.serverMessageId ?? messageId(mail, from, key);
      const partly = left !== undefined && { partly: { has: sent.accepted.map(emailKey), error: left } };
      return { result: "taken", providerId, ...(missed !== undefined && { missed }), ...partly };
    } catch (error) {
      // nodemailer's errors have a code; the others are mistakes of ours.
      if (!(error instanceof Error && "code" in error)) throw error;
      const failure = error as NodemailerError;
      // A token may be revoked before its end.
      if (options.oauth && !isRetry && failure.responseCode === 535) {
        isTokenStale = true;
        return await deliver(mail, endsAt, true);
      }
      const judged = judgeSmtpError(failure, handedOver);
      // 421 to one recipient ends the connection. The first one alone has the mail then, and the others are tried again.
      const { to } = mail.content;
      if (handedOver || failure.responseCode !== 421 || to.length < 2) return judged;
      const outcome = await deliver({ ...mail, content: { ...mail.content, to: to.slice(0, 1) } }, endsAt, isRetry);
      if (outcome.result !== "taken") return outcome.result === "refused" ? judged : outcome;
      return { ...outcome, partly: { has: to.slice(0, 1).map(emailKey), error: judged.error } };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    batchMax: 1,
    calls,
    gatherMs: 0,
    doubt: "once-more",
    send: (mails) => Promise.all(mails.map((mail) => deliver(mail, performance.now() + handOverMs))),
    check: () =>
      transport.verify().then(
        () => null,
        (error: NodemailerError) => judgeSmtpError(error, false).error,
      ),
    async [Symbol.asyncDispose]() {
      transport.close({ force: true });
    },
  };
}

// RFC 3463 and 7505: no such mailbox, has moved, takes no mail, disabled.
const inactiveStatus = /^5\.(?:1\.1|1\.6|1\.10|2\.1)$/;

// In reply to a mail, these are about our account, name or domain (RFC 7372, and what Microsoft and Google say): may not send
// as this sender, is not authentic, has sent too much today.
const oursStatus = /^5\.(?:7\.\d\d\d?|2\.252|4\.5)$/;

// What Amazon SES and SendGrid say of our account, in a reply to the mail that has no enhanced status code.
const oursWords = /not verified|verified sender|paused|suspended|not authorized|access denied|configuration set/i;

/** Errors hold reply codes only: the text of a reply quotes addresses. @param handedOver whether the mail may be taken */
function judgeSmtpError(error: NodemailerError, handedOver: boolean): Failure {
  const failures = (error.rejectedErrors ?? [error]).map(judgeReply);
  // Of several recipients that were all refused, one may take it later.
  if (error.responseCode) return failures.find(({ result }) => result === "later") ?? failures.at(-1)!;
  const code = error.code === "EABORT" ? "time-out" : (error.originalCode ?? String(error.code));
  if (handedOver) return later(code, "ambiguous");
  // The server was not asked: this envelope or size cannot be sent to it. Otherwise what it said was no reply.
  const isUnasked = error.response === undefined && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
  if (isUnasked) return refused(code, false);
  const isOurs = (error.code === "EAUTH" || error.code === "ENOAUTH") && !(error instanceof TokenUnavailable);
  return later(code, isOurs ? "configuration" : "provider");
}

/**
 * What may be logged of the recipients that did not get a mail that was taken: those that may take it later (`left`), and
 * those that are refused for good (`missed`). Undefined: there are none.
 */
function missedRecipients(errors: readonly NodemailerError[] = []) {
  const failures = errors.map(judgeReply);
  const told = (result: Failure["result"]) => {
    const words = failures.filter((failure) => failure.result === result).map(({ error }) => error);
    return words.length === 0 ? undefined : `${words.length} refused: ${[...new Set(words)].join(", ")}`;
  };
  return { left: told("later"), missed: told("refused") };
}

function judgeReply(error: NodemailerError): Failure {
  // The enhanced status code (RFC 3463), or nothing.
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(error.response || "")?.[1] ?? "";
  const command = (error.command ?? "").split(" ").slice(0, 2).join(" ");
  const reply = error.responseCode || 0;
  const words = [reply, status, command].filter((word) => word !== "").join(" ");
  const isOurs = oursStatus.test(status) || (status === "" && oursWords.test(error.response || ""));
  const isOfRecipient = command === "RCPT TO";
  // 421: the server closes the connection. 503: the session was out of step, which the next one need not be.
  if (reply === 421 || reply === 503) return later(words, "provider");
  if (reply < 500) return later(words, isOfRecipient ? "recipient" : "provider");
  const ours = later(words, "configuration");
  if (command.startsWith("AUTH") || reply === 530 || reply === 534 || reply === 535) return ours;
  if (isOfRecipient) {
    // 5.7: a policy against this recipient or against us. The reply does not say which.
    return status.startsWith("5.7.") ? later(words, "recipient") : refused(words, inactiveStatus.test(status));
  }
  const isOfMail = command === "DATA" || reply === 552;
  if (isOfMail) return isOurs ? later(words, "recipient") : refused(words, false);
  // Refused before there was a recipient: our sender address, our host or our way of saying hello.
  return ours;
}
