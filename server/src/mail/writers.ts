// The writer of each kind of mail: who gets it, where answers go, and its headers.
import { submissionKinds } from "@submissions/shared/kinds";
import type {
  MailKind,
  MailSubject,
  StoredSubmission,
  SubmissionKind,
  Welcome,
  WrittenReply,
} from "../storage/records.ts";
import type { MailContent } from "./mailer.ts";
import type { MailSettings, Written } from "./templates/layout.ts";
import { noticeOf } from "./templates/notice.ts";
import { writeAssignment, writeDigest } from "./templates/operators.ts";
import { receiptOf, welcomeOf } from "./templates/receipt.ts";
import { writeReply } from "./templates/reply.ts";

/** Writes a mail; false: mails of its kind are about something else. */
type Writer = (about: MailSubject) => MailContent | false;

export function writersOf(settings: MailSettings): ReadonlyMap<MailKind, Writer> {
  const welcome = welcomeWriter(settings);
  return new Map<MailKind, Writer>([
    ...submissionKinds.flatMap((kind) => submissionWriters(kind, settings)),
    ["newsletter-welcome", (about) => "welcome" in about && welcome(about.welcome)],
    [
      "assignment",
      (about) =>
        "assignment" in about &&
        mail([about.assignment.email], writeAssignment(about.assignment, settings), [], automatic),
    ],
    [
      "digest",
      (about) => "digest" in about && mail(settings.digestTo, writeDigest(about.digest, settings), [], automatic),
    ],
  ]);
}

// RFC 3834 5: a receipt answers what a person sent, the others begin a conversation. The second header is for Exchange.
const automaticReply = { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" };
const automatic = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

function submissionWriters(kind: SubmissionKind, settings: MailSettings): [MailKind, Writer][] {
  const team = settings.teams[kind];
  const receipt = receiptOf(kind, settings);
  const notice = noticeOf(kind, settings);
  const about =
    (write: (submission: StoredSubmission, reply?: WrittenReply) => MailContent | false): Writer =>
    (subject) =>
      "submission" in subject && subject.submission.kind === kind && write(subject.submission, subject.reply);
  /** A reply, or the team's copy of it. A person wrote it, so it is not marked as automatic. */
  const replyMail = (
    to: readonly string[],
    replyTo: readonly string[],
    submission: StoredSubmission,
    { text, author, followsReceipt }: WrittenReply,
  ): MailContent => {
    const receiptId = settings.receiptId(submission);
    const thread = followsReceipt ? { "In-Reply-To": receiptId, References: receiptId } : {};
    const written = writeReply(submission, text, receipt.subject(submission), settings.packageTitles);
    // Where no name is set, an address says enough before its host.
    return { ...mail(to, written, replyTo, thread), fromName: author.replace(/@[^@]*$/, "") };
  };
  return [
    [
      `${kind}-receipt`,
      // Answers go to the first one only: a stranger need not learn who else is in the team.
      about((submission) => mail([submission.email], receipt.write(submission), team.slice(0, 1), automaticReply)),
    ],
    [
      `${kind}-notice`,
      about((submission, reply) =>
        reply === undefined
          ? mail(team, notice(submission), [submission.email], automatic)
          : replyMail(team, [submission.email], submission, reply),
      ),
    ],
    [
      `${kind}-reply`,
      about((submission, reply) => reply !== undefined && replyMail([submission.email], team, submission, reply)),
    ],
  ];
}

function welcomeWriter(settings: MailSettings): (about: Welcome) => MailContent {
  const write = welcomeOf(settings);
  return ({ email, language, confirmToken, unsubscribeToken }) => {
    // The pages behind the links speak it too.
    const speaking = language === "en" ? "" : `&lang=${language}`;
    const page = (action: string, token: string) =>
      `${settings.publicUrl()}/newsletter/${action}?token=${encodeURIComponent(token)}${speaking}`;
    const unsubscribeUrl = page("unsubscribe", unsubscribeToken);
    const confirmUrl = confirmToken === null ? null : page("confirm", confirmToken);
    return mail([email], write(language, confirmUrl, unsubscribeUrl), [], {
      ...automatic,
      // RFC 8058: a mail program unsubscribes by a POST to the same address, without showing the page.
      "List-Unsubscribe": `<${unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
  };
}

const mail = (
  to: readonly string[],
  { subject, text, html }: Written,
  replyTo: readonly string[],
  headers: MailContent["headers"],
): MailContent => ({ to, subject, text, html, replyTo, headers });
