// Records to rows and back, the same for every engine. Rows of one table always have the same keys in the same order,
// so that an engine may compile an insert once. Knows no SQL.
import { emailKey } from "@submissions/shared/fields";
import type {
  ApplicationRecord,
  InquiryRecord,
  LeasedMail,
  MailContent,
  NewMail,
  ResumeRecord,
  StoredApplication,
  StoredInquiry,
  StoredMail,
  StoredSubscriber,
  SubscriberStatus,
  SubscriptionRecord,
} from "./records.ts";
import type { ApplicationTable, InquiryTable, MailTable, NewsletterTokenTable, SubscriberTable } from "./schema.ts";
import type { Lease } from "./store.ts";

export function inquiryRow(inquiry: InquiryRecord): InquiryTable {
  return {
    reference: inquiry.reference,
    received_at: inquiry.receivedAt,
    door: inquiry.origin.door,
    request_id: inquiry.origin.requestId,
    status: "new",
    name: inquiry.name,
    company: inquiry.company,
    email: inquiry.email,
    selected_package_ids: JSON.stringify(inquiry.selectedPackageIds),
  };
}

export function storedInquiry(row: InquiryTable): StoredInquiry {
  return {
    reference: row.reference,
    receivedAt: row.received_at,
    origin: { door: row.door, requestId: row.request_id },
    status: row.status,
    name: row.name,
    company: row.company,
    email: row.email,
    selectedPackageIds: JSON.parse(row.selected_package_ids) as string[],
  };
}

export function applicationRow(application: ApplicationRecord): ApplicationTable {
  return {
    reference: application.reference,
    received_at: application.receivedAt,
    door: application.origin.door,
    request_id: application.origin.requestId,
    status: "new",
    full_name: application.fullName,
    email: application.email,
    position: application.position,
    phone: application.phone,
    company: application.company,
    availability: application.availability,
    accent: application.accent,
    portfolio_url: application.portfolioUrl,
    resume_url: application.resumeUrl,
    cover_letter: application.coverLetter,
    resume_key: application.resume?.key ?? null,
    resume_filename: application.resume?.filename ?? null,
    resume_kind: application.resume?.kind ?? null,
    resume_size: application.resume?.size ?? null,
    resume_sha256: application.resume?.sha256 ?? null,
  };
}

export function storedApplication(row: ApplicationTable): StoredApplication {
  return {
    reference: row.reference,
    receivedAt: row.received_at,
    origin: { door: row.door, requestId: row.request_id },
    status: row.status,
    fullName: row.full_name,
    email: row.email,
    position: row.position,
    phone: row.phone,
    company: row.company,
    availability: row.availability,
    accent: row.accent,
    portfolioUrl: row.portfolio_url,
    resumeUrl: row.resume_url,
    coverLetter: row.cover_letter,
    resume: resumeOf(row),
  };
}

/** The columns that make up a resume. */
export const resumeColumns = [
  "resume_key",
  "resume_filename",
  "resume_kind",
  "resume_size",
  "resume_sha256",
] as const satisfies readonly (keyof ApplicationTable)[];

export function resumeOf(row: Pick<ApplicationTable, (typeof resumeColumns)[number]>): ResumeRecord | null {
  const { resume_key: key, resume_filename: filename, resume_kind: kind, resume_size: size } = row;
  if (key === null || filename === null || kind === null || size === null || row.resume_sha256 === null) return null;
  return { key, filename, kind, size, sha256: row.resume_sha256 };
}

export function subscriberRow(subscription: SubscriptionRecord, status: SubscriberStatus): SubscriberTable {
  return {
    email_key: emailKey(subscription.email),
    email: subscription.email,
    status,
    source: subscription.source,
    last_source: subscription.source,
    subscribed_at: subscription.receivedAt,
    welcomed_at: subscription.receivedAt,
    confirmed_at: null,
    unsubscribed_at: null,
    door: subscription.origin.door,
    request_id: subscription.origin.requestId,
  };
}

/** The tokens in the links of one welcome mail. With single opt-in there is nothing to confirm. */
export function tokenRows(subscription: SubscriptionRecord): NewsletterTokenTable[] {
  const { confirmTokenHash, confirmExpiresAt, unsubscribeTokenHash, receivedAt } = subscription;
  const token = (token_hash: string, purpose: NewsletterTokenTable["purpose"], expires_at: number | null) => ({
    token_hash,
    email_key: emailKey(subscription.email),
    purpose,
    created_at: receivedAt,
    expires_at,
  });
  const unsubscribe = token(unsubscribeTokenHash, "unsubscribe", null);
  if (subscription.optIn === "single") return [unsubscribe];
  return [token(confirmTokenHash, "confirm", confirmExpiresAt), unsubscribe];
}

export function storedSubscriber(row: SubscriberTable): StoredSubscriber {
  return {
    email: row.email,
    status: row.status,
    source: row.source,
    lastSource: row.last_source,
    subscribedAt: row.subscribed_at,
    confirmedAt: row.confirmed_at,
    unsubscribedAt: row.unsubscribed_at,
  };
}

/** A mail as it is born: queued, due at once, in the hands of the process that accepted the submission. */
export function mailRow(mail: NewMail, createdAt: number, lease: Lease): MailTable {
  return {
    id: mail.id,
    kind: mail.kind,
    reference: mail.reference,
    recipients: JSON.stringify(mail.content.to),
    subject: mail.content.subject,
    reply_to: mail.content.replyTo,
    text: mail.content.text,
    html: mail.content.html,
    headers: JSON.stringify(mail.content.headers),
    status: "queued",
    attempts: 0,
    created_at: createdAt,
    due_at: createdAt,
    lease_owner: lease.owner,
    lease_until: lease.until,
    sent_at: null,
    provider_id: null,
    last_error: null,
  };
}

export function leasedMail(row: MailTable): LeasedMail {
  return {
    id: row.id,
    kind: row.kind,
    reference: row.reference,
    content: mailContent(row),
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}

function mailContent(row: MailTable): MailContent {
  // A mail that is still to be sent has all of its parts; the schema checks it.
  return {
    to: JSON.parse(row.recipients) as string[],
    subject: row.subject,
    text: row.text ?? "",
    html: row.html ?? "",
    replyTo: row.reply_to,
    headers: JSON.parse(row.headers ?? "{}") as Record<string, string>,
  };
}

/** The columns that an operator sees of a mail: all but its body. */
export const listedMailColumns = [
  "id",
  "kind",
  "reference",
  "recipients",
  "subject",
  "status",
  "attempts",
  "created_at",
  "due_at",
  "sent_at",
  "provider_id",
  "last_error",
] as const satisfies readonly (keyof MailTable)[];

export function storedMail(row: Pick<MailTable, (typeof listedMailColumns)[number]>): StoredMail {
  return {
    id: row.id,
    kind: row.kind,
    reference: row.reference,
    to: JSON.parse(row.recipients) as string[],
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
    sentAt: row.sent_at,
    providerId: row.provider_id,
    lastError: row.last_error,
  };
}
