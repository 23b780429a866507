// Hands over the mails that the store kept of those composed, counts the others, and tells whether the receipt was taken in
// time; of what gets no mail it tells the same in the same time.
import type { Deps } from "../deps.ts";
import { reached } from "../failpoint.ts";
import type { Outbox } from "../mail/outbox.ts";
import { isAutomatic } from "../storage/automatic-mail.ts";
import type { NewMail } from "../storage/records.ts";
import type { Accepted } from "../storage/store.ts";

/**
 * Whether the provider took the submitter's mail within the deadline; false too when the store kept none for them. Where
 * none was composed, because a program is to be answered like anybody, it is what the latest submission was told.
 */
export async function deliverStored(
  {
    outbox,
    mailCapped,
  }: Pick<Deps, "mailCapped"> & { readonly outbox: Pick<Outbox, "deliverNow" | "imitateDelivery"> },
  composed: readonly NewMail[],
  accepted: Accepted,
  storedAt: number,
): Promise<boolean> {
  reached("after-commit");
  if (composed.length === 0) return outbox.imitateDelivery();
  const stored = composed.filter(({ id }) => accepted.mails.includes(id));
  for (const { id, kind } of composed) if (!accepted.mails.includes(id)) mailCapped(kind);
  const receiptStored = stored[0] !== undefined && isAutomatic(stored[0].kind);
  const delivered = outbox.deliverNow(stored, storedAt);
  // Nobody waits for a notice: it says nothing about the receipt.
  return receiptStored && (await delivered);
}
