// Lists mails of all kinds, and makes those due that were given up.
import { type Actor, type DeskStore, pageLimitMax, wholeScope } from "../storage/desk-store.ts";
import type { MailStatus, StoredMail } from "../storage/records.ts";

/** Mails by status, newest first, at most `limit`. */
export async function listMails(
  desk: Pick<DeskStore, "listMails">,
  { status, limit }: { readonly status?: MailStatus; readonly limit: number },
): Promise<StoredMail[]> {
  const listed: StoredMail[] = [];
  for (let after: number | null | undefined; after !== null && listed.length < limit;) {
    const page = { limit: Math.min(limit - listed.length, pageLimitMax), ...(after !== undefined && { after }) };
    const { rows, next } = await desk.listMails(wholeScope, status, page);
    listed.push(...rows);
    after = next;
  }
  return listed;
}

/** Makes a mail due now that was not sent. */
export const wakeMail = (desk: Pick<DeskStore, "sendAgain">, id: string, actor: Actor) =>
  desk.sendAgain(wholeScope, id, ["queued", "failed", "in-doubt"], actor);

/** Makes all mails of a status due now that may be sent, the oldest first. Answers how many. */
export async function retryMails(
  desk: Pick<DeskStore, "listMails" | "sendAgain">,
  status: MailStatus,
  actor: Actor,
): Promise<number> {
  let woken = 0;
  for (const { id } of (await listMails(desk, { status, limit: Infinity })).toReversed()) {
    if ((await wakeMail(desk, id, actor)) === "due") woken += 1;
  }
  return woken;
}
