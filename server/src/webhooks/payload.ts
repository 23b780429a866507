// What a webhook is told: the event and the fields of the thing it is about, by the names that exports give them. Written
// when it is sent and stored nowhere. Never holds the bytes of a resume.
import { applicationFields, inquiryFields, subscriberFields } from "../desk/export.ts";
import { iso } from "../desk/iso.ts";
import type { LeasedDelivery } from "../storage/webhook-store.ts";

type Told = Pick<LeasedDelivery, "event" | "createdAt" | "about">;

/** @param publicUrl the base address of links */
export const payloadOf = ({ event, createdAt, about }: Told, publicUrl: string): string =>
  JSON.stringify({ type: event, timestamp: iso(createdAt), data: dataOf(about, publicUrl) });

function dataOf(about: Told["about"], publicUrl: string): object {
  if ("subscriber" in about) return { ...subscriberFields(about.subscriber), language: about.subscriber.language };
  const { submission } = about;
  const { reference, language } = submission;
  if (submission.kind === "inquiry") {
    return { ...inquiryFields(submission), language, consoleUrl: `${publicUrl}/console/inquiries/${reference}` };
  }
  return { ...applicationFields(submission), language, consoleUrl: `${publicUrl}/console/applications/${reference}` };
}
