// Lists mails of all kinds.
import { type DeskStore, pageLimitMax, wholeScope } from "../storage/desk-store.ts";
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
