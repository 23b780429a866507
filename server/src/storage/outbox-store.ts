// The part of the storage port that mails and deliveries to webhooks share: rows that are sent later, each by the process
// that holds its lease.

/** Who may send a mail or a delivery, and until when. New mails are born leased to the process that accepted their submission. */
export interface Lease {
  /** The process; random, one a process. */
  readonly owner: string;
  /** By the store's clock. After it any process may claim it. */
  readonly until: number;
}

/**
 * Rows that go to the same receiver are one lane: all mails, which go to the mail provider, and the deliveries of each
 * webhook. Each lane has a limit of its own, so that a receiver that is slow or away holds up no other one.
 */
export interface OutboxStore<Leased, Settlement> {
  /**
   * Leases what is due and whose lease is free: of each lane the oldest due first, at most `limit`. A mail whose lease
   * another process has let run out may have been sent by it: it comes in doubt, not asked about yet. A row that cannot be
   * read is settled as failed instead of being handed out.
   *
   * @param options.endedBefore leases that end at this time or later are left alone; `now` unless given
   * @param options.underWay the lanes of what the caller has already, which counts for the limit; none unless given
   */
  claim(
    now: number,
    limit: number,
    lease: Lease,
    options?: { readonly endedBefore?: number; readonly underWay?: readonly number[] },
  ): Promise<readonly Leased[]>;

  /** Prolongs the leases that this process still holds. Answers the ids of those it holds. */
  renew(ids: readonly string[], lease: Lease): Promise<ReadonlySet<string>>;

  /**
   * Records how tries ended and gives the leases back. What another process holds is left alone. Welcome mails lose their
   * tokens once sent. May wait 25 ms for the next commit.
   */
  settle(settlements: readonly Settlement[], owner: string): Promise<void>;
}
