// Writes a mail from what it is about, when it is sent: no text is ever stored. Each kind has a writer, made once.
import { submissionKinds } from "@submissions/shared/kinds";
import type {
  LeasedMail,
  MailKind,
  StoredSubmission,
  SubmissionKind,
  Welcome,
  WrittenReply,
} from "../storage/records.ts";
import type { MailContent } from "./mailer.ts";
import type { MailSettings, Written } from "./templates/layout.ts";
import { noticeOf } from "./templates/notice.ts";
import { writeAnswered, writeAssignment, writeDigest, writeInvitation } from "./templates/operators.ts";
import { receiptOf, welcomeOf } from "./templates/receipt.ts";
import { writeReply } from "./templates/reply.ts";

/** Writes a mail. @throws Error when the kind does not fit what it is about, or a header would hold a line break */
export type Compose = (mail: Pick<LeasedMail, "kind" | "about">) => MailContent;

/** False and undefined: mails of its kind are about something else. */
type Writer = (about: LeasedMail["about"]) => MailContent | false | undefined;

/** Makes the writers of all mails. @throws Error when a mail has no words in a language */
export function compileMails(settings: MailSettings): Compose {
  const { digestTo } = settings;
  const welcomeMail = welcomeWriter(settings);
  const forOperator = <Of extends { readonly email: string }>(
    write: (of: Of, known: MailSettings) => Written,
    of: Of,
  ) => mail([of.email], write(of, settings), [], automatic);
  const writers = new Map<MailKind, Writer>([
    ...submissionKinds.flatMap((kind) => submissionWriters(kind, settings)),
    ["newsletter-welcome", (about) => "welcome" in about && welcomeMail(about.welcome)],
    ["assignment", (about) => "assignment" in about && forOperator(writeAssignment, about.assignment)],
    ["invitation", (about) => "invitation" in about && forOperator(writeInvitation, about.invitation)],
    [
      "answer",
      (about) => {
        if (!("submission" in about) || about.answered === undefined) return undefined;
        const { submission, answered } = about;
        const to = answered.to === null ? settings.teams[submission.kind] : [answered.to];
        return mail(to, writeAnswered(submission, answered, settings), [], automatic);
      },
    ],
    ["digest", (about) => "digest" in about && mail(digestTo, writeDigest(about.digest, settings), [], automatic)],
  ]);
  return ({ kind, about }) => {
    const content = writers.get(kind)?.(about);
    if (!content) throw new Error(`A mail of the kind ${kind} is about something else.`);
    const { to, subject, replyTo, fromName = "" } = content;
    if (to.length === 0) throw new Error(`A mail of the kind ${kind} has no addressee.`);
    // A line break would begin another header. The schemas refuse line breaks: this finds mistakes of ours only.
    if (/[\r\n\0]/.test(to.join() + subject + replyTo.join() + fromName)) {
      throw new Error("A header of a mail holds a line break or NUL.");
    }
    return content;
  };
}

// RFC 3834 5: a receipt answers what a person sent, the others begin a conversation. The second header is for Exchange: all
// that it sends by itself but reports of mails that were not delivered (NDR), by which an address is suppressed.
const suppress = { "X-Auto-Response-Suppress": "DR, RN, NRN, OOF, AutoReply" };
const automaticReply = { "Auto-Submitted": "auto-replied", ...suppress };
const automatic = { "Auto-Submitted": "auto-generated", ...suppress };

function submissionWriters(kind: SubmissionKind, settings: MailSettings): [MailKind, Writer][] {
  const team = settings.teams[kind];
  // The first one only: a stranger need not learn who else is in the team.
  const first = team.slice(0, 1);
  const { answerTo } = settings;
  const answers = (one: StoredSubmission, to: readonly string[]) => (answerTo === null ? to : [answerTo(one)]);
  const receipt = receiptOf(kind, settings);
  const notice = noticeOf(kind, settings);
  /** A reply, or the team's copy of it. A person wrote it, so it is not marked as automatic. */
  const replyMail = (one: StoredSubmission, reply: WrittenReply, to: readonly string[], replyTo: readonly string[]) => {
    const { followsReceipt, followsAnswer } = reply;
    const earlier = [
      ...(followsReceipt ? [settings.receiptId(one)] : []),
      ...(followsAnswer === null ? [] : [`<${followsAnswer}>`]),
    ];
    const latest = earlier.at(-1);
    const thread = latest === undefined ? {} : { "In-Reply-To": latest, References: earlier.join(" ") };
    const written = writeReply(one, reply, receipt.subject(one), settings);
    // Where no name is set, an address says enough before its host.
    return { ...mail(to, written, replyTo, thread), fromName: reply.author.replace(/@[^@]*$/, "") };
  };
  const writer =
    (write: (one: StoredSubmission, reply?: WrittenReply) => MailContent | undefined): Writer =>
    (about) =>
      "submission" in about && about.submission.kind === kind && write(about.submission, about.reply);
  return [
    [`${kind}-receipt`, writer((one) => mail([one.email], receipt.write(one), answers(one, first), automaticReply))],
    [
      `${kind}-notice`,
      writer((one, reply) =>
        reply ? replyMail(one, namingFiles(reply), team, [one.email]) : mail(team, notice(one), [one.email], automatic),
      ),
    ],
    [
      `${kind}-reply`,
      writer(
        (one, reply) => reply && { ...replyMail(one, reply, [one.email], answers(one, team)), files: reply.files },
      ),
    ],
  ];
}

/** The team finds them in the console. */
const namingFiles = (reply: WrittenReply): WrittenReply =>
  reply.files.length === 0
    ? reply
    : { ...reply, text: `${reply.text}\n\nFiles: ${reply.files.map(({ name }) => name).join(", ")}` };

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
