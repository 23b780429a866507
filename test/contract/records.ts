// Submissions and mails for tests: every field filled, each call another one. Nothing here is random but identifiers.
import { randomUUID } from "node:crypto";
import type {
  ApplicationRecord,
  InquiryRecord,
  NewMail,
  ResumeRecord,
  SubscriptionRecord,
} from "../../server/src/storage/records.ts";
import type { Lease } from "../../server/src/storage/store.ts";

/** 2026-11-21, noon. */
export const noon = Date.UTC(2026, 10, 21, 12);
export const day = "20261121";
export const minute = 60_000;

export const lease: Lease = { owner: "this-process", until: noon + minute };

export const reference = (kind: "INQ" | "APP", number: number) => `${kind}-${day}-${String(number).padStart(6, "0")}`;

export function inquiry(number: number, more: Partial<InquiryRecord> = {}): InquiryRecord {
  return {
    reference: reference("INQ", number),
    receivedAt: noon,
    origin: { door: "rest", requestId: `request-${number}` },
    emailDisposable: false,
    name: "Ann Buyer",
    company: "Voices Ltd",
    email: "ann@example.org",
    selectedPackageIds: ["en-GB-scottish", "de-AT"],
    ...more,
  };
}

export function resume(number: number, more: Partial<ResumeRecord> = {}): ResumeRecord {
  return {
    key: `2026/11/21/${String(number).padStart(32, "0")}`,
    filename: "Résumé (final).pdf",
    kind: "pdf",
    size: 5_242_880,
    sha256: "ab".repeat(32),
    ...more,
  };
}

export function application(number: number, more: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    reference: reference("APP", number),
    receivedAt: noon,
    origin: { door: "rpc", requestId: `request-${number}` },
    emailDisposable: false,
    fullName: "Ana Souza",
    email: "ana@example.org",
    position: "Accent annotator",
    phone: "+351 912 345 678",
    company: "Estúdio",
    availability: "From May",
    accent: "Açores",
    portfolioUrl: "https://example.org/ana",
    resumeUrl: "https://example.org/ana.pdf",
    coverLetter: "Dear team,\n\n\tI would like to join.",
    resume: resume(number),
    ...more,
  };
}

export function subscription(more: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return {
    receivedAt: noon,
    origin: { door: "rest", requestId: "request" },
    email: "Reader@example.org",
    source: "footer",
    optIn: "double",
    confirmTokenHash: tokenHash(),
    confirmExpiresAt: noon + 7 * 24 * 60 * minute,
    unsubscribeTokenHash: tokenHash(),
    ...more,
  };
}

const tokenHash = () => (randomUUID() + randomUUID()).replaceAll("-", "");

let addressees = 0;

/** A mail to an address that no other mail goes to: an address gets only a few automatic mails a day. */
export function mail(more: Partial<NewMail> = {}): NewMail {
  return {
    id: randomUUID(),
    kind: "inquiry-receipt",
    reference: null,
    content: {
      to: [`ann-${(addressees += 1)}@example.org`],
      subject: "We have your inquiry",
      text: "Thank you.",
      html: "<p>Thank you.</p>",
      replyTo: "sales@example.org",
      headers: { "Auto-Submitted": "auto-replied" },
    },
    ...more,
  };
}

export const welcome = (): NewMail => mail({ kind: "newsletter-welcome" });

/** Everything that an export gives. */
export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
