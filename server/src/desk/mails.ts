// Lists mails of all kinds, and makes those due that were given up.
import { type DeskStore, pageLimitMax, wholeScope } from "../storage/desk-store.ts";
import type { MailStatus, StoredMail } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

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

/** Makes all mails of a status due now that may be sent, the oldest first. Answers how many. */
export async function retryMails(
  store: Pick<Store, "desk" | "retryMail">,
  status: MailStatus,
  now: number,
): Promise<number> {
  let woken = 0;
  for (const { id } of (await listMails(store.desk, { status, limit: Infinity })).toReversed()) {
    if ((await store.retryMail(id, now)) === true) woken += 1;
  }
  return woken;
}
