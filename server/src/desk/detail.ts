// One submission as its page shows it.
import type { InboxRow, ResumeFacts, SubmissionDetail } from "@submissions/shared/console";
import { sentFields } from "../field-values.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { withheldAs } from "./resume.ts";
import type { DeskDetail } from "../storage/desk-store.ts";

interface Installation {
  readonly packageTitles: ReadonlyMap<string, string> | null;
  readonly scanned: boolean;
}

export function submissionDetail(detail: DeskDetail, { packageTitles, scanned }: Installation): SubmissionDetail {
  const { row, submission, mails, notes, replies, history, duplicates } = detail;
  const ids = submission.kind === "inquiry" ? submission.selectedPackageIds : [];
  return {
    ...row,
    fields: { ...sentFields(submission), ...languageOf(submission), ...consentOf(submission) },
    more: submission.more,
    packageTitles: titlesAmong(ids, packageTitles),
    resume: resumeOf(detail, scanned),
    mails,
    notes,
    replies,
    history,
    duplicates,
  };
}

/** The titles of those packages that have one. */
export const titlesAmong = (ids: readonly string[], packageTitles: Installation["packageTitles"]) =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const title = packageTitles?.get(id);
      return title === undefined ? [] : [[id, title] as const];
    }),
  );

/** Rows of a list with the titles of packages in place of their identifiers. One that the row has cut stays as it is. */
export const titled = (rows: readonly InboxRow[], packageTitles: Installation["packageTitles"]): readonly InboxRow[] =>
  rows.map((row) => {
    if (row.kind !== "inquiry") return row;
    const titles = row.summary.split(", ").map((id) => packageTitles?.get(id) ?? id);
    return { ...row, summary: titles.join("; ") };
  });

// A submission that names no language counts as English, so only another language is shown.
const languageOf = ({ language }: StoredSubmission) => ({ language: language === "en" ? null : language });

const consentOf = ({ consent }: StoredSubmission) => ({
  consentText: consent?.text ?? null,
  consentPage: consent?.page ?? null,
});

function resumeOf({ submission, scan }: DeskDetail, scanned: boolean): ResumeFacts | null {
  if (submission.kind === "inquiry" || submission.resume === null) return null;
  const { filename, kind, size, sha256 } = submission.resume;
  return { filename, kind, size, sha256, download: (scan && withheldAs(scan, scanned)) ?? "allowed" };
}
