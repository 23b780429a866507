// What operators take out, as CSV or NDJSON, page by page, so that memory stays flat. Knows no terminal and no HTTP.
import { positionField } from "@submissions/shared/application-fields";
import { kindOf, kindOfPlural, type KindPlural, kinds } from "@submissions/shared/kinds";
import { sentFields } from "../field-values.ts";
import { serverKindOf } from "../kinds.ts";
import type { Fields } from "../read-unknown.ts";
import type { KnownFact } from "../storage/desk-store.ts";
import type { ResumeRecord, StoredSubmission, StoredSubscriber } from "../storage/records.ts";
import type { ReadFrom, ReadRows, Store } from "../storage/store.ts";
import { resumeFacts, shownMail } from "./detail.ts";
import { byteOrderMark, csvLine, joinList, type Cell } from "./csv.ts";

export type ExportSubject = KindPlural | "subscribers" | "audit";

const plurals = Object.values(kinds).map(({ plural }) => plural);
export const exportSubjects: readonly ExportSubject[] = [...plurals, "subscribers", "audit"];

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type ExportRows = AsyncIterable<readonly Row[]>;

/** All rows of a subject. @param from by the time of receipt, of the subscription, or of the entry, whose id is its number */
export const allRows = (store: Pick<Store, "readAll">, subject: ExportSubject, from: ReadFrom): ExportRows =>
  store.readAll(kindOfPlural(subject) ?? (subject === "audit" ? subject : "subscriber"), from);

interface ExportOptions {
  readonly subject: ExportSubject;
  readonly format: ExportFormat;
  readonly isDisposable: (email: string) => boolean;
}

/** `2026-11-21T09:30:00.000Z`. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs));

/** The privacy notice that came with a form; all null where it did not tell. */
const consentFields = ({ consent }: Pick<StoredSubscriber, "consent">) => ({
  consentText: consent?.text ?? null,
  consentPage: consent?.page ?? null,
  consentAt: isoOrNull(consent?.at ?? null),
});

// The keys of these objects, in this order, are a promise to the readers of the exports. Absent values are null.
export const submissionFields = (submission: StoredSubmission) => ({
  [kindOf(submission.kind).idName]: submission.reference,
  status: submission.status,
  receivedAt: iso(submission.receivedAt),
  ...sentFields(submission),
  ...(positionField in kindOf(submission.kind).fields && { opening: submission.opening ?? null }),
  ...(kindOf(submission.kind).file !== null && { resume: submission.resume && resumeFacts(submission.resume) }),
  more: submission.more,
  tags: submission.tags,
  ...(kindOf(submission.kind).staged && stageFields(submission)),
  assignee: submission.assignee,
  firstReplyAt: isoOrNull(submission.firstReplyAt),
});

const stageFields = ({ stage, declineReason, decidedAt }: StoredSubmission) => ({
  stage,
  declineReason,
  decidedAt: isoOrNull(decidedAt),
});

export const subscriberFields = (subscriber: StoredSubscriber) => ({
  email: subscriber.email,
  status: subscriber.status,
  source: subscriber.source,
  lastSource: subscriber.lastSource,
  subscribedAt: iso(subscriber.subscribedAt),
  confirmedAt: isoOrNull(subscriber.confirmedAt),
  unsubscribedAt: isoOrNull(subscriber.unsubscribedAt),
});

type Row = ReadRows[keyof ReadRows];

function fieldsOf(row: Row, isDisposable: ExportOptions["isDisposable"]): Fields {
  if ("operator" in row) return { ...row, at: iso(row.at) };
  const { email, arrival, language } = row;
  const fields = "reference" in row ? submissionFields(row) : subscriberFields(row);
  return { ...fields, emailDisposable: isDisposable(email), arrival, ...consentFields(row), language };
}

const marks = ["emailDisposable", "arrival", "consentText", "consentPage", "consentAt", "language"];
const ofSubmissions = [...marks, "more", "tags"];
const ofWork = ["assignee", "firstReplyAt"];

/** CSV columns, left to right. Their order is a promise: new ones go to the right end only. */
function columnsOf(subject: ExportSubject): readonly string[] {
  if (subject === "audit") return "id at operator action subject detail".split(" ");
  const kind = kindOfPlural(subject);
  if (kind === undefined)
    return [..."email status source lastSource subscribedAt confirmedAt unsubscribedAt".split(" "), ...marks];
  const { idName, fields, file, staged } = kindOf(kind);
  const { before, behind } = serverKindOf(kind).columns;
  const ofResume = file === null ? [] : "resumeFilename resumeKind resumeSize resumeSha256".split(" ");
  const ofStages = staged ? ["stage", "declineReason", "decidedAt"] : [];
  const opening = positionField in fields ? ["opening"] : [];
  const added = [...behind, ...ofStages, ...opening, ...ofWork];
  return [idName, "status", "receivedAt", ...before, ...ofResume, ...ofSubmissions, ...added];
}

function lineOf(columns: readonly string[], fields: Fields): string {
  const { filename, kind, size, sha256 } = (fields["resume"] ?? {}) as Partial<ResumeRecord>;
  const resume = { resumeFilename: filename, resumeKind: kind, resumeSize: size, resumeSha256: sha256 };
  const flat: Fields = { ...fields, ...resume };
  return csvLine(columns.map((column) => cellOf(flat[column])));
}

/** A list is one cell. So are further fields and the details of the audit log, which may have any names: as JSON. */
function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return joinList(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : ((value ?? null) as Cell);
}

/** Characters of a piece: large enough for few system calls, small enough that a page of long letters is several. */
const pieceLengthMin = 64 * 1024;

/**
 * An export in pieces, in the order of arrival. For CSV a byte-order mark and a header come first, also when there is no
 * record. Stopping early closes the reading.
 */
export async function* exportRecords(pages: ExportRows, { subject, format, isDisposable }: ExportOptions) {
  const columns = columnsOf(subject);
  // The head waits for the first records: a reading that fails before them has sent nothing yet.
  let text = format === "csv" ? byteOrderMark + csvLine(columns) : "";
  let records = 0;
  for await (const rows of pages) {
    for (const row of rows) {
      const fields = fieldsOf(row, isDisposable);
      text += format === "csv" ? lineOf(columns, fields) : `${JSON.stringify(fields)}\n`;
      records += 1;
      if (text.length < pieceLengthMin) continue;
      yield { records, text };
      [text, records] = ["", 0];
    }
  }
  if (text !== "") yield { records, text };
}

export async function* textsOf(pieces: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}

/** A fact of a person, as NDJSON, under the names that exports use. */
export const personLine = (fact: KnownFact): string => `${JSON.stringify(factFields(fact))}\n`;

/** With the consent, and the language of the form. */
const sentFacts = (kind: string, row: StoredSubmission | StoredSubscriber, fields: Fields): Fields => {
  return { kind, ...fields, language: row.language, ...consentFields(row) };
};

function factFields(fact: KnownFact): Fields {
  if (fact.kind === "submission") {
    return sentFacts(fact.submission.kind, fact.submission, submissionFields(fact.submission));
  }
  if (fact.kind === "subscription") return sentFacts(fact.kind, fact.subscriber, subscriberFields(fact.subscriber));
  if (fact.kind === "note" || fact.kind === "reply") {
    const { kind, reference } = fact;
    const { id, author, at, text } = fact.kind === "note" ? fact.note : fact.reply;
    const files = fact.kind === "reply" && { files: fact.reply.files };
    return { kind, reference, id, author, at: iso(at), text, ...files };
  }
  if (fact.kind === "answer" || fact.kind === "unmatched") {
    const { kind } = fact;
    const written = kind === "answer" ? { reference: fact.reference, ...fact.answer } : fact.mail;
    return { kind, ...written, at: iso(written.at) };
  }
  if (fact.kind === "mail") {
    const { id, kind: mail, reference, email, status, createdAt } = shownMail(fact.mail);
    return { kind: fact.kind, id, mail, reference, email, status, createdAt: iso(createdAt) };
  }
  return "at" in fact ? { ...fact, at: iso(fact.at) } : { ...fact, createdAt: iso(fact.createdAt) };
}
