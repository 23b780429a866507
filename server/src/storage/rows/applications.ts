// Applications as records and as rows, the same for every engine. Every row of a table has the same keys in the same order, so
// that an engine may compile its insert once. Knows no SQL.
import type { ApplicationRecord, ResumeRecord, StoredApplication, StoredResume } from "../records.ts";
import type { ApplicationTable } from "../schema.ts";

export function applicationRow(application: ApplicationRecord): ApplicationTable {
  return {
    reference: application.reference,
    received_at: application.receivedAt,
    door: application.origin.door,
    request_id: application.origin.requestId,
    email_disposable: Number(application.emailDisposable ?? false),
    status: application.status ?? "new",
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
    resume_scan: application.resume === null ? null : "unscanned",
  };
}

export function storedApplication(row: ApplicationTable): StoredApplication {
  return {
    reference: row.reference,
    receivedAt: row.received_at,
    origin: { door: row.door, requestId: row.request_id },
    emailDisposable: row.email_disposable === 1,
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

/** @param row undefined when there is no such application */
export function storedResume(
  row: Pick<ApplicationTable, (typeof resumeColumns)[number] | "resume_scan"> | undefined,
): StoredResume | null {
  const resume = row === undefined ? null : resumeOf(row);
  return resume === null ? null : { ...resume, scan: row?.resume_scan ?? "unscanned" };
}

function resumeOf(row: Pick<ApplicationTable, (typeof resumeColumns)[number]>): ResumeRecord | null {
  const { resume_key: key, resume_filename: filename, resume_kind: kind, resume_size: size } = row;
  if (key === null || filename === null || kind === null || size === null || row.resume_sha256 === null) return null;
  return { key, filename, kind, size, sha256: row.resume_sha256 };
}
