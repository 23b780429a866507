// One submission as its page shows it, and whether its resume may be given out.
import type { AnswerFile, InboxFilter, MailRow, ResumeFacts, SubmissionDetail } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { packageIdsOf, picked, sentFields } from "../field-values.ts";
import type { ResumeRecord, ScanState, StoredAnswerFile, StoredMail } from "../storage/records.ts";
import { inboxRow } from "./inbox-row.ts";
import { type CatalogueTitles, titlesAmong } from "./package-title.ts";
import type { DeskDetail, DeskStore, Scope } from "../storage/desk-store.ts";
import { downloadName } from "../resumes/display-name.ts";

/** @param operator who has attached files; absent: those of no one are told */
export function submissionDetail(
  detail: DeskDetail,
  { packageTitles, scanned }: { readonly packageTitles: CatalogueTitles; readonly scanned: boolean },
  operator?: string,
): SubmissionDetail {
  const { submission, scan: _, mails, answers, attached, duplicates, ...rest } = detail;
  const { language, consent, more, declineReason, decidedAt, opening } = submission;
  // A submission that names no language counts as English, so only another language is shown.
  const shown = { language: language === "en" ? null : language };
  const agreed = { consentText: consent?.text ?? null, consentPage: consent?.page ?? null };
  return {
    ...rest,
    ...inboxRow(submission, packageTitles),
    fields: { ...sentFields(submission), ...(opening !== undefined && { opening }), ...shown, ...agreed },
    more,
    declineReason,
    decidedAt,
    packageTitles: titlesAmong(packageIdsOf(submission), packageTitles),
    resume: resumeOf(detail, scanned),
    mails: mails.map(shownMail),
    answers: answers.map(({ files, ...answer }) => ({
      ...answer,
      files: files.map((file) => shownFile(file, scanned)),
    })),
    attached: attached.filter(({ author }) => author === operator).map(({ id, name, size }) => ({ id, name, size })),
    duplicates: duplicates.map((one) => {
      const { reference, kind, receivedAt, status, summary, email } = inboxRow(one, packageTitles);
      const isSame = emailKey(email) === emailKey(submission.email);
      return { reference, kind, receivedAt, status, summary, otherEmail: isSame ? null : email };
    }),
  };
}

const shownFile = ({ id, name, size, scan }: StoredAnswerFile, scanned: boolean): AnswerFile => ({
  name,
  size,
  kept: scan && { id, download: withheldAs(scan, scanned) ?? "allowed" },
});

/** A mail as the console shows it: one to the team or an operator names no address. */
export function shownMail(stored: StoredMail): MailRow {
  const { providerId: _, ...mail } = stored;
  return { ...mail, email: mail.kind.endsWith("-notice") || mail.kind === "answer" ? null : mail.email };
}

/** The submissions before and after one in the list of a filter, in the order of the list. */
export async function neighboursOf(desk: DeskStore, scope: Scope, reference: string, filter: InboxFilter) {
  const beside = async (order: "newest" | "oldest", after: number) => {
    const [found] = (await desk.listSubmissions(scope, { ...filter, order }, { after, limit: 1 })).rows;
    return found === undefined ? null : { reference: found.reference, kind: found.kind };
  };
  const [named] = (await desk.listSubmissions(scope, { search: reference }, { limit: 1 })).rows;
  // Other words are searched for as names.
  if (named?.reference !== reference) return { previous: null, next: null };
  const [back, on] = filter.order === "oldest" ? (["newest", "oldest"] as const) : (["oldest", "newest"] as const);
  const [previous, next] = await Promise.all([beside(back, named.arrival), beside(on, named.arrival)]);
  return { previous, next };
}

const resumeOf = ({ submission: { resume }, scan }: DeskDetail, scanned: boolean): ResumeFacts | null =>
  resume && { ...resumeFacts(resume), download: (scan && withheldAs(scan, scanned)) ?? "allowed" };

/** Without its key, which is the vault's own. */
export const resumeFacts = (resume: ResumeRecord) => picked(resume, ["filename", "kind", "size", "sha256"]);

/** A resume that may be given out. It is saved under `filename`, which has an extension. */
export type Download = Extract<Awaited<ReturnType<typeof findDownload>>, ResumeRecord>;

/** Why a resume is not given out; null: it may be. Without a scanner no resume is ever judged, and all may be. */
export const withheldAs = (scan: ScanState, scanned: boolean): "infected" | "unscanned" | null =>
  scan === "infected" || (scanned && scan === "unscanned") ? scan : null;

/** `absent`: there is none. The virus scanner found others infected, or has not judged them yet. */
export async function findDownload(desk: DeskStore, scope: Scope, reference: string, scanned: boolean) {
  const detail = await desk.findDetail(scope, reference);
  const resume = detail?.submission.resume ?? null;
  if (resume === null) return { result: "absent" } as const;
  const withheld = withheldAs(detail?.scan ?? "unscanned", scanned);
  if (withheld !== null) return { result: withheld };
  return { ...resume, result: "allowed" as const, filename: downloadName(resume.filename, resume.kind) };
}
