// Releases spam: a change of its status, whose version is looked up here.
import { type Actor, type DeskStore, type Scope } from "../storage/desk-store.ts";

/** Makes spam a new submission, which gets the mails that it did not get. `unknown`: the scope holds no such submission. */
export async function release(
  desk: Pick<DeskStore, "findDetail" | "triage">,
  scope: Scope,
  reference: string,
  actor: Actor,
): Promise<"released" | "unknown" | "not-spam"> {
  for (;;) {
    const spam = await desk.findDetail(scope, reference);
    if (spam === null) return "unknown";
    const { status, version } = spam.submission;
    if (status !== "spam") return "not-spam";
    const [outcome] = await desk.triage(scope, { targets: [{ reference, version }], status: "new" }, actor);
    if (outcome?.result === "changed") return "released";
    // It was changed since it was read, and is looked at again.
  }
}
