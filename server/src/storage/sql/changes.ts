// What operators change of a submission and its mails, each in a transaction with its entry in the audit log.
import type { TriageOutcome, TriageRequest } from "@submissions/shared/console";
import { type Actor, type AuditEntry, type DeskStore, type Scope, triageMax } from "../desk-store.ts";
import { inBatches } from "../pages.ts";
import type { MailKind, MailStatus, SubmissionKind } from "../records.ts";
import { mailKindsOf, quoted } from "../rules/inbox-filter.ts";
import { parseMailId } from "../rules/outbox-row.ts";
import type { References } from "../rules/references.ts";
import { changingActions, conflict, decideTriage, leavesSpam, type Triaged } from "../rules/triage.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { prepareAssignmentMails } from "./assignment-mails.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, type Steps, together } from "./engine.ts";
import { prepareLeavingSpam } from "./leaving-spam.ts";
import { prepareSendingAgain } from "./sending-again.ts";

/** Submissions that one transaction changes. */
const changedAtOnce = 100;

/** A submission that is to be changed. */
interface Changing extends Triaged {
  readonly arrival: number;
  readonly tags: string | null;
  readonly kind: SubmissionKind;
  readonly emailKey: string;
}

export type Changes = ReturnType<typeof prepareChanging>;

interface SentMail {
  readonly kind: MailKind;
  readonly status: MailStatus;
  readonly submission: number | null;
  readonly reply: number | null;
  readonly reference: string | null;
}

/** Steps of transactions that change submissions. */
export function prepareChanging(engine: Engine, references: References) {
  const { prepare, locking, among } = engine;
  const audit = prepareAudit(engine);
  const leaveSpam = prepareLeavingSpam(engine);
  const { ofChanges: tellOfChanges } = prepareAnnouncements(engine);
  const mailAssignees = prepareAssignmentMails(engine);
  const findArrival = prepare<{ arrival: number }>(
    "SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2",
  );
  // In the order of their arrival, so that transactions cannot deadlock.
  const lock = prepare<Changing>(`
    SELECT arrival, kind, reference, email_key AS "emailKey", status, assignee, version, responded_at AS "respondedAt", tags
    FROM submission WHERE ${among("arrival", "$1", "bigint")} ORDER BY arrival ${locking("FOR UPDATE")}`);
  const update = prepare(
    "UPDATE submission SET status = $1, assignee = $2, version = $3, responded_at = $4 WHERE arrival = $5",
  );
  const lastChange = prepare<Actor>(`
    SELECT operator, at FROM audit WHERE subject = $1 AND action IN (${quoted(changingActions)})
    ORDER BY id DESC LIMIT 1`);

  /** The rows of some references that the scope holds, locked until the end of the transaction. */
  function* lockRows({ kinds }: Scope, names: readonly string[]): Steps<Map<string, Changing>> {
    const named = names.flatMap((reference) => references.parse(reference) ?? []);
    const seen = named.filter(({ kind }) => kinds.includes(kind));
    const found = yield* together(seen.map(({ dayNumber, kind }) => findArrival(dayNumber, kind)));
    const rows = yield* lock(found.flat().map(({ arrival }) => arrival));
    return new Map(rows.map((row) => [row.reference, row]));
  }

  const store = (changed: readonly Changing[]) =>
    together(changed.map((row) => update(row.status, row.assignee, row.version, row.respondedAt, row.arrival)));

  function* triage(scope: Scope, targets: TriageRequest["targets"], request: TriageRequest, actor: Actor) {
    const rows = yield* lockRows(
      scope,
      targets.map(({ reference }) => reference),
    );
    const outcomes: TriageOutcome[] = [];
    const changed: Changing[] = [];
    const leaving: Changing[] = [];
    const told: { readonly arrival: number; readonly changed: readonly string[] }[] = [];
    const reassigned: Parameters<typeof mailAssignees>[0][number][] = [];
    const entries: AuditEntry[] = [];
    for (const { reference, version } of targets) {
      const row = rows.get(reference);
      const decision = row === undefined ? null : decideTriage(row, version, request, actor);
      if (row === undefined) outcomes.push({ reference, result: "unknown" });
      else if (decision === null) {
        // What this request has changed is not in the audit log yet.
        outcomes.push(conflict(row, changed.includes(row) ? actor : (yield* lastChange(reference))[0]));
      } else {
        const after = { ...row, ...decision.after };
        outcomes.push({ reference, result: "changed", version: after.version });
        entries.push(...decision.entries);
        if (decision.entries.length > 0) changed.push(after);
        if (row.assignee !== after.assignee) reassigned.push({ reference, from: row.assignee, to: after.assignee });
        if (leavesSpam(row, after)) leaving.push(after);
        else if (after.status !== "spam" && decision.entries.length > 0)
          told.push({ arrival: row.arrival, changed: decision.entries.map(({ action }) => action) });
        // A target that is named twice is in conflict the second time.
        rows.set(reference, after);
      }
    }
    yield* store(changed);
    yield* leaveSpam(leaving, actor.at);
    yield* tellOfChanges(told, actor.at);
    yield* mailAssignees(reassigned, actor);
    yield* together(entries.map((entry) => audit(entry, actor)));
    return outcomes;
  }

  return { audit, leaveSpam, lock, lockRows, store, tellOfChanges, triage };
}

export function makeChanges(engine: Engine, { audit, leaveSpam, lockRows, store, triage }: Changes) {
  const { prepare, locking, transaction } = engine;
  const insertNote = prepare<{ id: number }>(
    "INSERT INTO note (submission, author, at, text) VALUES ($1, $2, $3, $4) RETURNING id",
  );
  const findMail = prepare<SentMail>(`
    SELECT mail.kind, mail.status, mail.submission, mail.reply, submission.reference
    FROM mail LEFT JOIN submission ON submission.arrival = mail.submission
    WHERE mail.id = $1 AND mail.created_at = $2 ${locking("FOR UPDATE OF mail")}`);
  const again = prepareSendingAgain(engine);
  // The submission is locked, so that no other transaction erases it without this mail.
  const insertMail = prepare(`
    INSERT INTO mail (kind, submission, reply, status, created_at, due_at, again_key, again_at)
    SELECT CAST($1 AS TEXT), arrival, CAST($5 AS BIGINT), 'queued', CAST($3 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT),
      CASE WHEN CAST($4 AS TEXT) IS NULL THEN NULL ELSE CAST($3 AS BIGINT) END
    FROM submission WHERE arrival = $2 ${locking("FOR KEY SHARE")}`);

  return {
    async triage(scope, request, actor) {
      if (request.targets.length > triageMax) throw new RangeError(`More than ${triageMax} submissions at once.`);
      const change = (targets: typeof request.targets) => transaction(() => triage(scope, targets, request, actor));
      return (await inBatches(request.targets, changedAtOnce, change)).flat();
    },

    addNote: (scope, reference, text, actor) =>
      transaction(function* () {
        const row = (yield* lockRows(scope, [reference])).get(reference);
        if (row === undefined) return null;
        const [note] = yield* insertNote(row.arrival, actor.operator, actor.at, text);
        if (note === undefined) throw new Error("The note was not stored.");
        yield* audit({ action: "note", subject: reference, detail: { note: note.id } }, actor);
        return { id: note.id, author: actor.operator, at: actor.at, text };
      }),

    release: (scope, reference, actor) =>
      transaction(function* () {
        const row = (yield* lockRows(scope, [reference])).get(reference);
        if (row === undefined) return { result: "unknown" };
        if (row.status !== "spam") return { result: "not-spam" };
        yield* store([{ ...row, status: "new", version: row.version + 1 }]);
        const mails = yield* leaveSpam([row], actor.at);
        yield* audit({ action: "release", subject: reference, detail: { mails } }, actor);
        return { result: "released", mails };
      }),

    sendAgain: (scope, id, actor) =>
      transaction(function* () {
        const named = parseMailId(id);
        // The address is locked before the mail, as erasing does.
        const judged = named === null ? null : yield* again.judge(named, actor.at);
        const [mail] = named === null ? [] : yield* findMail(named.row, named.createdAt);
        if (named === null || judged === null || mail === undefined || !mailKindsOf(scope).includes(mail.kind))
          return null;
        const { kind, status, submission, reply, reference } = mail;
        if (status === "queued") return "queued";
        if (status === "sent" && submission === null) return "not-sendable";
        if (typeof judged === "string") return judged;
        if (status === "sent") yield* insertMail(kind, submission, actor.at, judged.key, reply);
        else yield* again.wake(named, judged.key, actor.at);
        yield* audit(
          { action: "mail.again", subject: reference ?? "newsletter", detail: { mail: kind, was: status } },
          actor,
        );
        return "due";
      }),
  } satisfies Partial<DeskStore>;
}
