// Answers and unmatched mails as rows.
import type { Answer, UnmatchedRow } from "@submissions/shared/console";
import type { KeptMail } from "../inbound-store.ts";
import type { StoredAnswer, StoredAnswerFile } from "../records.ts";
import { columnOf, columnsOf } from "./columns.ts";

const shown = ["at", "senderAddress", "senderName", "subject", "text", "reply"] as const;
const kept = [...shown, "identity", "messageId"] as const;

export const answerColumns = columnsOf("answer", ["id", ...shown, "sender"]);
export type AnswerRow = Omit<Answer, "files">;

export type FileRow = StoredAnswerFile & { readonly answer: number };

export const unmatchedColumns = columnsOf("unmatched", ["id", ...shown, "automatic", "files"]);
export const keptColumns = columnsOf("unmatched", [...kept, "automatic", "files"]);
export type UnmatchedColumns = Omit<UnmatchedRow, "automatic" | "fileNames"> & {
  readonly automatic: number;
  readonly files: string;
};

export const unmatchedRow = ({ automatic, files, ...row }: UnmatchedColumns): UnmatchedRow => ({
  ...row,
  automatic: automatic === 1,
  fileNames: JSON.parse(files) as readonly string[],
});

/** The columns that an answer and an unmatched mail have both, and their values. */
export const mailColumns = kept.map(columnOf).join(", ");
export const mailValues = (mail: KeptMail) => kept.map((name) => mail[name]);

/** An answer with its files, among those of its submission. */
export const withFiles = (answer: AnswerRow, files: readonly FileRow[]): StoredAnswer => ({
  ...answer,
  files: files
    .filter((file) => file.answer === answer.id)
    .map(({ id, name, size, scan }) => ({ id, name, size, scan }))
    .toSorted((one, other) => one.id - other.id),
});
