// The part of the storage port that knows the mailboxes which answers are fetched from: one process reads each.

/** The last mail that was taken. Numbers of another validity mean other mails. */
export interface MailboxPosition {
  readonly uidValidity: number;
  readonly uid: number;
  /** When it was taken, in milliseconds since the epoch. */
  readonly takenAt: number;
}

export interface MailboxStore {
  /**
   * Takes a mailbox until a time, or keeps it. Null: another process has it. Without a position it was never read.
   *
   * @param owner the same for all calls of one process
   */
  lease(
    mailbox: string,
    owner: string,
    now: number,
    until: number,
  ): Promise<{ readonly position: MailboxPosition | null } | null>;
  /** Notes that a mail was taken. Answers false, and notes nothing, when another process has the mailbox by now. */
  advance(mailbox: string, owner: string, position: MailboxPosition): Promise<boolean>;
  /** Gives the mailbox back. */
  release(mailbox: string, owner: string): Promise<void>;
}
