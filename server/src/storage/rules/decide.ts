// What becomes of submissions: the answers, and the rows to be written. The same entries, facts and numbers always give the
// same decision, and are used up by it: the entries of a batch are decided one after the other, what one changes is noted in
// the facts for those behind it, and numbers are taken out of their lists.
import { referenceDay, referencesPerDay } from "@submissions/shared/reference";
import type { WebhookEvent } from "@submissions/shared/console";
import { capMs, receiptsMax } from "../limits.ts";
import type {
  LeasedMail,
  MailKind,
  MailSubject,
  SubmissionKind,
  SubmissionRecord,
  SubscriberStatus,
  SubscriptionRecord,
} from "../records.ts";
import type { Acceptance, Accepted } from "../store.ts";
import { auditRow, type TableName, tableNames, type TableRow } from "./tables.ts";
import {
  type Addressee,
  type AddressedEntry,
  addresseeOf,
  dayName,
  type Facts,
  stands,
  keyName,
  type Numbers,
} from "./facts.ts";
import { isAutomatic, mailsOf } from "./mails.ts";
import { mailId } from "./outbox-row.ts";
import { dayNumber, type References } from "./references.ts";
import { fieldsOf, newlyStored } from "./submission-row.ts";
import {
  decideSubscription,
  newConsent,
  reasonToLeaveOut,
  tokensOf,
  welcomeOf,
  welcomeTokens,
} from "./subscription.ts";
import { deliveriesOf, type EventSubject, receivedEvent, subscriberEvent } from "./webhooks.ts";

export type Rows = { readonly [Name in TableName]: TableRow<Name>[] };

export type Decision = ReturnType<typeof decide>;

const nothing: Accepted = { result: "accepted", reference: null, mails: [], capped: [] };

export function decide(entries: readonly AddressedEntry[], facts: Facts, numbers: Numbers, references: References) {
  const rows = Object.fromEntries(tableNames.map((name) => [name, []])) as unknown as Rows;
  const subscribers = new Map<string, TableRow<"subscriber">>();
  const keys = new Map<string, TableRow<"idempotency">>();
  const days = new Map<string, TableRow<"day_counter">>();
  /** Keys that have run out and are taken anew, with the time at which they were taken. Deleted before the INSERTs. */
  const runOut: { procedure: string; keyHash: string; createdAt: number }[] = [];
  /** Addresses whose links are deleted if they have expired by an instant. Deleted after the INSERTs. */
  const expired = new Map<string, number>();

  function accept(entry: AddressedEntry): Acceptance {
    const { submission, key, challenge } = entry;
    // A caller who repeats a submission repeats its solution with it, so the key comes first.
    const taken = key === null ? undefined : facts.taken.get(keyName(key));
    if (key !== null && taken !== undefined && stands(taken, key))
      return { result: "repeated", earlier: taken.earlier };
    if (challenge !== null && facts.spent.has(challenge.hash)) return { result: "challenge-spent" };
    return submission.kind === "subscription" ? subscribe(entry, submission) : file(entry, submission);
  }

  function file(entry: AddressedEntry, record: SubmissionRecord): Acceptance {
    const { spam, emailKey: key } = entry;
    const { kind, receivedAt, name, email, door, requestId } = record;
    const day = referenceDay(receivedAt);
    const ofDay = dayName({ kind, day });
    const counter = facts.counters.get(ofDay) ?? 0;
    if (counter >= referencesPerDay) return { result: "references-exhausted" };
    facts.counters.set(ofDay, counter + 1);
    days.set(ofDay, { kind, day, taken: counter + 1 });
    const reference = references.format(kind, day, counter);
    const arrival = next(numbers.arrivals);
    const receipted = !spam && getsReceipt(addresseeOf(facts, key), receivedAt);
    const status = spam ? "spam" : "new";
    const resumeKey = record.resume?.key ?? null;
    rows.submission.push({
      arrival,
      kind,
      day_number: dayNumber(day, counter),
      reference,
      received_at: receivedAt,
      name,
      email,
      email_key: key,
      status,
      receipt_at: receipted ? receivedAt : null,
      resume_key: resumeKey,
      resume_scan: resumeKey === null ? null : "unscanned",
      door,
      request_id: requestId,
      fields: fieldsOf(record),
    });
    const of = { submission: arrival, subscriber: null };
    use(entry, of, reference);
    if (spam) return { ...nothing, reference };
    announce(receivedEvent(kind), of, receivedAt);
    const about = { submission: newlyStored(record, { arrival, reference, status }) };
    const [receipt, notice] = mailsOf[kind];
    const mails = (receipted ? [receipt, notice] : [notice]).flatMap((one) => mail(one, about, of, entry));
    return { result: "accepted", reference, mails, capped: receipted ? [] : [receipt] };
  }

  function subscribe(entry: AddressedEntry, record: SubscriptionRecord): Acceptance {
    const { spam, emailKey: key } = entry;
    const of = { submission: null, subscriber: key };
    if (spam) {
      // Nothing is stored of it but the key, which erasing the person finds by the address.
      use(entry, of, null);
      return nothing;
    }
    const { email, receivedAt, source, door, requestId, language, added } = record;
    const addressee = addresseeOf(facts, key);
    const { suppressed, left, newsletters, subscriber: before } = addressee;
    const known = before && {
      status: before.status as SubscriberStatus,
      welcomedAt: before.welcomed_at,
      unsubscribedAt: before.unsubscribed_at,
    };
    const reason = added === undefined ? null : reasonToLeaveOut(known?.status, { suppressed, left }, added);
    if (reason !== null) return { result: "left-out", reason };
    const mailedInLastDay = countAround(newsletters, receivedAt);
    const { status, welcome } = decideSubscription(known, record, { suppressed, mailedInLastDay });
    const subscriber: TableRow<"subscriber"> = {
      email_key: key,
      email: before?.email ?? email,
      status,
      source: before?.source ?? source,
      last_source: source,
      subscribed_at: before?.subscribed_at ?? receivedAt,
      welcomed_at: welcome === "stored" ? receivedAt : (known?.welcomedAt ?? null),
      confirmed_at: before?.confirmed_at ?? (added === "proven" ? receivedAt : null),
      unsubscribed_at: status === "active" ? null : (known?.unsubscribedAt ?? null),
      door: before?.door ?? door,
      request_id: before?.request_id ?? requestId,
      language: known?.status === "active" ? (before?.language ?? null) : language,
      consent: newConsent(known, record) ?? before?.consent ?? null,
    };
    addressee.subscriber = subscriber;
    subscribers.set(key, subscriber);
    use(entry, of, null);
    const event = subscriberEvent(known?.status, status);
    if (event !== null) announce(event, of, receivedAt);
    if (welcome !== "stored") return { ...nothing, capped: welcome === "capped" ? ["newsletter-welcome"] : [] };
    newsletters.push(receivedAt);
    // Links in earlier mails go on working: confirm links until they expire, unsubscribe links for good.
    if (before !== undefined) expired.set(key, Math.max(receivedAt, expired.get(key) ?? receivedAt));
    rows.newsletter_token.push(...tokensOf(record, key));
    return { ...nothing, mails: mail("newsletter-welcome", { welcome: welcomeOf(record) }, of, entry) };
  }

  /** Notes key and challenge of what is accepted, and its entry in the audit log. */
  function use({ key, challenge, spam, audit }: AddressedEntry, of: EventSubject, reference: string | null): void {
    if (key !== null) {
      const name = keyName(key);
      const { procedure, keyHash, fingerprint, createdAt } = key;
      const before = facts.taken.get(name);
      if (before !== undefined && !keys.has(name)) runOut.push({ procedure, keyHash, createdAt: before.createdAt });
      keys.set(name, { procedure, key_hash: keyHash, fingerprint, ...of, created_at: createdAt });
      const earlier = { fingerprint, reference, receiptSent: false, spam: spam && reference !== null };
      facts.taken.set(name, { createdAt, earlier });
    }
    if (challenge !== null) {
      rows.spent_challenge.push({ challenge_hash: challenge.hash, expires_at: challenge.expiresAt });
      facts.spent.add(challenge.hash);
    }
    if (audit !== undefined) rows.audit.push(auditRow(audit.entry, audit.actor));
  }

  function announce(event: WebhookEvent, of: EventSubject, at: number): void {
    rows.webhook_delivery.push(...deliveriesOf(facts.webhooks.get(event) ?? [], event, of, at));
  }

  /** Stores a mail. Answers it if it is born leased to the process that stores it, and due at once. */
  function mail(
    kind: MailKind,
    about: MailSubject,
    of: EventSubject,
    { submission, lease }: AddressedEntry,
  ): LeasedMail[] {
    const leased = "owner" in lease ? lease : null;
    const id = next(numbers.mails);
    const at = submission.receivedAt;
    rows.mail.push({
      id,
      kind,
      submission: of.submission,
      subscriber: of.subscriber,
      tokens: "welcome" in about ? welcomeTokens(about.welcome) : null,
      status: "queued",
      created_at: at,
      due_at: "dueAt" in lease ? lease.dueAt : at,
      lease_owner: leased && leased.owner,
      lease_until: leased && leased.until,
    });
    if (leased === null) return [];
    const { until: leasedUntil } = leased;
    return [{ id: mailId(id, at), kind, about, createdAt: at, attempts: 0, denials: null, leasedUntil }];
  }

  const answers = entries.map(accept);
  rows.subscriber.push(...subscribers.values());
  rows.idempotency.push(...keys.values());
  rows.day_counter.push(...days.values());
  return { answers, rows, runOut, expired };
}

interface Leaving {
  readonly kind: SubmissionKind;
  readonly arrival: number;
  /** Its status was changed before: it was no spam at some time, and had its mails then. They may be forgotten by now. */
  readonly wasChanged: boolean;
  readonly stored: readonly MailKind[];
  /** Webhooks that were notified; what was kept back does not count. */
  readonly notified: readonly number[];
}

/** What was not done for a submission when it was stored as spam: its mails and its deliveries. */
export function decideLeaving(
  { kind, arrival, wasChanged, stored, notified }: Leaving,
  addressee: Pick<Addressee, "suppressed" | "receipts">,
  webhooks: readonly number[],
  at: number,
): { readonly mails: readonly MailKind[]; readonly deliveries: readonly TableRow<"webhook_delivery">[] } {
  const lacking = wasChanged ? [] : mailsOf[kind].filter((mail) => !stored.includes(mail));
  const mails = lacking.filter((mail) => !isAutomatic(mail) || getsReceipt(addressee, at));
  const others = webhooks.filter((webhook) => !notified.includes(webhook));
  return {
    mails,
    deliveries: deliveriesOf(others, receivedEvent(kind), { submission: arrival, subscriber: null }, at),
  };
}

/** Whether an address gets a receipt at an instant. If so, that is noted. */
function getsReceipt({ suppressed, receipts }: Pick<Addressee, "suppressed" | "receipts">, at: number): boolean {
  if (suppressed || countAround(receipts, at) >= receiptsMax) return false;
  receipts.push(at);
  return true;
}

const countAround = (times: readonly number[], at: number): number =>
  times.filter((time) => Math.abs(time - at) < capMs).length;

function next(numbers: number[]): number {
  const number = numbers.shift();
  if (number === undefined) throw new Error("A batch needs more numbers than were drawn for it.");
  return number;
}
