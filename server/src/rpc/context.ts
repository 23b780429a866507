// What every procedure call knows: the collaborators, who called, and who counts.
import type { FaultCode } from "@submissions/shared/faults";
import type { Deps } from "../deps.ts";
import type { Call } from "../intake/call.ts";

/** Counts a call of a procedure: `OK` or the code of its refusal. */
export type CallCounter = (procedure: string, door: Call["origin"]["door"], code: "OK" | FaultCode) => void;

export interface Context {
  readonly deps: Deps;
  readonly call: Call;
  readonly count: CallCounter;
}
