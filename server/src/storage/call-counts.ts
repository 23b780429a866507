// Where the processes of a service count their callers together. Knows nothing of limits: what is counted, and when it is
// too much, is the gate's affair.

/** A query as `rate-limiter-flexible` asks it of a PostgreSQL client. */
interface CountQuery {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface CallCounts extends AsyncDisposable {
  /** Counts, or reads what was counted. Rejects within about a second when the database does not answer. */
  query(query: CountQuery): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
}

/** The table that counts are kept in: one row for each client of a window. */
export const callCountTable = "call_count";
