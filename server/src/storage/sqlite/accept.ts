// Stores a submission with its mails, its key and its challenge. Runs inside a transaction of the commit queue.
import { emailKey } from "@submissions/shared/fields";
import { referenceDay, referencesPerDay } from "@submissions/shared/reference";
import { reached } from "../../failpoint.ts";
import type {
  EarlierSubmission,
  IdempotencyRecord,
  MailKind,
  SubmissionKind,
  SubmissionRecord,
  SubscriptionRecord,
} from "../records.ts";
import { hashedKey } from "../rules/suppression.ts";
import { justStored } from "../rules/leased-mail.ts";
import { capMs, mailsOf, receiptsMax } from "../rules/mails.ts";
import { dayNumber, type References } from "../rules/references.ts";
import { fieldsOf, filed, resumeKeyOf } from "../rules/submission-row.ts";
import { welcomeOf, welcomeTokens } from "../rules/subscription.ts";
import { receivedEvent, subscriberEvent } from "../rules/webhooks.ts";
import { type Acceptance, type Entry, idempotencyMs } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareSubscribers } from "./subscribers.ts";
import type { Announcements } from "./announcements.ts";

export type Acceptor = ReturnType<typeof prepareAcceptor>;

/** What a key stands for: a submission, a subscriber, or neither (a subscription that was spam). */
interface KeyOwner {
  readonly submission?: number;
  readonly subscriber?: string;
}

interface EarlierRow extends Pick<EarlierSubmission, "fingerprint" | "reference"> {
  readonly status: string | null;
  readonly receiptSent: number;
}

export function prepareAcceptor(connection: SqliteConnection, references: References, announcements: Announcements) {
  const counters = prepareDayCounters(connection);
  const subscribers = prepareSubscribers(connection);
  // Two look-ups: for one IN with both keys SQLite would make a table, which takes twice as long.
  const addressee = connection.prepare<[string, number, string], { receipts: number; suppressed: number }>(`
    SELECT (SELECT count(*) FROM submission WHERE email_key = ?1 AND receipt_at > ?2) AS receipts,
      EXISTS (SELECT 1 FROM suppression WHERE email_key = ?1 AND reason IS NOT NULL)
        OR EXISTS (SELECT 1 FROM suppression WHERE email_key = ?3 AND reason IS NOT NULL) AS suppressed`);
  const findKey = connection.prepare<[string, string, number], EarlierRow>(`
    SELECT idempotency.fingerprint, submission.reference, submission.status,
      EXISTS (SELECT 1 FROM mail WHERE mail.submission = submission.arrival AND mail.status = 'sent'
        AND mail.kind IN ('inquiry-receipt', 'application-receipt')) AS receiptSent
    FROM idempotency LEFT JOIN submission ON submission.arrival = idempotency.submission
    WHERE procedure = ? AND key_hash = ? AND created_at > ?`);
  // A key that has run out may still be there.
  const insertKey = connection.prepare<[string, string, string, number | null, string | null, number]>(`
    INSERT OR REPLACE INTO idempotency (procedure, key_hash, fingerprint, submission, subscriber, created_at)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const findChallenge = connection.prepare<[string], object>("SELECT 1 FROM spent_challenge WHERE challenge_hash = ?");
  const insertChallenge = connection.prepare<[string, number]>(
    "INSERT INTO spent_challenge (challenge_hash, expires_at) VALUES (?, ?)",
  );
  const insertSubmission = connection.prepare<readonly (string | number | null)[]>(`
    INSERT INTO submission (kind, day_number, reference, received_at, name, email, email_key, status, receipt_at,
      resume_key, resume_scan, door, request_id, fields)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const mailColumns = "kind, submission, subscriber, tokens, status, created_at, due_at, lease_owner, lease_until";
  const insertMail = connection.prepare<
    [MailKind, number | null, string | null, string | null, number, string, number]
  >(`
    INSERT INTO mail (${mailColumns}) VALUES (?1, ?2, ?3, ?4, 'queued', ?5, ?5, ?6, ?7)`);
  // One statement for both mails of a submission. The second has the last row number, the first the one before it.
  const insertTwoMails = connection.prepare<[MailKind, MailKind, number, number, string, number]>(`
    INSERT INTO mail (${mailColumns}) VALUES
      (?1, ?3, NULL, NULL, 'queued', ?4, ?4, ?5, ?6),
      (?2, ?3, NULL, NULL, 'queued', ?4, ?4, ?5, ?6)`);

  function findEarlier({ procedure, keyHash, createdAt }: IdempotencyRecord): EarlierSubmission | null {
    const row = findKey.get(procedure, keyHash, createdAt - idempotencyMs);
    if (row === undefined) return null;
    const { fingerprint, reference, status, receiptSent } = row;
    return { fingerprint, reference, receiptSent: receiptSent === 1, spam: status === "spam" };
  }

  function use({ key, challenge }: Entry, { submission, subscriber }: KeyOwner): void {
    if (key !== null) {
      const { procedure, keyHash, fingerprint, createdAt } = key;
      insertKey.run(procedure, keyHash, fingerprint, submission ?? null, subscriber ?? null, createdAt);
    }
    if (challenge !== null) insertChallenge.run(challenge.hash, challenge.expiresAt);
  }

  /** Whether an address may get one more receipt at an instant. */
  function mayMail(key: string, at: number): boolean {
    const { receipts = 0, suppressed = 0 } = addressee.get(key, at - capMs, hashedKey(key)) ?? {};
    return suppressed === 0 && receipts < receiptsMax;
  }

  function file(entry: Entry, record: SubmissionRecord): Acceptance {
    const { spam, lease } = entry;
    const { kind, receivedAt } = record;
    const day = referenceDay(receivedAt);
    const counter = counters.take(kind, day);
    if (counter === null) return { result: "references-exhausted" };
    const reference = references.format(kind, day, counter);
    const key = emailKey(record.email);
    const receipted = !spam && mayMail(key, receivedAt);
    const status = spam ? "spam" : "new";
    const resumeKey = resumeKeyOf(record);
    const { lastInsertRowid } = insertSubmission.run(
      kind,
      dayNumber(day, counter),
      reference,
      receivedAt,
      record.name,
      record.email,
      key,
      status,
      receipted ? receivedAt : null,
      resumeKey,
      resumeKey === null ? null : "unscanned",
      record.door,
      record.requestId,
      fieldsOf(record),
    );
    const arrival = Number(lastInsertRowid);
    reached("row-written");
    use(entry, { submission: arrival });
    if (spam) return { result: "accepted", reference, mails: [], capped: [] };
    announcements.ofSubmission(receivedEvent(kind), arrival, receivedAt);
    const about = { submission: filed(record, { arrival, reference, status }) };
    const [receipt, notice] = mailsOf[kind];
    if (receipted) {
      const last = Number(
        insertTwoMails.run(receipt, notice, arrival, receivedAt, lease.owner, lease.until).lastInsertRowid,
      );
      const mails = [
        justStored(last - 1, receipt, about, receivedAt, lease),
        justStored(last, notice, about, receivedAt, lease),
      ];
      return { result: "accepted", reference, mails, capped: [] };
    }
    const row = insertMail.run(notice, arrival, null, null, receivedAt, lease.owner, lease.until).lastInsertRowid;
    const mails = [justStored(Number(row), notice, about, receivedAt, lease)];
    return { result: "accepted", reference, mails, capped: [receipt] };
  }

  function subscribe(entry: Entry, record: SubscriptionRecord): Acceptance {
    const nothing = { result: "accepted", reference: null, mails: [], capped: [] } as const;
    if (entry.spam) {
      use(entry, {});
      return nothing;
    }
    const { lease } = entry;
    const kind = "newsletter-welcome";
    const key = emailKey(record.email);
    const decision = subscribers.subscribe(key, record);
    reached("row-written");
    use(entry, { subscriber: key });
    announcements.ofSubscriber(subscriberEvent(decision.before, decision.status), key, record.receivedAt);
    if (decision.welcome === "none") return nothing;
    if (decision.welcome === "capped") return { ...nothing, capped: [kind] };
    const welcome = welcomeOf(record);
    const tokens = welcomeTokens(welcome);
    const row = insertMail.run(kind, null, key, tokens, record.receivedAt, lease.owner, lease.until).lastInsertRowid;
    return { ...nothing, mails: [justStored(Number(row), kind, { welcome }, record.receivedAt, lease)] };
  }

  return {
    /** To be called before the entries of a transaction. */
    begin: counters.forget,

    accept(entry: Entry): Acceptance {
      const { submission, key, challenge } = entry;
      // A caller who repeats a submission repeats its solution with it, so the key comes first.
      const earlier = key === null ? null : findEarlier(key);
      if (earlier !== null) return { result: "repeated", earlier };
      if (challenge !== null && findChallenge.get(challenge.hash) !== undefined) return { result: "challenge-spent" };
      const acceptance = submission.kind === "subscription" ? subscribe(entry, submission) : file(entry, submission);
      reached("before-commit");
      return acceptance;
    },

    /** To be called after the entries of a transaction. */
    end: counters.write,

    findEarlier,
    mayMail,
  };
}

/** How many references of a day are taken. One transaction reads and writes each counter once. */
function prepareDayCounters(connection: SqliteConnection) {
  const find = connection.prepare<[SubmissionKind, number], { taken: number }>(
    "SELECT taken FROM day_counter WHERE kind = ? AND day = ?",
  );
  const store = connection.prepare<[SubmissionKind, number, number]>(
    "INSERT INTO day_counter (kind, day, taken) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET taken = ?3",
  );
  const taken = { inquiry: new Map<number, number>(), application: new Map<number, number>() };
  return {
    forget(): void {
      taken.inquiry.clear();
      taken.application.clear();
    },
    /** The next counter of a day and kind, from 0; null when all are taken. */
    take(kind: SubmissionKind, day: number): number | null {
      const counter = taken[kind].get(day) ?? find.get(kind, day)?.taken ?? 0;
      if (counter >= referencesPerDay) return null;
      taken[kind].set(day, counter + 1);
      return counter;
    },
    write(): void {
      for (const kind of ["inquiry", "application"] as const) {
        for (const [day, count] of taken[kind]) store.run(kind, day, count);
      }
    },
  };
}
