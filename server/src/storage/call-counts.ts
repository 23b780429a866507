// Where the processes of a service count their callers together. Knows no limits: the rate limiter decides what is
// counted, and when it is too much.

/** A query as `rate-limiter-flexible` asks it of a PostgreSQL client. */
interface CountQuery {
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface CallCounts extends AsyncDisposable {
  /**
   * Counts, or reads what was counted. Rejects within about a second when the database does not answer. While it is known
   * to be away, one call a second tries it and the others reject at once.
   */
  query(query: CountQuery): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
  /** Forgets the clients whose windows ended at this or before, in milliseconds since the epoch. */
  forget(before: number): Promise<void>;
}

/** What the log is told. */
export interface CallCountEvents {
  /** From now on this process counts by itself. */
  alone(error: unknown): void;
  together(): void;
}

/** The table that counts are kept in: one row for each client of a window. */
export const callCountTable = "call_count";
