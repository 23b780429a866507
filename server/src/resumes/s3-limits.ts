// How long the object store is waited for. Data only.

export interface S3Limits {
  /** One try, up to the head of its answer. 5 MiB go over a line of 7 Mbit/s in that time. */
  readonly attemptMs: number;
  /** All tries. A service that was told to end still answers within it. */
  readonly triesMs: number;
  readonly attemptsMax: number;
  /** Before the second try; then twice as long each time, at random from a half of it on. */
  readonly pauseMs: number;
  /** Whoever asks for readiness wants an answer, also from a store that is silent. */
  readonly readinessMs: number;
  /** A download in which nothing moves for so long has ended. */
  readonly idleMs: number;
  /** Connections at once: as many as uploads that are received at once. */
  readonly socketsMax: number;
  /** How long a link lives: long enough to be clicked, too short to be passed on. In seconds. */
  readonly linkSeconds: number;
}

export const s3Limits: S3Limits = {
  attemptMs: 6_000,
  triesMs: 8_000,
  attemptsMax: 3,
  pauseMs: 200,
  readinessMs: 3_000,
  idleMs: 20_000,
  socketsMax: 256,
  linkSeconds: 300,
};
