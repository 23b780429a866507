// What a procedure call knows beside its input. The doors make one for each request.
import type { FaultCode } from "@submissions/shared/faults";
import type { CallWatch } from "../intake/call.ts";
import type { Intake } from "../intake/intake.ts";
import type { Door } from "../storage/records.ts";

/** Counts a call of a procedure: `OK`, `SPAM` (answered like `OK`) or the code of its refusal. */
export type CallCounter = (procedure: string, door: Door, code: "OK" | "SPAM" | FaultCode) => void;

/** How many calls of a request may pass: the first ones of a batch. */
export interface Admission {
  readonly calls: number;
  /** When the others may be tried again. */
  readonly retryAfterSeconds: number;
}

export interface Context {
  readonly intake: Intake;
  readonly door: Door;
  readonly requestId: string;
  /**
   * Reads the Idempotency-Key. Called after the input was read, because a form may hold the key.
   *
   * @throws Fault `idempotencyKeyInvalid`
   */
  readonly key: () => string | null;
  /** How long storing may take once the input was read, in milliseconds: the connection is cut some time later. */
  readonly answerMsMax: number;
  readonly admission: Admission;
  readonly count: CallCounter;
  /** Begins to watch a call of a procedure. */
  readonly watch: (procedure: string) => CallWatch;
  /** Told when the answer is that of an earlier call with the same key. */
  readonly replayed: () => void;
}
