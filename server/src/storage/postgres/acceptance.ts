// Stores many submissions in one transaction, each as if it were alone: what one of them meets (a key, a challenge, a
// reference that is taken) refuses that one only. No two of them contend for the same; see `contendedBy`.
import { emailKey } from "@submissions/shared/fields";
import { type CompiledQuery, sql } from "kysely";
import { reached } from "../../failpoint.ts";
import type { Queries } from "../queries/compile.ts";
import type { SubscriptionRecord } from "../records.ts";
import type { ApplicationTable, IdempotencyTable, InquiryTable, MailTable, SpentChallengeTable } from "../schema.ts";
import { type Acceptance, idempotencyMs } from "../store.ts";
import { Addressees, automaticKeys, lockAddresses } from "./addressees.ts";
import type { Session } from "./connections.ts";
import { subscribeAll } from "./newsletter.ts";
import { anyOf, insertAll, insertNew, rowsOf } from "./queries.ts";

/** What is to be stored in one piece, or not at all. */
export interface Submission {
  readonly inquiry?: InquiryTable;
  readonly application?: ApplicationTable;
  readonly subscription?: SubscriptionRecord;
  /** When it was received. */
  readonly at: number;
  readonly mails: readonly MailTable[];
  readonly key: IdempotencyTable | null;
  readonly challenge: SpentChallengeTable | null;
}

/** What a submission wants for itself alone: two that want the same cannot be judged in one transaction. */
export const contendedBy = ({ inquiry, application, key, challenge }: Submission): string[] =>
  [
    inquiry?.reference,
    application?.reference,
    key === null ? undefined : `${key.procedure} ${key.key_hash}`,
    challenge?.challenge_hash,
  ].filter((wanted) => wanted !== undefined);

const addressesOf = ({ subscription, mails }: Submission): string[] =>
  subscription === undefined ? automaticKeys(mails) : [emailKey(subscription.email)];

/** Stores all that can be stored, and answers each in its place. */
export async function acceptAll(
  queries: Queries,
  session: Session,
  submissions: readonly Submission[],
): Promise<Acceptance[]> {
  const addresses = submissions.flatMap(addressesOf);
  await lockAddresses(queries, session, addresses);
  const { open, refused } = await storeAllThatIsFree(queries, session, submissions);
  reached("row-written");
  const since = Math.min(...open.map(({ at }) => at));
  const addressees = await Addressees.read(queries, session, open.flatMap(addressesOf), since);
  const welcomed = await subscribeAll(queries, session, open, addressees);
  const mails = new Map(
    open.map((one) => {
      if (one.subscription === undefined) return [one, addressees.admit(one.mails, one.at)];
      return [one, welcomed.has(one) ? one.mails : []];
    }),
  );
  const rows = [...mails.values()].flat();
  if (rows.length > 0) await session.run(insertAll(queries, "mail", rows));
  reached("before-commit");
  return submissions.map(
    (one) => refused.get(one) ?? { result: "accepted", mails: (mails.get(one) ?? []).map(({ id }) => id) },
  );
}

/** A query that finds a row if, and only if, the transaction with these answers was committed; null: there is none. */
export function evidenceOf(
  queries: Queries,
  submissions: readonly Submission[],
  answers: readonly Acceptance[],
): CompiledQuery | null {
  const mail = answers.find((one) => one.result === "accepted" && one.mails.length > 0);
  if (mail?.result === "accepted") {
    return queries
      .selectFrom("mail")
      .select("id")
      .where("id", "=", mail.mails[0] ?? "")
      .compile();
  }
  const accepted = submissions.filter((_, index) => answers[index]?.result === "accepted");
  // Whatever became of the transaction, nothing was to be stored.
  if (accepted.length === 0) return sql`SELECT 1`.compile(queries);
  for (const { inquiry, application, key } of accepted) {
    const row = inquiry ?? application;
    if (row !== undefined) {
      // Somebody else may have drawn the same reference since.
      return queries
        .selectFrom(inquiry === undefined ? "application" : "inquiry")
        .select("reference")
        .where("reference", "=", row.reference)
        .where("request_id", "=", row.request_id)
        .where("received_at", "=", row.received_at)
        .compile();
    }
    if (key !== null) {
      return queries
        .selectFrom("idempotency")
        .select("key_hash")
        .where("procedure", "=", key.procedure)
        .where("key_hash", "=", key.key_hash)
        .where("created_at", "=", key.created_at)
        .compile();
    }
  }
  return null;
}

// Taken keys first, and spent challenges, each with its own refusal; the references last. Whoever is refused later gives
// back what was taken for them.
async function storeAllThatIsFree(queries: Queries, session: Session, submissions: readonly Submission[]) {
  const refused = new Map<Submission, Acceptance>();
  let open = submissions;
  const keep = (result: "repeated" | "challenge-spent" | "reference-taken", stored: (one: Submission) => boolean) => {
    for (const one of open) if (!stored(one)) refused.set(one, { result });
    open = open.filter((one) => !refused.has(one));
  };

  const expired = sql`DO UPDATE SET fingerprint = excluded.fingerprint, reference = excluded.reference,
    receipt_mail = excluded.receipt_mail, created_at = excluded.created_at
    WHERE idempotency.created_at <= excluded.created_at - ${idempotencyMs}::bigint`;
  const keyRows = open.flatMap(({ key }) => key ?? []);
  const keys = await insertNew(queries, session, "idempotency", ["procedure", "key_hash"], keyRows, expired);
  keep("repeated", ({ key }) => key === null || keys.has(key));

  const challengeRows = open.flatMap(({ challenge }) => challenge ?? []);
  const challenges = await insertNew(queries, session, "spent_challenge", ["challenge_hash"], challengeRows);
  keep("challenge-spent", ({ challenge }) => challenge === null || challenges.has(challenge));

  const inquiryRows = open.flatMap(({ inquiry }) => inquiry ?? []);
  const inquiries = await insertNew(queries, session, "inquiry", ["reference"], inquiryRows);
  const applicationRows = open.flatMap(({ application }) => application ?? []);
  const applications = await insertNew(queries, session, "application", ["reference"], applicationRows);
  keep(
    "reference-taken",
    ({ inquiry, application }) =>
      (inquiry === undefined || inquiries.has(inquiry)) && (application === undefined || applications.has(application)),
  );

  const losers = [...refused.keys()];
  await giveBackKeys(
    queries,
    session,
    losers.flatMap(({ key }) => (key !== null && keys.has(key) ? key : [])),
  );
  await giveBackChallenges(
    queries,
    session,
    losers.flatMap(({ challenge }) => (challenge !== null && challenges.has(challenge) ? challenge : [])),
  );
  return { open, refused };
}

async function giveBackKeys(queries: Queries, session: Session, keys: readonly IdempotencyTable[]): Promise<void> {
  if (keys.length === 0) return;
  const unused = sql`DELETE FROM idempotency USING ${rowsOf("idempotency", keys)} AS unused
    WHERE idempotency.procedure = unused.procedure AND idempotency.key_hash = unused.key_hash`;
  await session.run(unused.compile(queries));
}

async function giveBackChallenges(
  queries: Queries,
  session: Session,
  challenges: readonly SpentChallengeTable[],
): Promise<void> {
  if (challenges.length === 0) return;
  const hashes = challenges.map(({ challenge_hash: hash }) => hash);
  const unused = queries.deleteFrom("spent_challenge").where("challenge_hash", "=", anyOf(hashes));
  await session.run(unused.compile());
}
