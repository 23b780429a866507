// Mails as rows: as operators see them, as the process that sends them gets them, and how the end of a try is written.
import { ofKinds } from "../../kinds.ts";
import type {
  AnswerSender,
  Assignment,
  Digest,
  Invitation,
  LeasedMail,
  MailFile,
  MailKind,
  MailSettlement,
  MailSubject,
  RefusedMail,
  StoredMail,
} from "../records.ts";
import { quoted as listOf, readFields } from "./columns.ts";
import { receiptKinds } from "./mails.ts";
import { type Ended, endedAs, mailId, type OutboxTable, parseMailId, settledValues } from "./outbox-row.ts";
import { readSubmission, submissionColumns, type SubmissionRow } from "./submission-row.ts";
import { readWelcome } from "./subscription.ts";

/** To be read from {@link mailJoins}. Quoted names keep their case on both engines. */
export const mailColumns = `mail.id AS "row", mail.kind, submission.reference, mail.reply,
  coalesce(submission.email, subscriber.email) AS email, mail.status, mail.attempts, mail.created_at AS "createdAt",
  mail.due_at AS "dueAt", CASE mail.status WHEN 'sent' THEN mail.ended_at END AS "sentAt",
  CASE mail.status WHEN 'sent' THEN mail.last_answer END AS "providerId",
  CASE mail.status WHEN 'sent' THEN NULL ELSE mail.last_answer END AS "lastError"`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

export type ReadMail = Omit<StoredMail, "id"> & { readonly row: number };

export const storedMail = ({ row, ...mail }: ReadMail): StoredMail => ({ id: mailId(row, mail.createdAt), ...mail });

/** A mail that is claimed, with the row of what it is about; the other columns of submissions are then null. */
export interface ClaimedMail extends SubmissionRow, Pick<LeasedMail, "createdAt" | "attempts" | "denials"> {
  readonly row: number;
  readonly mailKind: MailKind;
  /**
   * JSON, until the mail is sent: the tokens of a welcome mail (`welcomeTokens`); the token of an `invitation`; of a mail to
   * several that some have already, those (`has`, by `emailKey`).
   */
  readonly tokens: string | null;
  /** The column `digest`, JSON: the digest of a day; or of a mail to an operator, who assigned what. */
  readonly summary: string | null;
  /** The address of the operator whom a mail about assignments, or an invitation, is to. */
  readonly operator: string | null;
  /** The address. */
  readonly subscriber: string | null;
  readonly reply: string | null;
  readonly author: string | null;
  readonly quoted: number | null;
  readonly followsReceipt: number | null;
  readonly isHeld: number;
  readonly followsAnswer: string | null;
  /** Of a reply, a line each: id, key, SHA-256 and name, in no order. */
  readonly files: string | null;
  /** Who wrote the answer that the mail tells of. */
  readonly answeredBy: AnswerSender | null;
}

/** 1: it declines a person who has answered since it was written, or since an operator released it. */
export const isHeld = `CASE WHEN reply.send_at IS NOT NULL
  AND submission.last_answer_at > coalesce(reply.released_at, reply.at) THEN 1 ELSE 0 END AS "isHeld"`;

/** Beside `mailJoins`. */
const replyJoins = `LEFT JOIN reply ON reply.id = mail.reply
  LEFT JOIN operator ON operator.email = reply.author
  LEFT JOIN operator AS assigned ON assigned.id = mail.operator`;

/** To be read from `mail` and what `mailJoins` and `replyJoins` add. A receipt that is forgotten was sent. Quoted names keep their case. */
const claimedColumns = `mail.id AS row, mail.kind AS "mailKind", mail.created_at AS "createdAt", mail.attempts,
  mail.denials, mail.tokens, mail.digest AS summary, assigned.email AS operator,
  subscriber.email AS subscriber, reply.text AS reply, ${isHeld},
  coalesce(operator.name, reply.author) AS author, reply.quoted,
  CASE WHEN reply.id IS NULL OR submission.receipt_at IS NULL THEN 0 ELSE coalesce(
    (SELECT max(CASE receipt.status WHEN 'sent' THEN 1 ELSE 0 END) FROM mail AS receipt
    WHERE receipt.submission = mail.submission AND receipt.kind IN (${listOf(receiptKinds)})), 1) END
    AS "followsReceipt",
  CASE WHEN reply.id IS NOT NULL THEN (SELECT answer.message_id FROM answer
    WHERE answer.submission = mail.submission AND answer.sender <> 'automatic' AND answer.at <= reply.at
    ORDER BY answer.id DESC LIMIT 1) END AS "followsAnswer",
  (SELECT string_agg(id || ' ' || file_key || ' ' || sha256 || ' ' || name, '\n') FROM reply_file
    WHERE reply_file.reply = reply.id) AS files,
  CASE mail.kind WHEN 'answer' THEN (SELECT answer.sender FROM answer
    WHERE answer.submission = mail.submission AND answer.sender <> 'automatic' AND answer.at <= mail.created_at
    ORDER BY answer.id DESC LIMIT 1) END AS "answeredBy",
  ${submissionColumns}`;

export const mailTable: OutboxTable<ClaimedMail, LeasedMail | RefusedMail, MailSettlement> = {
  name: "mail",
  idOf: ({ row, createdAt }) => mailId(row, createdAt),
  parseId: parseMailId,
  // One provider takes all of them.
  lanes: "SELECT 0 AS lane",
  lane: "0",
  columns: claimedColumns,
  joins: `${mailJoins} ${replyJoins}`,
  // An hour, if the provider does not ask for more.
  delayMsMax: 2 * 60 * 60_000,
  // A process that let a lease run out may have sent the mail and died before it recorded that.
  claims: "denials = CASE WHEN lease_owner <> $1 THEN 0 ELSE denials END,",
  settles: (value) => `denials = ${value("denials")},
    tokens = CASE ${value("status")} WHEN 'sent' THEN NULL ELSE coalesce(${value("tokens")}, mail.tokens) END,`,
  settled: (row) => [...settledValues(row), row.denials, row.tokens ?? null],
  leased: leasedMail,
  ended: endedMail,
};

/** @param refusal why it must not be sent */
function leasedMail(id: string, row: ClaimedMail, _now: number, leasedUntil: number, refusal?: string) {
  const { mailKind: kind, createdAt, attempts, denials, requestId } = row;
  const { has } = readFields(row.tokens ?? "{}");
  const partly = Array.isArray(has) && { has: has.map(String) };
  const mail = { id, kind, createdAt, attempts, denials, leasedUntil, ...partly };
  const about = refusal === undefined ? subjectOf(row) : null;
  return about ? { ...mail, about } : { ...mail, about: { refused: refusal ?? "unreadable row", requestId } };
}

function subjectOf(row: ClaimedMail): MailSubject | null {
  if (row.mailKind === "answer") {
    const submission = readSubmission(row);
    return submission && { submission, answered: { to: row.operator, verified: row.answeredBy === "person" } };
  }
  if (row.operator !== null && row.mailKind === "invitation") {
    const invitation = readInvitation(row.operator, row.tokens);
    return invitation && { invitation };
  }
  if (row.operator !== null) {
    const assigned = readAssigned(row.summary);
    return Object.keys(assigned).length === 0 ? null : { assignment: { email: row.operator, assigned } };
  }
  if (row.summary !== null) {
    const digest = readDigest(row.summary);
    return digest && { digest };
  }
  if (row.subscriber !== null) {
    const welcome = readWelcome(row.subscriber, row.tokens);
    return welcome && { welcome };
  }
  const submission = readSubmission(row);
  if (submission === null || row.reply === null) return submission && { submission };
  const { reply: text, author, quoted, followsReceipt, followsAnswer } = row;
  const written = { text, author: author ?? "", quoted: quoted === 1, followsAnswer, files: mailFilesOf(row.files) };
  const reply = { ...written, followsReceipt: followsReceipt === 1 };
  return { submission, reply };
}

function endedMail(settlement: MailSettlement): Ended {
  if (settlement.result === "sent") return endedAs(settlement, settlement.providerId);
  const wasTried = settlement.result !== "later" || settlement.tried;
  const { has, error, denials } = settlement;
  // Only a mail to several has it, and none of those has tokens.
  return { ...endedAs(settlement, error, wasTried ? 1 : 0, denials), tokens: has ? JSON.stringify({ has }) : null };
}

function mailFilesOf(lines: string | null): readonly MailFile[] {
  const files = (lines?.split("\n") ?? []).map((line) => line.split(" "));
  return files
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([_id, key = "", sha256 = "", ...name]) => ({ key, sha256, name: name.join(" ") }));
}

/** What is assigned to an operator, of the column `digest`. */
export function readAssigned(json: string | null): Assignment["assigned"] {
  const assigned = Object.entries(readFields(json ?? "{}"));
  return Object.fromEntries(assigned.flatMap(([reference, by]) => (typeof by === "string" ? [[reference, by]] : [])));
}

/** The mail with the link; null once it was sent, when the token is gone. */
function readInvitation(email: string, tokens: string | null): Invitation | null {
  const { invitation: token } = readFields(tokens ?? "{}");
  return typeof token === "string" ? { email, token } : null;
}

/** Null when it cannot be read: another version may have written it. */
function readDigest(json: string): Digest | null {
  const { day, mails, longest, lastBackupAt, ...counts } = readFields(json) as Partial<Digest>;
  if (typeof day !== "string" || mails === undefined || !Array.isArray(longest)) return null;
  const waiting = ofKinds((kind) => counts[kind] ?? { new: 0, open: 0 });
  return { day, ...waiting, mails, longest, ...(typeof lastBackupAt === "number" && { lastBackupAt }) };
}
