// Everything that is known of a person, as NDJSON.
import type { KnownFact } from "../storage/desk-store.ts";

/** One fact as a line. */
export function personLine(fact: KnownFact): string {
  return `${JSON.stringify(plain(fact))}\n`;
}

function plain(fact: KnownFact): object {
  switch (fact.kind) {
    case "submission": {
      const { kind, receivedAt, ...rest } = fact.submission;
      const resume = "resume" in rest && rest.resume !== null ? { ...rest.resume, key: undefined } : undefined;
      return { kind, receivedAt: iso(receivedAt), ...rest, resume };
    }
    case "subscription":
      return { kind: fact.kind, ...fact.subscriber };
    case "note":
      return { kind: fact.kind, reference: fact.reference, ...fact.note };
    case "mail":
      return { ...fact.mail, kind: fact.kind, mail: fact.mail.kind };
    case "suppression":
    case "idempotency":
      return fact;
  }
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString();
