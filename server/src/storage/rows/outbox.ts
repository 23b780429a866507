// Mails as records and as rows, the same for every engine. Every row of a table has the same keys in the same order, so
// that an engine may compile its insert once. Knows no SQL.
import { emailKey } from "@submissions/shared/fields";
import { isAutomatic } from "../automatic-mail.ts";
import type { LeasedMail, MailContent, MailSettlement, NewMail, StoredMail } from "../records.ts";
import type { MailTable } from "../schema.ts";
import type { Lease } from "../store.ts";

/** A mail as it is born: queued, due at once, in the hands of the process that accepted the submission, if one did. */
export function mailRow(mail: NewMail, createdAt: number, lease: Lease | null): MailTable {
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
    automatic_to: isAutomatic(mail.kind) ? emailKey(mail.content.to[0] ?? "") : null,
    created_at: createdAt,
    due_at: createdAt,
    lease_owner: lease?.owner ?? null,
    lease_until: lease?.until ?? null,
    denials: null,
    sent_at: null,
    provider_id: null,
    last_error: null,
  };
}

/** The mail of a row, or null when the row cannot be read. */
function leasedMail(row: MailTable): LeasedMail | null {
  const content = mailContent(row);
  if (content === null) return null;
  return {
    id: row.id,
    kind: row.kind,
    reference: row.reference,
    content,
    attempts: row.attempts,
    createdAt: row.created_at,
    denials: row.denials,
  };
}

function mailContent(row: MailTable): MailContent | null {
  const to = readRecipients(row.recipients);
  const headers = readJson(row.headers);
  // A mail that is still to be sent has all of its parts; the schema checks it.
  if (to.length === 0 || row.text === null || row.html === null || !isTexts(headers)) return null;
  return { to, subject: row.subject, text: row.text, html: row.html, replyTo: row.reply_to, headers };
}

function readRecipients(text: string): string[] {
  const to = readJson(text);
  return Array.isArray(to) && to.every((address) => typeof address === "string") ? to : [];
}

// Rows outlive the versions that wrote them, and disks lie: one bad row must not stop those that ask for many.
function readJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    // SyntaxError.
    return null;
  }
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === "string");

/** Mails that were just leased: those that can be read, oldest due first, and the ids of those that cannot. */
export function leasedMails(rows: readonly MailTable[]): {
  readonly mails: LeasedMail[];
  readonly unreadable: MailTable[];
} {
  const mails: LeasedMail[] = [];
  const unreadable: MailTable[] = [];
  // RETURNING promises no order.
  for (const row of rows.toSorted(byDueTime)) {
    const mail = leasedMail(row);
    if (mail === null) unreadable.push(row);
    else mails.push(mail);
  }
  return { mails, unreadable };
}

const byDueTime = (a: MailTable, b: MailTable): number =>
  (a.due_at ?? 0) - (b.due_at ?? 0) || a.created_at - b.created_at;

/** How a mail that cannot be read is settled. */
export const unreadableMail = ({ id, denials }: MailTable, at: number): MailSettlement => ({
  id,
  result: "failed",
  at,
  error: "unreadable row",
  denials,
});

/** Given back. */
export const unleased = { lease_owner: null, lease_until: null };

// The links in a sent mail are as good as passwords, and its text is personal data that nobody needs a second time.
const bodyless = { reply_to: null, text: null, html: null, headers: null };

/** What a settlement says; every kind says only some of it. */
export interface SettledValues {
  readonly at: number;
  readonly providerId: string;
  readonly error: string;
  readonly dueAt: number;
  readonly denials: number | null;
}

/** The columns that each kind of settlement writes, beside counting the try and giving the lease back. */
export const settledColumns = {
  sent: ({ at, providerId }: SettledValues) => ({
    status: "sent",
    sent_at: at,
    provider_id: providerId,
    last_error: null,
    due_at: null,
    denials: null,
    ...bodyless,
  }),
  failed: ({ error, denials }: SettledValues) => ({ status: "failed", due_at: null, last_error: error, denials }),
  later: ({ dueAt, error, denials }: SettledValues) => ({ due_at: dueAt, last_error: error, denials }),
} as const satisfies Record<MailSettlement["result"], (values: SettledValues) => Partial<MailTable>>;

/** A settlement as the values of all kinds, with the tries that it counts. */
export function settledValues(settlement: MailSettlement): SettledValues & { readonly tries: number } {
  const values = { providerId: "", error: "", dueAt: 0, denials: null, ...settlement };
  return {
    ...values,
    providerId: storable(values.providerId),
    error: storable(values.error),
    tries: settlement.result === "later" && !settlement.tried ? 0 : 1,
  };
}

// Words of a provider, whatever they hold: a mail that was sent and could not be settled would be sent again. PostgreSQL
// takes no NUL.
const storable = (words: string): string => words.toWellFormed().replaceAll("\0", "");

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
    to: readRecipients(row.recipients),
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
