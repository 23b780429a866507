// The part of the storage port for what operators write to persons: replies with their files, declines and saved answers. Each
// method is one transaction. A change is stored together with its entry in the audit log.
import type { DeclineOutcome, ReplyFile, ReplyOutcome, SavedAnswer } from "@submissions/shared/console";
import type { Actor, ChangeOutcome, Scope } from "./desk-store.ts";

/** Replies of one operator in {@link repliesMs}; those that were taken back count, and replies and notices sent again. */
export const repliesMax = 60;
export const repliesMs = 60 * 60 * 1000;

/** How long a reply waits before it is sent, so that it can be taken back. In milliseconds. */
export const undoMs = 10_000;

/** A decline, and what is mailed; null: nothing. */
export interface Decline {
  readonly reference: string;
  readonly version: number;
  readonly text: string | null;
}

export interface DeclineStore {
  /**
   * Declines submissions whose version is the one that was seen, and stores their mails, which are due after so many days, but
   * not before {@link undoMs}. `copies`: the team gets one of each. All are refused when the operator has not that many
   * replies left.
   */
  decline(
    scope: Scope,
    targets: readonly Decline[],
    request: { readonly reason: string | null; readonly days: number; readonly copies: boolean },
    actor: Actor,
  ): Promise<{ readonly outcomes: readonly ChangeOutcome<DeclineOutcome>[] } | { readonly retryAt: number }>;

  /** Takes back the mail of a decline. False when a process has begun to send it; null when the scope has no such decline. */
  cancel(scope: Scope, id: number, actor: Actor): Promise<boolean | null>;

  /** Has the mail of a decline sent although the person has answered, at its time or now. False when the scope has no such decline. */
  release(scope: Scope, id: number, actor: Actor): Promise<boolean>;

  /** The reasons of the latest declines that the scope holds, the most frequent first. */
  listReasons(scope: Scope): Promise<readonly string[]>;
}

export interface ReplyRequest {
  readonly reference: string;
  readonly text: string;
  /** Whether what the person wrote is quoted below it; it is unless this is false. */
  readonly quoted?: boolean;
  /** The version that the operator saw of a submission that is to be done with it. */
  readonly doneAt?: number;
  /** When the last reply or answer came that the operator saw, 0 for none; absent: it goes out whatever came since. */
  readonly seen?: number;
  /** What the operator has attached for it: the ids of the files. */
  readonly files?: readonly number[];
}

/** A file that is to be attached. `kept` is null before it is in the vault. */
export interface NewReplyFile extends Pick<ReplyFile, "name" | "size"> {
  readonly kept: { readonly key: string; readonly sha256: string } | null;
}

/** Files that an operator may have attached to replies that are not sent, and for how long these are kept. */
export const unsentFilesMax = 100;
export const unsentFilesMs = 7 * 24 * 60 * 60 * 1000;

/** Saved answers of a kind. */
export const savedAnswersMax = 200;

export interface ReplyStore {
  /**
   * Stores replies with their mails, which are due after {@link undoMs}. A reply opens a new submission, and assigns one that
   * has no assignee to its author. One whose submission is to be done is stored only where the version is the one that was
   * seen, and none where a reply or an answer came that was not seen. All are refused when the operator has not that many left.
   * `copies`: the team gets one of each.
   */
  send(
    scope: Scope,
    replies: readonly ReplyRequest[],
    copies: boolean,
    actor: Actor,
  ): Promise<{ readonly outcomes: readonly ReplyOutcome[] } | { readonly retryAt: number }>;

  /**
   * Attaches a file to what the operator writes to the person of a submission. `fits`: it may be kept. `oversized`: with the
   * others these are too many or too large. `unsent`: the operator has {@link unsentFilesMax} that are not sent. Refused as
   * replies are, too.
   */
  attach(
    scope: Scope,
    reference: string,
    file: NewReplyFile,
    actor: Actor,
  ): Promise<ReplyFile | "fits" | "unknown" | "oversized" | "unsent" | { readonly retryAt: number }>;

  /** Removes a file of the operator that is not sent. False when there is no such one. */
  removeFile(scope: Scope, id: number, actor: Actor): Promise<boolean>;

  /**
   * Takes a reply of the operator back, and the status and assignee that it changed, unless these were changed since. Its
   * files are attached again. False after {@link undoMs}, and when a process has begun to send a mail of it; null when the
   * operator has written no such reply.
   */
  undo(scope: Scope, id: number, actor: Actor): Promise<boolean | null>;

  /** The saved answers of the scope's kinds, by title. */
  listSavedAnswers(scope: Scope): Promise<readonly SavedAnswer[]>;

  /**
   * Stores a saved answer, or changes or removes the one with this id. False when the scope holds no such one, or its text is
   * not what it `was`; or when the kind has {@link savedAnswersMax}.
   */
  changeSavedAnswer(
    scope: Scope,
    answer:
      | (Omit<SavedAnswer, "id"> & { readonly id: number | null; readonly was?: string })
      | { readonly removed: number },
    actor: Actor,
  ): Promise<boolean>;
}
