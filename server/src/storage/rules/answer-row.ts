// Answers and unmatched mails as rows.
import type { Answer, UnmatchedRow } from "@submissions/shared/console";
import type { KeptMail } from "../inbound-store.ts";
import type { StoredAnswer, StoredAnswerFile } from "../records.ts";
import { columnsOf } from "./columns.ts";

const shown = ["id", "at", "senderAddress", "senderName", "subject", "text", "reply"];

export const answerColumns = columnsOf("answer", [...shown, "sender"]);
export type AnswerRow = Omit<Answer, "files">;

export type FileRow = StoredAnswerFile & { readonly answer: number };

export const unmatchedColumns = columnsOf("unmatched", [...shown, "automatic", "files"]);
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
export const mailColumns = "at, identity, message_id, sender_address, sender_name, subject, text, reply";
export const mailValues = (mail: KeptMail) =>
  [
    mail.at,
    mail.identity,
    mail.messageId,
    mail.senderAddress,
    mail.senderName,
    mail.subject,
    mail.text,
    mail.reply,
  ] as const;

/** An answer with its files, among those of its submission. */
export const withFiles = (answer: AnswerRow, files: readonly FileRow[]): StoredAnswer => ({
  ...answer,
  files: files
    .filter((file) => file.answer === answer.id)
    .map(({ id, name, size, scan }) => ({ id, name, size, scan }))
    .toSorted((one, other) => one.id - other.id),
});
