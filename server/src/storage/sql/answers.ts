// Mails that came in about a submission, with what follows from each (`rules/answers.ts`), and reports of undelivered mails.
import { emailKey } from "@submissions/shared/fields";
import { kindsOf } from "@submissions/shared/kinds";
import type { Role } from "@submissions/shared/roles";
import { dayMs } from "../../clock.ts";
import { wholeScope } from "../desk-store.ts";
import {
  type Addressed,
  answersOfDayMax,
  type Filed,
  type FiledAnswer,
  type Found,
  type InboundStore,
  type NewAnswer,
  type NewFile,
  submissionFileBytesMax,
} from "../inbound-store.ts";
import type { MailKind, SuppressionChange } from "../records.ts";
import { answerActor, decideAnswer, mailColumns, mailValues } from "../rules/answers.ts";
import { mailJoins } from "../rules/mail-row.ts";
import { quoted } from "../rules/columns.ts";
import { isToPerson, receiptKinds } from "../rules/mails.ts";
import { writtenAt } from "../rules/waiting.ts";
import type { Changes } from "./changes.ts";
import { type Engine, only, type Steps, together } from "./engine.ts";

interface FoundRow extends Omit<Addressed, "arrival"> {
  readonly row: number;
  readonly at: number;
  readonly arrival: number | null;
}

/** @param now when it is filed, which may be later than it came in */
export type FileAnswer = (answer: NewAnswer, now?: number) => Steps<Filed>;

/** @param noteNews records news of an address */
export function makeAnswers(
  { prepare, read, transaction }: Engine,
  { audit, lock, triage }: Changes,
  noteNews: (change: SuppressionChange) => Steps<boolean>,
) {
  const findSame = prepare<FiledAnswer>(`
    SELECT sender, text FROM answer WHERE submission = $1 AND identity = $2`);
  const countOfDay = (condition: string) =>
    prepare<{ stored: number }>(`
      SELECT count(*) AS stored FROM answer WHERE submission = $1 AND sender ${condition} AND at > $2`);
  const [ofPerson, ofOthers] = [countOfDay("= 'person'"), countOfDay("IN ('unverified', 'automatic')")];
  const leaveOut = prepare(`
    INSERT INTO answer_left_out (submission, count) VALUES ($1, 1)
    ON CONFLICT (submission) DO UPDATE SET count = answer_left_out.count + 1`);
  const insert = prepare<{ id: number }>(`
    INSERT INTO answer (submission, sender, ${mailColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`);
  const insertFile = prepare(`
    INSERT INTO answer_file (answer, name, size, kind, sha256, file_key, scan) VALUES ($1, $2, $3, $4, $5, $6, $7)`);
  /** Of the files that the answers of a submission have in the vault. */
  const bytesOf = prepare<{ bytes: number }>(`
    SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM answer_file
    WHERE answer IN (SELECT id FROM answer WHERE submission = $1) AND file_key IS NOT NULL`);
  const waits = prepare("UPDATE submission SET last_answer_at = $2, snoozed_until = NULL WHERE arrival = $1");
  const findTold = prepare<{ toldAt: number | null }>(`
    SELECT answer_told_at AS "toldAt" FROM submission WHERE arrival = $1`);
  const setTold = prepare("UPDATE submission SET answer_told_at = $2 WHERE arrival = $1");
  const findOperator = prepare<{ id: number; role: Role }>("SELECT id, role FROM operator WHERE email_key = $1");
  const tell = prepare(`
    INSERT INTO mail (kind, submission, operator, status, created_at, due_at)
    VALUES ('answer', $1, $2, 'queued', $3, $3)`);
  const announce = prepare(`
    INSERT INTO webhook_delivery (webhook, event, submission, answer, created_at, due_at)
    SELECT id, 'answer.received', CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($3 AS BIGINT)
    FROM webhook WHERE removed_at IS NULL AND events LIKE '%answer.received%'`);

  /** The files as they fit into what the submission may have. */
  function* fitting(submission: number, files: readonly NewFile[]): Steps<readonly NewFile[]> {
    let { bytes } = only(yield* bytesOf(submission));
    return files.map((file) => {
      if (file.kept === null) return file;
      const fits = bytes + file.size <= submissionFileBytesMax;
      if (fits) bytes += file.size;
      return fits ? file : { ...file, kept: null };
    });
  }

  const file: FileAnswer = function* (answer, at = answer.at) {
    const { submission: arrival, sender, identity } = answer;
    const keys = answer.files.flatMap(({ kept }) => kept?.key ?? []);
    const [row] = yield* lock([arrival]);
    if (row === undefined) return { result: "gone", unused: keys };
    const count = sender === "person" ? ofPerson : ofOthers;
    const [same, [ofDay], [last]] = yield* together([
      findSame(arrival, identity),
      count(arrival, at - dayMs),
      findTold(arrival),
    ]);
    if (same.length > 0) return { result: "repeated", unused: keys };
    if ((ofDay?.stored ?? 0) >= answersOfDayMax) {
      yield* leaveOut(arrival);
      return { result: "left-out", unused: keys };
    }
    const { id } = only(yield* insert(arrival, sender, ...mailValues(answer)));
    const files = yield* fitting(arrival, answer.files);
    yield* together(
      files.map(({ name, size, kept }) => {
        const { kind = null, sha256 = null, key = null } = kept ?? {};
        return insertFile(id, name, size, kind, sha256, key, kept && "unscanned");
      }),
    );
    const { kind: itsKind, status, reference, version, assignee } = row;
    // Open pages follow the log.
    yield* audit({ action: "answer", subject: reference, detail: { answer: id } }, { operator: answerActor, at });
    const ours = [...answer.teamKeys, ...(assignee === null ? [] : [emailKey(assignee)])];
    const isColleagues = answer.fromKeys.some((key) => ours.includes(key));
    const follows = decideAnswer(status, last?.toldAt ?? null, sender, isColleagues, at);
    if (follows.waits) yield* waits(arrival, writtenAt(at, row));
    if (follows.reopens) {
      yield* triage(wholeScope, [{ reference, version }], { status: "open" }, { operator: answerActor, at });
    }
    if (follows.tells) {
      const [operator] = assignee === null ? [] : yield* findOperator(emailKey(assignee));
      // One who has another role since may not see it: the team is told.
      const told = operator && kindsOf(operator.role).includes(itsKind) ? operator.id : null;
      yield* together([tell(arrival, told, at), setTold(arrival, at)]);
    }
    if (follows.announces) yield* announce(arrival, id, at);
    const used = new Set(files.flatMap(({ kept }) => kept?.key ?? []));
    return { result: "filed", unused: keys.filter((key) => !used.has(key)) };
  };

  const addressed = `submission.arrival, submission.reference, submission.email_key AS "emailKey"`;
  const find = {
    submission: prepare<FoundRow>(`
      SELECT arrival AS row, received_at AS at, ${addressed} FROM submission WHERE arrival = $1`),
    mail: prepare<FoundRow>(`
      SELECT mail.id AS row, mail.created_at AS at, ${addressed} FROM mail ${mailJoins} WHERE mail.id = $1`),
  };
  // A lease that is out is taken away: what its holder records later counts no more.
  const fail = prepare<{ kind: MailKind; email: string | null }>(`
    UPDATE mail SET status = 'failed', due_at = NULL, scheduled_at = NULL, ended_at = $3, last_answer = $4,
      lease_owner = NULL, lease_until = NULL, tokens = NULL
    WHERE id = $1 AND created_at = $2
    RETURNING kind, (SELECT coalesce(submission.email, subscriber.email) FROM (SELECT 1) AS one
      LEFT JOIN submission ON submission.arrival = mail.submission
      LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber) AS email`);
  const findReceipt = prepare<{ row: number; at: number }>(`
    SELECT id AS row, created_at AS at FROM mail
    WHERE submission = $1 AND kind IN (${quoted(receiptKinds)}) ORDER BY id DESC LIMIT 1`);

  return {
    /** For other transactions. */
    filing: file,

    async findNamed(claims) {
      const rows = await Promise.all(claims.map(async ({ of, row }) => ({ of, rows: await read(find[of](row)) })));
      return rows.flatMap(({ of, rows: found }) =>
        found.map(({ row, at, arrival, reference, emailKey: key }): Found => {
          return { of, row, at, submission: arrival === null ? null : { arrival, reference, emailKey: key } };
        }),
      );
    },

    async findAnswers(arrival, identity) {
      const [[same], bytes] = await Promise.all([read(findSame(arrival, identity)), read(bytesOf(arrival))]);
      return { same, fileBytes: only(bytes).bytes };
    },

    file: transaction((answer) => file(answer)),

    noteUndelivered: transaction(function* ({ mail, status, at, spared }) {
      const [of = mail] = mail.of === "mail" ? [] : yield* findReceipt(mail.row);
      const [failed] = yield* fail(of.row, of.at, at, `report: ${status || "failed"}`);
      if (failed === undefined) return false;
      const { kind, email } = failed;
      // A server that was away, or a full mailbox, says nothing of the next mail.
      if (!status.startsWith("5.")) return true;
      if (email === null || !isToPerson(kind) || spared.includes(emailKey(email))) return true;
      if ((yield* findOperator(emailKey(email))).length === 0) yield* noteNews({ email, reason: "bounced", at });
      return true;
    }),
  } satisfies Partial<InboundStore> & { readonly filing: FileAnswer };
}
