// What follows from a mail that came in about a submission, and answers and unmatched mails as rows.
import type { Answer, UnmatchedRow } from "@submissions/shared/console";
import { type KeptMail, toldAgainMs } from "../inbound-store.ts";
import type { AnswerSender, StoredAnswerFile, TriageStatus } from "../records.ts";
import { columnOf, columnsOf, readTexts } from "./columns.ts";

const shown = ["at", "senderAddress", "senderName", "subject", "text", "reply"] as const;
const kept = [...shown, "identity", "messageId"] as const;

export const answerColumns = columnsOf("answer", ["id", ...shown, "sender"]);
export type AnswerRow = Omit<Answer, "files">;

const rest = "…\n(The rest is not shown here.)";
/** A column of texts, of which those that are longer, in code points, are shortened unless a condition holds. */
const shortened = (column: string, lengthMax: number, unless: string) =>
  `CASE WHEN ${unless} OR length(${column}) <= ${lengthMax} THEN ${column}
    ELSE substr(${column}, 1, ${lengthMax}) || '${rest}' END`;
/** The columns with short texts. @param lengthMax in code points @param unless where a text stays whole, in SQL, by its column */
const shortColumnsOf = (
  table: string,
  names: readonly string[],
  lengthMax: number,
  unless: (column: string) => string,
) =>
  [
    columnsOf(table, ["id", "at", "senderAddress", "senderName", "subject", ...names]),
    ...["text", "reply"].map((name) => `${shortened(`${table}.${name}`, lengthMax, unless(name))} AS "${name}"`),
  ].join(", ");

/** Of the texts that a page shows whole, in bytes, with what they quote and without. 200 mails may have 160 MB. */
const wholeBytesMax = 1_000_000;

/** The latest answers of a submission, `$1`, in any order. The texts of the last ones are whole, of others it is the beginning. */
export const latestAnswers = (max: number) => `
  SELECT ${shortColumnsOf("answer", ["sender"], 1_000, (column) => `sized.${column}_so_far <= ${wholeBytesMax}`)}
  FROM answer JOIN (
    SELECT id, sum(octet_length(text)) OVER newer AS text_so_far, sum(octet_length(reply)) OVER newer AS reply_so_far
    FROM (SELECT id, text, reply FROM answer WHERE submission = $1 ORDER BY id DESC LIMIT ${max}) AS latest
    WINDOW newer AS (ORDER BY id DESC)
  ) AS sized ON sized.id = answer.id`;

export type FileRow = StoredAnswerFile & { readonly answer: number };

type Unmatched<Shown> = Shown & { readonly automatic: number; readonly files: string };
export type UnmatchedColumns = Unmatched<Omit<UnmatchedRow, "automatic" | "fileNames">>;

export const unmatchedTable = {
  name: "unmatched",
  columns: columnsOf("unmatched", ["id", ...shown, "automatic", "files"]),
  number: "id",
  numberOf: ({ id }: UnmatchedColumns) => id,
  recordOf: ({ automatic, files, ...row }: UnmatchedColumns): UnmatchedRow => {
    return { ...row, automatic: automatic === 1, fileNames: readTexts(files) };
  },
};

/** As a page lists it: a hundred mails, each with as much as tells what it is about. */
export const unmatchedList = {
  ...unmatchedTable,
  columns: shortColumnsOf("unmatched", ["automatic", "files"], 5_000, () => "false"),
};

/** Of an unmatched mail that becomes an answer. */
export const keptColumns = columnsOf("unmatched", [...kept, "automatic", "files"]);
export type KeptColumns = Unmatched<KeptMail>;

/** The columns that an answer and an unmatched mail have both, and their values. */
export const mailColumns = kept.map(columnOf).join(", ");
export const mailValues = (mail: KeptMail) => kept.map((name) => mail[name]);

/** In the audit log: what an answer changes, no operator does. */
export const answerActor = "answer";

/** @param isColleagues whether it is from an address that would be told of it: nothing is sent to the sender of a mail */
export function decideAnswer(
  status: TriageStatus,
  toldAt: number | null,
  sender: AnswerSender,
  isColleagues: boolean,
  at: number,
) {
  // What a program wrote needs no answer, and spam is to stay out of sight.
  const isHeard = sender !== "automatic" && status !== "spam";
  const isPersons = isHeard && sender === "person";
  return {
    /** It waits for us from now on, and is snoozed no more. */
    waits: isPersons,
    reopens: isPersons && status === "done",
    tells: isHeard && !isColleagues && (toldAt === null || Math.abs(at - toldAt) >= toldAgainMs),
    announces: isHeard,
  };
}
