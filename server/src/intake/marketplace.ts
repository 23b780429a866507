// What happens when a buyer inquires: catalogue check, one commit, then the mails.
import type { InquiryInput, InquiryReceipt } from "@submissions/shared/marketplace";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import { composeInquiryMails } from "../mail/compose.ts";
import type { NewMail, OriginRecord } from "../storage/records.ts";
import { withFreshReference } from "./draw-reference.ts";

export async function acceptInquiry(deps: Deps, input: InquiryInput, origin: OriginRecord): Promise<InquiryReceipt> {
  refuseUnknownPackages(deps.mail.packageTitles, input.selectedPackageIds);
  const receivedAt = deps.clock.now();
  let mails: NewMail[] = [];
  const reference = await withFreshReference(deps.store, "INQ", receivedAt, (candidate) => {
    const inquiry = {
      reference: candidate,
      name: input.name,
      company: input.company ?? null,
      email: input.email,
      selectedPackageIds: input.selectedPackageIds,
      receivedAt,
      origin,
    };
    mails = composeInquiryMails(inquiry, deps.mail);
    return deps.store.acceptInquiry(inquiry, mails, deps.outbox.lease(receivedAt));
  });
  return {
    message: "Thank you. We have your inquiry and will answer by e-mail.",
    inquiryId: reference,
    confirmationEmailSent: await deps.outbox.deliverNow(mails, receivedAt),
  };
}

function refuseUnknownPackages(catalogue: ReadonlyMap<string, string> | undefined, ids: readonly string[]): void {
  if (catalogue === undefined) return;
  const issues = ids.flatMap((id, position) =>
    catalogue.has(id)
      ? []
      : [{ path: ["selectedPackageIds", position], message: `“${id}” is not a package we offer.` }],
  );
  if (issues.length > 0) throw new Fault("fieldsInvalid", { issues });
}
