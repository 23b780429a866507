// What every procedure call knows: the collaborators and who called.
import type { Deps } from "../deps.ts";
import type { OriginRecord } from "../storage/records.ts";

export interface Context {
  readonly deps: Deps;
  readonly origin: OriginRecord;
}
