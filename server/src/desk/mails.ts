// Lists mails of all kinds, makes those due that were given up, and releases spam, which then gets its mails.
import { type Actor, type DeskStore, pageLimitMax, type Scope, wholeScope } from "../storage/desk-store.ts";
import type { MailStatus, StoredMail } from "../storage/records.ts";

export async function listMails(desk: DeskStore, { status, limit }: { status?: MailStatus; limit: number }) {
  const listed: StoredMail[] = [];
  for (let after: number | null | undefined; after !== null && listed.length < limit;) {
    const page = { limit: Math.min(limit - listed.length, pageLimitMax), ...(after !== undefined && { after }) };
    const { rows, next } = await desk.listMails(wholeScope, status, page);
    listed.push(...rows);
    after = next;
  }
  return listed;
}

/** Makes a mail due now that was not sent. @param early also a decline that waits for its time */
export const wakeMail = (desk: DeskStore, id: string, actor: Actor, early?: boolean) =>
  desk.sendAgain(wholeScope, id, ["queued", "failed", "in-doubt"], actor, early);

/** Makes all mails of a status due now that may be sent, the oldest first. Answers how many. */
export async function retryMails(desk: DeskStore, status: MailStatus, actor: Actor): Promise<number> {
  let woken = 0;
  for (const { id } of (await listMails(desk, { status, limit: Infinity })).toReversed()) {
    if ((await wakeMail(desk, id, actor)) === "due") woken += 1;
  }
  return woken;
}

/** Makes spam a new submission, which gets the mails that it did not get. `unknown`: the scope holds no such submission. */
export async function release(desk: DeskStore, scope: Scope, reference: string, actor: Actor) {
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
