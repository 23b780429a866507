// Everything that is known of a person, as NDJSON, under the names that exports use.
import type { KnownFact } from "../storage/desk-store.ts";
import { consentFields, iso, submissionFields, subscriberFields } from "./export.ts";

export const personLine = (fact: KnownFact): string => `${JSON.stringify(fieldsOf(fact))}\n`;

function fieldsOf(fact: KnownFact): object {
  if (fact.kind === "submission") {
    const { submission } = fact;
    return {
      kind: submission.kind,
      ...submissionFields(submission),
      language: submission.language,
      ...consentFields(submission),
    };
  }
  if (fact.kind === "subscription") {
    const { subscriber } = fact;
    const { language } = subscriber;
    return { kind: fact.kind, ...subscriberFields(subscriber), language, ...consentFields(subscriber) };
  }
  if (fact.kind === "note") {
    return { kind: fact.kind, reference: fact.reference, ...fact.note, at: iso(fact.note.at) };
  }
  if (fact.kind === "reply") {
    return { kind: fact.kind, reference: fact.reference, ...fact.reply, at: iso(fact.reply.at) };
  }
  if (fact.kind === "mail") {
    const { id, kind: mail, reference, email, status, createdAt } = fact.mail;
    return { kind: fact.kind, id, mail, reference, email, status, createdAt: iso(createdAt) };
  }
  return fact.kind === "suppression" ? { ...fact, at: iso(fact.at) } : { ...fact, createdAt: iso(fact.createdAt) };
}
