// Where the processes of a service count their callers together. Knows nothing of limits: what is counted, and when it is
// too much, is the gate's affair.

/** A query as `rate-limiter-flexible` asks it of a PostgreSQL client. */
interface CountQuery {
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface CallCounts extends AsyncDisposable {
  /**
   * Counts, or reads what was counted. Rejects at once while the database is known to be away, but for one caller a second,
   * who finds out; within about a second when it turns out to be.
   */
  query(query: CountQuery): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
  /** Forgets the clients whose windows ended at this or before, in milliseconds since the epoch. */
  forget(before: number): Promise<void>;
}

/** What the log is told of it. */
export interface CallCountEvents {
  /** From now on this process counts by itself. */
  alone(error: unknown): void;
  together(): void;
}

/** The table that counts are kept in: one row for each client of a window. */
export const callCountTable = "call_count";
