// What happens when an operator finds that spam was none: it becomes a new submission, and its mails go out as they would
// have at the time.
import type { Clock } from "../clock.ts";
import { composeApplicationMails, composeInquiryMails, type MailSettings } from "../mail/compose.ts";
import type { NewMail, ReferencedSubmission } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

interface Releasing {
  readonly store: Pick<Store, "findSubmission" | "releaseSpam">;
  readonly clock: Clock;
  readonly mail: MailSettings;
}

/** How many mails are on their way now; or that there is nothing under the reference, or nothing to release. */
export type Release =
  | { readonly result: "released"; readonly mails: number }
  | { readonly result: "unknown" | "not-spam" };

export async function releaseSpam({ store, clock, mail }: Releasing, reference: string): Promise<Release> {
  const found = await store.findSubmission(reference);
  if (found === null) return { result: "unknown" };
  const released = await store.releaseSpam(reference, mailsOf(found, mail), clock.now());
  return released.result === "accepted" ? { result: "released", mails: released.mails.length } : released;
}

const mailsOf = (found: ReferencedSubmission, settings: MailSettings): NewMail[] =>
  found.kind === "inquiry"
    ? composeInquiryMails(found.inquiry, settings)
    : composeApplicationMails(found.application, settings);
