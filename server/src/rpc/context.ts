// What every procedure call knows: the collaborators, who called, and who counts.
import type { FaultCode } from "@submissions/shared/faults";
import type { Deps } from "../deps.ts";
import type { Call } from "../intake/call.ts";

/** Counts a call of a procedure: `OK`, `SPAM` (answered like `OK`) or the code of its refusal. */
export type CallCounter = (procedure: string, door: Call["origin"]["door"], code: "OK" | "SPAM" | FaultCode) => void;

/** How many calls of a request may pass, of one or of a batch: the first ones. */
export interface Admission {
  readonly calls: number;
  /** When the others may be tried again. */
  readonly retryAfterSeconds: number;
}

export interface Context {
  readonly deps: Deps;
  readonly call: Call;
  readonly count: CallCounter;
  readonly admission: Admission;
}
