// A submission with all that belongs to it, and everything of a person.
import type { Note, Reply, ReplyFile } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { submissionKinds } from "@submissions/shared/kinds";
import type { DeskStore, KnownFact } from "../desk-store.ts";
import { inPages, pageRows } from "../pages.ts";
import {
  answerColumns,
  type AnswerRow,
  type FileRow,
  latestAnswers,
  type UnmatchedColumns,
  unmatchedTable,
} from "../rules/answers.ts";
import { readFields } from "../rules/columns.ts";
import { isHeld, mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import type { ScanState } from "../records.ts";
import type { References } from "../rules/references.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscription.ts";
import { leftKey } from "../rules/suppression.ts";
import { entryColumns, type StoredEntry } from "./audit.ts";
import { noteColumns } from "./changes.ts";
import type { Engine, Query } from "./engine.ts";
import { prepareStanding } from "./addresses.ts";

/** Entries of the audit log that the page of a submission shows. */
const historyMax = 200;
/** Submissions of a person that the console shows. */
export const personMax = 200;
/** Possible duplicates of a submission that its page shows. */
const duplicatesMax = 5;
/** Answers that the page of a submission shows: the latest. */
const answersShownMax = 200;
/** Mails of persons that are read at once: each may have 800 KB. */
const mailsAtOnce = 20;

type DetailRow = SubmissionRow & { resume_scan: ScanState | null; resume_sha256: string | null; email_key: string };

interface StoredReply extends Omit<Reply, "held" | "files"> {
  readonly isHeld: number;
}

interface StoredReplyFile extends ReplyFile {
  /** Null: it is not sent. */
  readonly reply: number | null;
  readonly author: string;
}

const repliedOf = ({ isHeld: held, ...stored }: StoredReply, files: readonly StoredReplyFile[]): Reply => ({
  ...stored,
  held: held === 1,
  files: files.filter(({ reply }) => reply === stored.id).map(({ id, name, size }) => ({ id, name, size })),
});

const tagsOf = ({ added = null, removed = null }: Partial<TagChange> = {}) => ({
  ...(added !== null && { added }),
  ...(removed !== null && { removed }),
});

/** The arrival number of a submission, or the key of a subscriber. */
type Owner = number | string;

/** `entry`: its id in the audit log. */
type TagChange = Omit<Extract<KnownFact, { kind: "tags" }>, "kind" | "reference"> & { readonly entry: number };

type Delivery = Omit<Extract<KnownFact, { kind: "delivery" }>, "kind" | "host"> & { readonly url: string };

export function makeBelongings(engine: Engine, references: References) {
  const { prepare, indexedBy, among, read } = engine;
  const ofOwner = <Row>(textOf: (owner: "submission" | "subscriber") => string) => {
    const [ofSubmission, ofSubscriber] = [prepare<Row>(textOf("submission")), prepare<Row>(textOf("subscriber"))];
    return (owner: Owner) => (typeof owner === "number" ? ofSubmission(owner) : ofSubscriber(owner));
  };
  const same = (condition: string, index: string) => `
    SELECT * FROM (
      SELECT arrival FROM submission ${indexedBy(index)}
      WHERE ${condition} AND arrival <> $3 AND ${among("kind", "$4")} ORDER BY arrival DESC LIMIT ${duplicatesMax}) AS newest`;
  const latest = (table: string) => `SELECT text FROM (
    SELECT substr(text, 1, 10000) AS text FROM ${table} WHERE submission = $1 ORDER BY id DESC LIMIT 10) AS ${table}s`;
  const statements = {
    find: prepare<DetailRow>(`
      SELECT ${submissionColumns}, resume_scan, resume_sha256, email_key FROM submission
      WHERE day_number = $1 AND kind = $2`),
    /** Of an address, newest first, below an arrival number. */
    submissionsOf: prepare<SubmissionRow>(`
      SELECT ${submissionColumns} FROM submission ${indexedBy("submission_email")}
      WHERE email_key = $1 AND arrival < $2 AND ${among("kind", "$3")} ORDER BY arrival DESC LIMIT $4`),
    subscriberOf: prepare<SubscriberRow>(`SELECT ${subscriberColumns} FROM subscriber WHERE email_key = $1`),
    twinsOf: prepare<SubmissionRow>(`
      SELECT ${submissionColumns} FROM submission WHERE arrival IN (
        ${same("email_key = $1", "submission_email")}
        UNION ${same("resume_sha256 = $2", "submission_same_resume")})
      ORDER BY arrival DESC LIMIT ${duplicatesMax}`),
    // Answers and files are shown themselves.
    historyOf: prepare<StoredEntry>(`
      SELECT ${entryColumns} FROM audit WHERE subject = $1 AND action NOT IN ('answer', 'reply.attach', 'reply.detach')
      ORDER BY id DESC LIMIT ${historyMax}`),
    tagChangesOf: prepare<TagChange>(`
      SELECT entry, at, added, removed FROM tag_change WHERE submission = $1 ORDER BY entry`),
    notesOf: prepare<Note>(`SELECT ${noteColumns} FROM note WHERE submission = $1 ORDER BY id`),
    // An import and its rows have the time of the call that began it.
    addedBy: prepare<{ operator: string; action: string }>(`
      SELECT operator, action FROM audit
      WHERE subject = 'subscribers' AND action IN ('subscriber.add', 'subscriber.import.begin')
        AND at = (SELECT subscribed_at FROM subscriber WHERE email_key = $1 AND door = 'console')
      ORDER BY id LIMIT 1`),
    repliesOf: prepare<StoredReply>(`
      SELECT id, author, at, text, send_at AS "sendAt", ${isHeld}
      FROM reply JOIN submission ON submission.arrival = reply.submission WHERE reply.submission = $1 ORDER BY id`),
    replyFilesOf: prepare<StoredReplyFile>(`
      SELECT id, reply, author, name, size FROM reply_file WHERE submission = $1 ORDER BY id`),
    answersOf: prepare<AnswerRow>(latestAnswers(answersShownMax)),
    filesOf: prepare<FileRow>(`
      SELECT id, answer, name, size, scan FROM answer_file WHERE ${among("answer", "$1", "bigint")}`),
    leftOutOf: prepare<{ count: number }>("SELECT count FROM answer_left_out WHERE submission = $1"),
    allAnswersOf: prepare<AnswerRow>(`
      SELECT ${answerColumns} FROM answer WHERE submission = $1 AND id > $2 ORDER BY id LIMIT ${mailsAtOnce}`),
    latestTextsOf: prepare<{ text: string }>(["reply", "note", "answer"].map(latest).join(" UNION ALL ")),
    unmatchedOf: prepare<UnmatchedColumns>(`
      SELECT ${unmatchedTable.columns} FROM unmatched WHERE sender_key = $1 AND id > $2 ORDER BY id LIMIT ${mailsAtOnce}`),
    mailsOf: ofOwner<ReadMail>(
      (owner) => `
      SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.${owner} = $1
      ORDER BY ${owner === "submission" ? "mail.id" : "mail.created_at, mail.id"}`,
    ),
    deliveriesOf: ofOwner<Delivery>(
      (owner) => `
      SELECT delivery.event, webhook.url, delivery.status, delivery.created_at AS "createdAt"
      FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
      WHERE removed_at IS NULL AND delivery.${owner} = $1`,
    ),
    keysOf: ofOwner<{ procedure: string; createdAt: number }>(
      (owner) => `SELECT procedure, created_at AS "createdAt" FROM idempotency WHERE ${owner} = $1`,
    ),
  };
  const standingOf = prepareStanding(engine);

  const find = async <Row>(query: Query<Row>): Promise<Row | undefined> => (await read(query))[0];
  const findSubscriber = (key: string) => find(statements.subscriberOf(key));

  async function withTheirFiles(answers: readonly AnswerRow[]) {
    const files = answers.length === 0 ? [] : await read(statements.filesOf(answers.map(({ id }) => id)));
    const ofAnswer = Map.groupBy(
      files.toSorted((one, other) => one.id - other.id),
      ({ answer }) => answer,
    );
    return answers.map((one) => {
      const its = ofAnswer.get(one.id) ?? [];
      return { ...one, files: its.map(({ id, name, size, scan }) => ({ id, name, size, scan })) };
    });
  }

  async function* answersOf(arrival: number, reference: string): AsyncGenerator<KnownFact, void, undefined> {
    for await (const rows of inPages<AnswerRow>((last) => read(statements.allAnswersOf(arrival, last?.id ?? 0)))) {
      for (const answer of await withTheirFiles(rows)) yield { kind: "answer", reference, answer };
    }
  }

  async function* factsOf(owner: Owner): AsyncGenerator<KnownFact, void, undefined> {
    for (const mail of await read(statements.mailsOf(owner))) yield { kind: "mail", mail: storedMail(mail) };
    for (const { event, url, status, createdAt } of await read(statements.deliveriesOf(owner))) {
      yield { kind: "delivery", event, host: URL.parse(url)?.host ?? "", status, createdAt };
    }
    for (const key of await read(statements.keysOf(owner))) yield { kind: "idempotency", ...key };
  }

  return {
    async findDetail({ kinds }, reference) {
      const named = references.parse(reference);
      if (named === null || !kinds.includes(named.kind)) return null;
      const row = await find(statements.find(named.dayNumber, named.kind));
      if (row === undefined) return null;
      const { arrival } = row;
      const [mails, notes, replies, history, duplicates, standing, answers, [leftOut], tagChanges, sent] =
        await Promise.all([
          read(statements.mailsOf(arrival)),
          read(statements.notesOf(arrival)),
          read(statements.repliesOf(arrival)),
          read(statements.historyOf(row.reference)),
          read(statements.twinsOf(row.email_key, row.resume_sha256, arrival, kinds)),
          find(standingOf(row.email_key)),
          read(statements.answersOf(arrival)),
          read(statements.leftOutOf(arrival)),
          read(statements.tagChangesOf(arrival)),
          read(statements.replyFilesOf(arrival)),
        ]);
      return {
        submission: readSubmissionAnyway(row),
        scan: row.resume_scan,
        mails: mails.map(storedMail),
        notes,
        replies: replies.map((one) => repliedOf(one, sent)),
        attached: sent
          .filter(({ reply }) => reply === null)
          .map(({ id, name, size, author }) => ({ id, name, size, author })),
        suppressed: standing?.reason ?? null,
        answers: await withTheirFiles(answers.toSorted((one, other) => one.id - other.id)),
        answersLeftOut: leftOut?.count ?? 0,
        history: history
          .map(({ id, at, operator, action, detail }) => ({
            at,
            operator,
            action,
            detail: { ...readFields(detail), ...tagsOf(tagChanges.find(({ entry }) => entry === id)) },
          }))
          .toReversed(),
        duplicates: duplicates.map(readSubmissionAnyway),
      };
    },

    textsAbout: async (arrival) => (await read(statements.latestTextsOf(arrival))).map(({ text }) => text),

    async findPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      const [rows, subscriber, added, mails, suppression] = await Promise.all([
        read(statements.submissionsOf(key, Number.MAX_SAFE_INTEGER, kinds, personMax + 1)),
        subscribers ? findSubscriber(key) : undefined,
        subscribers ? find(statements.addedBy(key)) : undefined,
        subscribers ? read(statements.mailsOf(key)) : [],
        find(standingOf(key)),
      ]);
      if (rows.length === 0 && subscriber === undefined) return null;
      return {
        email: rows[0]?.email ?? subscriber?.email ?? email,
        submissions: rows.slice(0, personMax).map(readSubmissionAnyway),
        more: rows.length > personMax,
        subscription: subscriber === undefined ? null : storedSubscriber(subscriber),
        added: added === undefined ? null : { by: added.operator, isImport: added.action !== "subscriber.add" },
        mails: mails.map(storedMail),
        suppressed: suppression?.reason ?? null,
      };
    },

    async *readPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      const submissionsBelow = (arrival = Number.MAX_SAFE_INTEGER) =>
        read(statements.submissionsOf(key, arrival, kinds, pageRows));
      for await (const rows of inPages<SubmissionRow>((last) => submissionsBelow(last?.arrival))) {
        for (const row of rows) {
          const { arrival, reference } = row;
          yield { kind: "submission", submission: readSubmissionAnyway(row) };
          for (const note of await read(statements.notesOf(arrival))) yield { kind: "note", reference, note };
          for (const { at, added, removed } of await read(statements.tagChangesOf(arrival)))
            yield { kind: "tags", reference, at, added, removed };
          const sent = await read(statements.replyFilesOf(arrival));
          for (const reply of await read(statements.repliesOf(arrival)))
            yield { kind: "reply", reference, reply: repliedOf(reply, sent) };
          yield* answersOf(arrival, reference);
          yield* factsOf(arrival);
        }
      }
      if (subscribers) {
        const subscriber = await findSubscriber(key);
        if (subscriber !== undefined) yield { kind: "subscription", subscriber: storedSubscriber(subscriber) };
        // Of a subscription that was spam there is only a key.
        yield* factsOf(key);
      }
      // Only an administrator sees mails that fit no submission.
      const isWhole = subscribers && kinds.length === submissionKinds.length;
      const unmatchedBehind = (id = 0) => read(statements.unmatchedOf(key, id));
      for await (const rows of isWhole ? inPages<UnmatchedColumns>((last) => unmatchedBehind(last?.id)) : []) {
        for (const mail of rows) yield { kind: "unmatched", mail: unmatchedTable.recordOf(mail) };
      }
      // Whether one who was erased had left. Who has subscribed since has a subscription, which says more.
      const mayHaveLeft = subscribers && (await findSubscriber(key)) === undefined;
      for (const one of mayHaveLeft ? [key, leftKey(key)] : [key]) {
        const suppression = await find(standingOf(one));
        if (suppression !== undefined) yield { kind: "suppression", reason: suppression.reason, at: suppression.at };
      }
    },
  } satisfies Partial<DeskStore>;
}
