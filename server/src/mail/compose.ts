// Writes a mail from what it is about. Pure, and called when the mail is sent: no text of a mail is ever stored.
import type { LeasedMail, MailKind, MailSubject, StoredSubmission, Welcome, WrittenReply } from "../storage/records.ts";
import type { MailContent } from "./mailer.ts";
import type { MailSettings, Written } from "./templates/layout.ts";
import { writeNotice } from "./templates/notice.ts";
import { writeAssignment, writeDigest } from "./templates/operators.ts";
import { writeReceipt, writeWelcome } from "./templates/receipt.ts";
import { writeReply } from "./templates/reply.ts";

/** Writes a mail. @throws Error when the kind does not fit what it is about, or a header would hold a line break */
export function compose({ kind, about }: Pick<LeasedMail, "kind" | "about">, settings: MailSettings): MailContent {
  const content = write(kind, about, settings);
  if (content.to.length === 0) throw new Error(`A mail of the kind ${kind} has no addressee.`);
  // A line break would begin another header. The schemas refuse line breaks: this finds mistakes of ours only.
  if (/[\r\n\0]/.test(content.to.join() + content.subject + content.replyTo.join() + (content.fromName ?? ""))) {
    throw new Error("A header of a mail holds a line break or NUL.");
  }
  return content;
}

function write(kind: MailKind, about: MailSubject, settings: MailSettings): MailContent {
  if ("digest" in about) {
    if (kind === "digest") return mail(settings.digestTo, writeDigest(about.digest, settings), [], automatic);
  } else if ("assignment" in about) {
    const { assignment } = about;
    if (kind === "assignment") return mail([assignment.email], writeAssignment(assignment, settings), [], automatic);
  } else if ("welcome" in about) {
    if (kind === "newsletter-welcome") return welcome(about.welcome, settings);
  } else {
    const { submission, reply } = about;
    const { email } = submission;
    const team = teamOf(submission, settings);
    const isNotice = kind === `${submission.kind}-notice`;
    if (reply !== undefined && isNotice) return replyMail(team, [email], submission, reply, settings);
    if (reply !== undefined && kind === `${submission.kind}-reply`)
      return replyMail([email], team, submission, reply, settings);
    if (isNotice) return mail(team, writeNotice(submission, settings), [email], automatic);
    if (kind === `${submission.kind}-receipt`) return receipt(submission, settings);
  }
  throw new Error(`A mail of the kind ${kind} is about something else.`);
}

// RFC 3834 5: a receipt answers what a person sent, the others begin a conversation. The second header is for Exchange.
const automaticReply = { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" };
const automatic = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

const teamOf = ({ kind }: StoredSubmission, { salesTo, recruitingTo }: MailSettings): readonly string[] =>
  kind === "inquiry" ? salesTo : recruitingTo;

function receipt(submission: StoredSubmission, settings: MailSettings): MailContent {
  const written = writeReceipt(submission, settings);
  // The first one only: a stranger need not learn who else is in the team.
  return mail([submission.email], written, teamOf(submission, settings).slice(0, 1), automaticReply);
}

/** A reply, or the team's copy of it. A person wrote it, so it is not marked as automatic. */
function replyMail(
  to: readonly string[],
  replyTo: readonly string[],
  submission: StoredSubmission,
  { text, author, followsReceipt }: WrittenReply,
  settings: MailSettings,
): MailContent {
  const { subject } = receipt(submission, settings);
  const receiptId = settings.receiptId(submission);
  const thread = followsReceipt ? { "In-Reply-To": receiptId, References: receiptId } : {};
  const written = writeReply(submission, text, subject, settings.packageTitles);
  // Where no name is set, an address says enough before its host.
  return { ...mail(to, written, replyTo, thread), fromName: author.replace(/@[^@]*$/, "") };
}

function welcome(about: Welcome, settings: MailSettings): MailContent {
  const { email, language, confirmToken, unsubscribeToken } = about;
  // The pages behind the links speak it too.
  const speaking = language === "en" ? "" : `&lang=${language}`;
  const page = (action: string, token: string) =>
    `${settings.publicUrl}/newsletter/${action}?token=${encodeURIComponent(token)}${speaking}`;
  const unsubscribeUrl = page("unsubscribe", unsubscribeToken);
  const confirmUrl = confirmToken === null ? null : page("confirm", confirmToken);
  return mail([email], writeWelcome(language, { confirmUrl, unsubscribeUrl }, settings), [], {
    ...automatic,
    // RFC 8058: a mail program unsubscribes by a POST to the same address, without showing the page.
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
}

const mail = (
  to: readonly string[],
  { subject, text, html }: Written,
  replyTo: readonly string[],
  headers: MailContent["headers"],
): MailContent => ({ to, subject, text, html, replyTo, headers });
