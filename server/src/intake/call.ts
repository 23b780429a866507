// What a verb knows of a call beside its input: who called, and whether the caller may be repeating itself.
import type { OriginRecord } from "../storage/records.ts";

export interface Call {
  /** Stored with the submission. */
  readonly origin: OriginRecord;
  /** The caller's key, 1 to 255 printable ASCII characters, or null. Never stored or logged as it is. */
  readonly idempotencyKey: string | null;
  /** Whether a program that fills in every field sent it: kept as spam, without mail, and answered like a success. */
  readonly trapped: boolean;
  /** The solution of a challenge, as it came; null when there was none. */
  readonly solution: string | null;
  /** Told when the answer is that of an earlier call with the same key. */
  replayed(): void;
}
