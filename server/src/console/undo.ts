// What an operator's page keeps so that a decision can be taken back whole: how it was, signed. The words of a mail that was
// taken back are stored nowhere else.
import type { ChangeOutcome, ChangeRequest } from "../storage/desk-store.ts";
import type { Former } from "../storage/records.ts";
import type { TriageOutcome, TriageRequest } from "@submissions/shared/console";
import { fieldInvalid } from "../fault.ts";
import { signedJson, signJson } from "../secrets.ts";

const purpose = "undo";

type Kept = Former & { readonly reference: string; readonly version: number };

/** What the page is told of an outcome. @param key see `AccessStore.cookieKey` */
export function withUndo<Outcome extends TriageOutcome>(key: string, outcome: ChangeOutcome<Outcome>): Outcome {
  const { former, ...told } = outcome;
  if (former === undefined || outcome.result !== "changed") return outcome;
  const kept: Kept = { ...former, reference: outcome.reference, version: outcome.version };
  return { ...told, undo: signJson(key, purpose, kept) } as unknown as Outcome;
}

/** What a page asks for, with what was signed here. It is in conflict with any later change. */
export function readUndo(key: string, { targets, ...request }: TriageRequest): ChangeRequest {
  const read = ({ undo, ...target }: TriageRequest["targets"][number]) => {
    if (undo === undefined) return target;
    const known = signedJson(key, purpose, undo) as Kept | null;
    if (known?.reference !== target.reference) throw fieldInvalid("targets", "This cannot be taken back.");
    const { reference, version, ...former } = known;
    return { reference, version, former };
  };
  return { ...request, targets: targets.map(read) };
}
