// Where the processes of a service count their callers together. Knows no limits: the gate decides what is too much.

export interface CountedCalls {
  /** The client, as a gate distinguishes clients. */
  readonly key: string;
  readonly calls: number;
  /** How long a window is that begins with them, in milliseconds. */
  readonly windowMs: number;
}

export interface CallCount {
  /** These calls among them. */
  readonly calls: number;
  /** When the window ends, in milliseconds since the epoch. */
  readonly endsAt: number;
}

export interface RateLimitStore extends AsyncDisposable {
  /**
   * Counts calls, however many there were before. Rejects within about two seconds when the database does not answer. While
   * it is known to be away, one caller a second tries it and the others are rejected at once.
   */
  count(calls: CountedCalls): Promise<CallCount>;
  /** Forgets the clients whose windows ended at this or before, in milliseconds since the epoch. */
  forget(before: number): Promise<void>;
}

export interface RateLimitEvents {
  /** From now on this process counts by itself. */
  alone(error: unknown): void;
  together(): void;
}
