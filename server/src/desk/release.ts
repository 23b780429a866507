// Releasing spam: a change of its status, for those who have no version of it at hand.
import { type Actor, type DeskStore, type Scope } from "../storage/desk-store.ts";

/** `mails`: how many are due. `unknown`: the scope holds no such submission. */
export type Released =
  | { readonly result: "released"; readonly mails: number }
  | { readonly result: "unknown" | "not-spam" };

/** Makes spam a new submission, which gets the mails that it did not get. */
export async function release(
  desk: Pick<DeskStore, "findDetail" | "triage">,
  scope: Scope,
  reference: string,
  actor: Actor,
): Promise<Released> {
  for (;;) {
    const spam = await desk.findDetail(scope, reference);
    if (spam === null) return { result: "unknown" };
    const { status, version } = spam.submission;
    if (status !== "spam") return { result: "not-spam" };
    const request = { targets: [{ reference, version }], status: "new" } as const;
    const [outcome] = await desk.triage(scope, request, actor);
    // Otherwise it was changed since it was read, and is looked at again.
    if (outcome?.result !== "changed") continue;
    const stored = new Set(spam.mails.map(({ id }) => id));
    const mails = (await desk.findDetail(scope, reference))?.mails ?? [];
    return { result: "released", mails: mails.filter(({ id }) => !stored.has(id)).length };
  }
}
