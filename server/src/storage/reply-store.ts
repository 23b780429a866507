// The part of the storage port for what operators write to people.
import type { ReplyOutcome, SavedAnswer } from "@submissions/shared/console";
import type { Actor, Scope } from "./desk-store.ts";

/** Replies of one operator in {@link repliesMs}; those that were taken back count. */
export const repliesMax = 60;
export const repliesMs = 60 * 60 * 1000;

/** How long a reply waits before it is sent, so that it can be taken back. In milliseconds. */
export const undoMs = 10_000;

export interface ReplyRequest {
  readonly reference: string;
  readonly text: string;
  /** The version that the operator saw of a submission that is to be done with it. */
  readonly doneAt?: number;
}

type NewAnswer = Omit<SavedAnswer, "id">;

/** Saved answers of a kind. */
export const savedAnswersMax = 200;

export interface ReplyStore {
  /**
   * Stores replies with their mails, which are due after {@link undoMs}. One whose submission is to be done is stored only
   * where the version is the one that was seen. All are refused when the operator has not that many left.
   *
   * @param copies whether the team gets a copy of each
   */
  send(
    scope: Scope,
    replies: readonly ReplyRequest[],
    copies: boolean,
    actor: Actor,
  ): Promise<{ readonly outcomes: readonly ReplyOutcome[] } | { readonly retryAt: number }>;

  /**
   * Takes a reply of the operator back, and the status that it changed, unless that was changed since. False when a process
   * has begun to send it; null when the operator has written no such reply.
   */
  undo(scope: Scope, id: number, actor: Actor): Promise<boolean | null>;

  /** The saved answers of the scope's kinds, by title. */
  listAnswers(scope: Scope): Promise<readonly SavedAnswer[]>;

  /** Stores a saved answer, or changes the one with this id. False when the scope holds no such one. */
  saveAnswer(scope: Scope, answer: NewAnswer & { readonly id: number | null }, actor: Actor): Promise<boolean>;

  /** False when the scope holds no such one. */
  removeAnswer(scope: Scope, id: number, actor: Actor): Promise<boolean>;
}
