// The part of the storage port for mails that come in. Each method is one transaction.
import type { Answer, Page, PageRequest, UnmatchedRow } from "@submissions/shared/console";
import type { Actor, Scope } from "./desk-store.ts";
import type { AnswerFileKind, AnswerSender, Claimed, Named, ScanState } from "./records.ts";

/** The submission that a mail that came in is about. */
export interface Addressed {
  readonly arrival: number;
  readonly reference: string;
  readonly emailKey: string;
}

/** A submission or mail that a claim names, as it is stored. */
export interface Found extends Named {
  /** Null: it is a mail that is about no submission. */
  readonly submission: Addressed | null;
}

/** A mail that came in, as it is kept. */
export interface KeptMail extends Omit<Answer, "id" | "sender" | "files"> {
  /** The same when the mail comes again: SHA-256, lower-case hexadecimal. */
  readonly identity: string;
  readonly messageId: string | null;
}

/** A file of an answer. `kept` is null where only its name is known. */
export interface NewFile {
  readonly name: string;
  readonly size: number;
  readonly kept: { readonly key: string; readonly kind: AnswerFileKind; readonly sha256: string } | null;
}

export interface NewAnswer extends KeptMail {
  readonly submission: number;
  readonly sender: AnswerSender;
  /** The addresses that it is from, and those of teams, as `emailKey` writes them. */
  readonly fromKeys: readonly string[];
  readonly teamKeys: readonly string[];
  readonly files: readonly NewFile[];
}

export type FiledAnswer = Pick<NewAnswer, "sender" | "text">;

/** `left-out`: the submission has as many of this day as it may; it was counted. `gone`: the submission was erased. */
export interface Filed {
  readonly result: "filed" | "repeated" | "left-out" | "gone";
  /** Vault keys that nothing refers to: their bytes are to be discarded. */
  readonly unused: readonly string[];
}

/** A mail of ours that was not delivered: a report says so, which bears its token or quotes its Message-ID. */
export interface Undelivered {
  /** A submission stands for its receipt. */
  readonly mail: Named;
  /** RFC 3463: `5.1.1`. Only a status of class 5 suppresses the address. Empty: the report has none. */
  readonly status: string;
  readonly at: number;
  /** Addresses that are never suppressed, as `emailKey` writes them. Those of operators are not, either. */
  readonly spared: readonly string[];
}

/** As vaults know a file. */
export interface KeptFile {
  readonly reference: string;
  readonly key: string;
  readonly sha256: string;
}

export interface StoredFile extends KeptFile {
  readonly name: string;
  readonly size: number;
  /** Null: it may be anything. */
  readonly kind: AnswerFileKind | null;
  readonly scan: ScanState;
}

/** What has files beside resumes. */
export type FileOf = "answer" | "reply";

export interface InboundStore {
  /** The submissions and mails that are stored of those that a mail claims to be about, in no order. */
  findNamed(claims: readonly Claimed[]): Promise<readonly Found[]>;

  /** The answer of a submission that has this identity, if there is one, and how many bytes of files its answers have. */
  findAnswers(
    arrival: number,
    identity: string,
  ): Promise<{ readonly same: FiledAnswer | undefined; readonly fileBytes: number }>;

  /** Stores an answer with what follows from it (`rules/answers.ts`). */
  file(answer: NewAnswer): Promise<Filed>;

  /** Keeps a mail that fits no submission. @param fileNames of its files, of which none is kept */
  keepUnmatched(mail: KeptMail & { readonly automatic: boolean; readonly fileNames: readonly string[] }): Promise<void>;

  /** Removes the unmatched mail with this identity, if there is one. */
  forgetUnmatched(identity: string): Promise<void>;

  /** Records that a mail was not delivered, and suppresses an address that takes none. Answers whether there is such a mail. */
  noteUndelivered(undelivered: Undelivered): Promise<boolean>;

  /** Newest first. */
  listUnmatched(page: PageRequest): Promise<Page<UnmatchedRow>>;

  /**
   * Files an unmatched mail as an answer of a submission, whose sender is not verified. False: there is no such mail or
   * submission. @param teamKeys as of a new answer
   */
  fileUnmatched(
    scope: Scope,
    id: number,
    reference: string,
    actor: Actor,
    teamKeys: readonly string[],
  ): Promise<boolean>;

  removeUnmatched(id: number, actor: Actor): Promise<boolean>;

  /** The files of answers and replies that the vault has, in pages so that memory stays flat. */
  readFiles(): AsyncIterable<readonly KeptFile[]>;

  /** A file of an answer, or of a reply that was sent, that the vault has; null: the scope holds no such one. */
  findFile(scope: Scope, of: FileOf, id: number): Promise<StoredFile | null>;
}

/** The last mail that was taken of a mailbox. Numbers of another validity mean other mails. */
export interface MailboxPosition {
  readonly uidValidity: number;
  readonly uid: number;
  /** When it came in, by the clock of the mail server, else when it was taken. In milliseconds since the epoch. */
  readonly takenAt: number;
}

/** The mailboxes which answers are fetched from: one process reads each. An `owner` is the same for all calls of one process. */
export interface MailboxStore {
  /** Takes a mailbox until a time, or keeps it. Null: another process has it. Without a position it was never read. */
  lease(
    mailbox: string,
    owner: string,
    now: number,
    until: number,
  ): Promise<{ readonly position: MailboxPosition | null } | null>;

  /** Notes that a mail was taken. Answers false, and notes nothing, when another process has the mailbox by now. */
  advance(mailbox: string, owner: string, position: MailboxPosition): Promise<boolean>;

  release(mailbox: string, owner: string): Promise<void>;
}

/** Answers of the person, and of others, that a submission gets in a day. */
export const answersOfDayMax = 100;
/** Files of one mail, its bytes, and those of all answers of a submission. */
export const filesMax = 10;
export const fileBytesMax = 10 * 1024 * 1024;
export const submissionFileBytesMax = 50 * 1024 * 1024;
/** Mails that fit no submission: the newest are kept, for so long. */
export const unmatchedMax = 1_000;
export const unmatchedDays = 30;
/** Operators are told of an answer at most once in this time, for one submission. In milliseconds. */
export const toldAgainMs = 10 * 60_000;
