// What happens when a buyer inquires: catalogue check, one commit, then the mails.
import type { InquiryInput, InquiryReceipt } from "@submissions/shared/inquiry";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import { composeInquiryMails } from "../mail/compose.ts";
import type { NewMail } from "../storage/records.ts";
import { answerOnce, type Circumstances, type Used } from "./answer-once.ts";
import type { Call } from "./call.ts";
import { deliverStored } from "./deliver-stored.ts";
import { withFreshReference } from "./draw-reference.ts";
import { bornAs, wasTrapped } from "./screening.ts";

export function acceptInquiry(deps: Deps, input: InquiryInput, call: Call): Promise<InquiryReceipt> {
  refuseUnknownPackages(deps.mail.packageTitles, input.selectedPackageIds);
  const receivedAt = deps.clock.now();
  return answerOnce(deps, call, {
    procedure: "marketplace.inquiry",
    input,
    receivedAt,
    replay: async ({ reference, receiptSent }) =>
      receiptOf(reference ?? "", receiptSent || (await wasTrapped(deps.store, reference ?? ""))),
    accept: (once) => storeInquiry(deps, input, { call, receivedAt, ...once }),
  });
}

async function storeInquiry(
  deps: Deps,
  input: InquiryInput,
  { call, receivedAt, idempotency, challenge }: Circumstances,
): Promise<InquiryReceipt | Used> {
  let mails: NewMail[] = [];
  const accepted = await withFreshReference(deps.store, "INQ", receivedAt, (reference) => {
    const inquiry = {
      reference,
      name: input.name,
      company: input.company ?? null,
      email: input.email,
      selectedPackageIds: input.selectedPackageIds,
      receivedAt,
      origin: call.origin,
      emailDisposable: deps.isDisposable(input.email),
      ...bornAs(call),
    };
    mails = call.trapped ? [] : composeInquiryMails(inquiry, deps.mail);
    return deps.store.acceptInquiry(inquiry, mails, deps.outbox.lease(receivedAt), idempotency, challenge);
  });
  if (accepted.result !== "accepted") return accepted.result;
  const delivered = await deliverStored(deps, mails, accepted, receivedAt);
  return receiptOf(accepted.reference, delivered);
}

const receiptOf = (inquiryId: string, confirmationEmailSent: boolean): InquiryReceipt => ({
  message: "Thank you. We have your inquiry and will answer by e-mail.",
  inquiryId,
  confirmationEmailSent,
});

function refuseUnknownPackages(catalogue: ReadonlyMap<string, string> | undefined, ids: readonly string[]): void {
  if (catalogue === undefined) return;
  const issues = ids.flatMap((id, position) =>
    catalogue.has(id)
      ? []
      : [{ path: ["selectedPackageIds", position], message: `“${id}” is not a package we offer.` }],
  );
  if (issues.length > 0) throw new Fault("fieldsInvalid", { issues });
}
