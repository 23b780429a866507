// What an engine counts about its commits, for metrics and tests. Knows no engine.

/** How well submissions share commits, counted since the store was opened. */
export interface CommitCounts {
  /** Transactions committed. */
  readonly commits: number;
  /** Calls of the port that they made durable. */
  readonly jobs: number;
  /** Times that a transaction could not begin because another process held the write lock. */
  readonly busyTries: number;
  /** Calls that wait now. */
  readonly waiting: number;
}
