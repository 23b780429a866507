// What can be used once: keys under which callers repeat a submission, and challenges. Unique indexes decide over all
// processes. A transaction that meets a taken one stores nothing: then what is taken is read, those jobs are answered
// and the others run again.
import type { EarlierSubmission, IdempotencyRecord, TriageStatus } from "../records.ts";
import { type Acceptance, type Entry, idempotencyMs } from "../store.ts";
import { prepared, rowsAs, type RowOf } from "./statement.ts";
import type { Connections } from "./connections.ts";
import { isContention, isTaken } from "./errors.ts";
import type { Session } from "./session.ts";

/** After this many failures of a batch each job runs alone. */
const failuresTogether = 2;
/** A job that fails this often fails because of something else. */
const failuresMax = 5;

export const keyColumns = {
  procedure: "text",
  key_hash: "text",
  fingerprint: "text",
  created_at: "bigint",
  // What the key stands for, if it is a submission of the same statement.
  number: "bigint",
  subscriber: "text",
} as const;

export const challengeColumns = { challenge_hash: "text", expires_at: "bigint" } as const;

/**
 * The part of a statement that takes keys and challenges. Sorted, so that transactions rarely deadlock. A key finds its
 * submission by its place in arrays: in a join each key would be compared with each submission as rows, which is slower.
 *
 * @param first number of its first parameter
 */
export const taking = (first: number): string => `
  keys AS (
    INSERT INTO idempotency (procedure, key_hash, fingerprint, submission, subscriber, created_at)
    SELECT procedure, key_hash, fingerprint, arrivals[array_position(numbers, number)], subscriber, created_at
    FROM (SELECT array_agg(number) AS numbers, array_agg(arrival) AS arrivals FROM stored) AS submissions,
      ${rowsAs("key", keyColumns, first)}
    ORDER BY procedure, key_hash
  ),
  challenges AS (
    INSERT INTO spent_challenge (challenge_hash, expires_at)
    SELECT * FROM ${rowsAs("challenge", challengeColumns, first + Object.keys(keyColumns).length)} ORDER BY 1
  )`;

/** Something that wants a key, a challenge or both. */
interface Wanting {
  readonly entry: Entry;
}

export const keyRows = <Job extends Wanting>(
  jobs: readonly Job[],
  ownerOf: (job: Job) => Pick<RowOf<typeof keyColumns>, "number" | "subscriber">,
): RowOf<typeof keyColumns>[] =>
  jobs.flatMap((job) => {
    if (job.entry.key === null) return [];
    const { procedure, keyHash, fingerprint, createdAt } = job.entry.key;
    return { procedure, key_hash: keyHash, fingerprint, created_at: createdAt, ...ownerOf(job) };
  });

export const challengeRows = (jobs: readonly Wanting[]): RowOf<typeof challengeColumns>[] =>
  jobs.flatMap(({ entry: { challenge } }) =>
    challenge === null ? [] : { challenge_hash: challenge.hash, expires_at: challenge.expiresAt },
  );

/** What no two of one transaction may want. */
export const wantedBy = ({ entry: { key, challenge } }: Wanting): string[] => [
  ...(key === null ? [] : [`${key.procedure} ${key.keyHash}`]),
  ...(challenge === null ? [] : [challenge.hash]),
];

interface EarlierRow extends Pick<IdempotencyRecord, "procedure" | "keyHash" | "fingerprint"> {
  readonly reference: string | null;
  readonly status: TriageStatus | null;
  readonly receiptSent: boolean | null;
}

const findKeys = prepared<EarlierRow>(`
  SELECT procedure, key_hash AS "keyHash", fingerprint, reference, submission.status,
    (SELECT true FROM mail WHERE mail.submission = arrival AND mail.status = 'sent'
      AND mail.kind IN ('inquiry-receipt', 'application-receipt') LIMIT 1) AS "receiptSent"
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (procedure, key_hash, since)
  JOIN idempotency USING (procedure, key_hash) LEFT JOIN submission ON arrival = idempotency.submission
  WHERE created_at > since`);

const forgetKeys = prepared(`
  DELETE FROM idempotency USING unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (procedure, key_hash, since)
  WHERE idempotency.procedure = wanted.procedure AND idempotency.key_hash = wanted.key_hash AND created_at <= since`);

const findChallenges = prepared<{ hash: string }>(
  `SELECT challenge_hash AS hash FROM spent_challenge WHERE challenge_hash = ANY ($1::text[])`,
);

const wantedKeys = (keys: readonly IdempotencyRecord[]): unknown[] => [
  keys.map(({ procedure }) => procedure),
  keys.map(({ keyHash }) => keyHash),
  keys.map(({ createdAt }) => createdAt - idempotencyMs),
];

const earlierOf = ({ fingerprint, reference, status, receiptSent }: EarlierRow): EarlierSubmission => ({
  fingerprint,
  reference,
  receiptSent: receiptSent === true,
  spam: status === "spam",
});

/** Reads whose keys and challenges are taken, and makes room where a key has run out. */
export async function findTaken<Job extends Wanting>(
  session: Session,
  jobs: readonly Job[],
): Promise<ReadonlyMap<Job, Acceptance>> {
  const wanted = wantedKeys(jobs.flatMap(({ entry }) => entry.key ?? []));
  const [, keys, challenges] = await Promise.all([
    session.run(forgetKeys, wanted),
    session.all(findKeys, wanted),
    session.all(findChallenges, [jobs.flatMap(({ entry }) => entry.challenge?.hash ?? [])]),
  ]);
  const spent = new Set(challenges.map(({ hash }) => hash));
  const taken = new Map<Job, Acceptance>();
  for (const job of jobs) {
    const { key, challenge } = job.entry;
    const row = keys.find(({ procedure, keyHash }) => procedure === key?.procedure && keyHash === key.keyHash);
    // A caller who repeats a submission repeats its solution with it, so the key comes first.
    if (row !== undefined) taken.set(job, { result: "repeated", earlier: earlierOf(row) });
    else if (challenge !== null && spent.has(challenge.hash)) taken.set(job, { result: "challenge-spent" });
  }
  return taken;
}

/** Commits jobs together as far as their keys and challenges are free, and answers the others. */
export async function commitWhatIsFree<Job extends Wanting, Answer>(
  connections: Connections,
  jobs: readonly Job[],
  commit: (jobs: readonly Job[]) => Promise<ReadonlyMap<Job, Answer>>,
  failures = 0,
): Promise<ReadonlyMap<Job, Answer | Acceptance>> {
  if (jobs.length === 0) return new Map();
  try {
    return await commit(jobs);
  } catch (error) {
    if (!(isTaken(error) || isContention(error)) || failures >= failuresMax) throw error;
  }
  const answers = new Map<Job, Answer | Acceptance>(
    await connections.transaction((session) => findTaken(session, jobs), { repeatable: true }),
  );
  const free = jobs.filter((job) => !answers.has(job));
  const batches = failures + 1 < failuresTogether ? [free] : free.map((job) => [job]);
  for (const batch of batches) {
    for (const answer of await commitWhatIsFree(connections, batch, commit, failures + 1)) answers.set(...answer);
  }
  return answers;
}
