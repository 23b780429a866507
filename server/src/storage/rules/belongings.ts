// A submission with all that belongs to it, and everything of a person. An engine reads the parts.
import type { Note } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore, KnownFact, Scope } from "../desk-store.ts";
import { pageRows } from "../pages.ts";
import { type AuditColumns, historyEntry, personMax } from "./audit.ts";
import { type DetailRow, inboxRow, inboxRowOf, type ListedRow, newestTwins, type Twin } from "./inbox-row.ts";
import { mailRow, type ReadMail } from "./mail-row.ts";
import type { DayNumber, References } from "./references.ts";
import { readSubmissionAnyway } from "./submission-row.ts";
import { storedSubscriber, type SubscriberRow } from "./subscriber-row.ts";
import { type DeliveryFact, deliveryFact } from "./webhooks.ts";

/** The arrival number of a submission, or the key of a subscriber. */
export type Owner = number | string;

/** The column that names an owner. */
export const ownerColumn = (owner: Owner) => (typeof owner === "number" ? "submission" : "subscriber");

export type UsedKey = Pick<Extract<KnownFact, { kind: "idempotency" }>, "procedure" | "createdAt">;

interface Reader {
  find(named: DayNumber): Promise<DetailRow | undefined>;
  /** Of an address, newest first, below an arrival number. */
  submissionsOf(key: string, below: number, kinds: Scope["kinds"], limit: number): Promise<readonly ListedRow[]>;
  subscriberOf(key: string): Promise<SubscriberRow | undefined>;
  suppressionOf(key: string): Promise<{ readonly reason: string | null; readonly at: number } | undefined>;
  /** The newest other submissions of the same address, and with the same resume. */
  sameAddress(key: string, arrival: number, kinds: Scope["kinds"]): Promise<readonly Twin[]>;
  sameResume(sha256: string, arrival: number, kinds: Scope["kinds"]): Promise<readonly Twin[]>;
  /** Newest first. */
  historyOf(reference: string): Promise<readonly AuditColumns[]>;
  notesOf(arrival: number): Promise<readonly Note[]>;
  mailsOf(owner: Owner): Promise<readonly ReadMail[]>;
  deliveriesOf(owner: Owner): Promise<readonly DeliveryFact[]>;
  keysOf(owner: Owner): Promise<readonly UsedKey[]>;
}

export function makeBelongings(references: References, reader: Reader) {
  async function* factsOf(owner: Owner): AsyncGenerator<KnownFact, void, undefined> {
    for (const mail of await reader.mailsOf(owner)) yield { kind: "mail", mail: mailRow(mail) };
    yield* (await reader.deliveriesOf(owner)).map(deliveryFact);
    for (const key of await reader.keysOf(owner)) yield { kind: "idempotency", ...key };
  }

  return {
    async findDetail({ kinds }, reference) {
      const named = references.parse(reference);
      if (named === null || !kinds.includes(named.kind)) return null;
      const row = await reader.find(named);
      if (row === undefined) return null;
      const { arrival } = row;
      const [mails, notes, history, ofAddress, ofResume] = await Promise.all([
        reader.mailsOf(arrival),
        reader.notesOf(arrival),
        reader.historyOf(row.reference),
        reader.sameAddress(row.email_key, arrival, kinds),
        row.resume_sha256 === null ? [] : reader.sameResume(row.resume_sha256, arrival, kinds),
      ]);
      const submission = readSubmissionAnyway(row);
      return {
        row: inboxRowOf(submission, row.disposable === 1),
        submission,
        scan: row.resume_scan,
        mails: mails.map(mailRow),
        notes,
        history: history.map(historyEntry).toReversed(),
        duplicates: newestTwins([...ofAddress, ...ofResume]),
      };
    },

    async findPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      const [rows, subscriber, suppression] = await Promise.all([
        reader.submissionsOf(key, Number.MAX_SAFE_INTEGER, kinds, personMax),
        subscribers ? reader.subscriberOf(key) : undefined,
        reader.suppressionOf(key),
      ]);
      if (rows.length === 0 && subscriber === undefined) return null;
      return {
        email: rows[0]?.email ?? subscriber?.email ?? email,
        submissions: rows.map(inboxRow),
        subscription: subscriber === undefined ? null : storedSubscriber(subscriber),
        suppressed: suppression?.reason ?? null,
      };
    },

    async *readPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
        const rows: readonly ListedRow[] = await reader.submissionsOf(key, before, kinds, pageRows);
        for (const row of rows) {
          const { arrival, reference } = row;
          yield { kind: "submission", submission: readSubmissionAnyway(row) };
          for (const note of await reader.notesOf(arrival)) yield { kind: "note", reference, note };
          yield* factsOf(arrival);
        }
        before = rows.length < pageRows ? null : (rows.at(-1)?.arrival ?? null);
      }
      const subscriber = subscribers ? await reader.subscriberOf(key) : undefined;
      if (subscriber !== undefined) {
        yield { kind: "subscription", subscriber: storedSubscriber(subscriber) };
        yield* factsOf(key);
      }
      const suppression = await reader.suppressionOf(key);
      if (suppression !== undefined) yield { kind: "suppression", ...suppression };
    },
  } satisfies Partial<DeskStore>;
}
