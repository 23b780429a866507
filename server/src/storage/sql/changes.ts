// What operators change of a submission, each in a transaction with its entry in the audit log.
import type { Note } from "@submissions/shared/console";
import { isFinal } from "@submissions/shared/stages";
import {
  type Actor,
  type AuditEntry,
  type ChangeOutcome,
  type ChangeRequest,
  type DeskStore,
  notesMax,
  type Scope,
  triageMax,
} from "../desk-store.ts";
import { inBatches } from "../pages.ts";
import type { Former, StoredSubmission } from "../records.ts";
import { quoted } from "../rules/columns.ts";
import type { References } from "../rules/references.ts";
import { changingActions, conflict, decideTriage, type Triage, type Triaged } from "../rules/triage.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { prepareAssignmentMails } from "./assignment-mails.ts";
import { prepareAudit } from "./audit.ts";
import { prepareOperatorLimit, prepareReplyMails } from "./reply-mails.ts";
import { prepareStanding } from "./addresses.ts";
import { type Engine, only, type Steps, together } from "./engine.ts";
import { prepareLeavingSpam } from "./leaving-spam.ts";

export const noteColumns = 'id, author, at, text, edited_at AS "editedAt"';

interface Changing extends Triaged, Pick<StoredSubmission, "arrival" | "lastReplyAt" | "lastAnswerAt"> {
  readonly tags: string | null;
  readonly emailKey: string;
}

export type Changes = ReturnType<typeof prepareChanging>;

export function prepareChanging(engine: Engine, references: References) {
  const { prepare, locking, among } = engine;
  const audit = prepareAudit(engine);
  const leaveSpam = prepareLeavingSpam(engine);
  const { ofChanges: announceChanges } = prepareAnnouncements(engine);
  const mailAssignees = prepareAssignmentMails(engine);
  const replyMails = prepareReplyMails(engine, audit);
  const findArrival = prepare<{ arrival: number }>(`
    SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2`);
  // In the order of their arrival, so that transactions cannot deadlock.
  const lock = prepare<Changing>(`
    SELECT arrival, kind, reference, email_key AS "emailKey", status, assignee, version, tags, done_at AS "doneAt",
      snoozed_until AS "snoozedUntil", last_reply_at AS "lastReplyAt", last_answer_at AS "lastAnswerAt",
      stage, decline_reason AS "declineReason", decided_at AS "decidedAt"
    FROM submission WHERE ${among("arrival", "$1", "bigint")} ORDER BY arrival ${locking("FOR UPDATE")}`);
  const update = prepare(`
    UPDATE submission SET status = $1, assignee = $2, version = $3, done_at = $4, snoozed_until = $5, stage = $6,
      decline_reason = $7, decided_at = $8
    WHERE arrival = $9`);
  const setTriaged = ({ status, assignee, version, doneAt, snoozedUntil, stage, ...row }: Changing) =>
    update(status, assignee, version, doneAt, snoozedUntil, stage, row.declineReason, row.decidedAt, row.arrival);
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

  function* triage(scope: Scope, targets: ChangeRequest["targets"], request: Triage, actor: Actor) {
    const names = targets.map(({ reference }) => reference);
    const rows = yield* lockRows(scope, names);
    const outcomes: ChangeOutcome[] = [];
    const formers = new Map<string, Former>();
    const [changed, leaving]: [Changing[], Changing[]] = [[], []];
    const announced: { readonly arrival: number; readonly changed: readonly string[] }[] = [];
    const reassigned: Parameters<typeof mailAssignees>[0][number][] = [];
    const entries: AuditEntry[] = [];
    const restaged: number[] = [];
    const restored: { readonly row: Changing; readonly mails: Former["mails"] }[] = [];
    for (const { reference, version, former } of targets) {
      const row = rows.get(reference);
      const decision = row === undefined ? null : decideTriage(row, version, { ...request, former }, actor);
      if (row === undefined) outcomes.push({ reference, result: "unknown" });
      else if (decision === null) {
        // What this request has changed is not in the audit log yet.
        outcomes.push(conflict(row, changed.includes(row) ? actor : (yield* lastChange(reference))[0]));
      } else {
        const after = { ...row, ...decision.after };
        const follows = request.status === undefined && row.status !== after.status && { status: after.status };
        outcomes.push({ reference, result: "changed", version: after.version, ...follows });
        entries.push(...decision.entries);
        if (decision.entries.length > 0) changed.push(after);
        // Declining again replaces what waits.
        if (row.stage !== after.stage || former !== undefined || request.declineReason !== undefined) {
          restaged.push(row.arrival);
          if (former !== undefined) restored.push({ row: after, mails: former.mails });
          const { stage, status, declineReason, decidedAt } = row;
          if (isFinal(stage)) formers.set(reference, { stage, status, declineReason, decidedAt, mails: [] });
        }
        if (row.assignee !== after.assignee) reassigned.push({ reference, from: row.assignee, to: after.assignee });
        if (row.status === "spam" && after.status !== "spam") leaving.push(after);
        else if (after.status !== "spam") {
          const actions = decision.entries.map(({ action }) => action).filter((action) => action !== "snooze");
          if (actions.length > 0) announced.push({ arrival: row.arrival, changed: actions });
        }
        // A target that is named twice is in conflict the second time.
        rows.set(reference, after);
      }
    }
    yield* together(changed.map(setTriaged));
    const taken = Map.groupBy(yield* replyMails.takeBack(restaged, actor), ({ reference }) => reference);
    for (const { row, mails } of restored) for (const mail of mails) yield* replyMails.decline(row, mail, actor.at);
    yield* leaveSpam(leaving, actor.at);
    yield* announceChanges(announced, actor.at);
    yield* mailAssignees(reassigned, actor);
    yield* together(entries.map((entry) => audit(entry, actor)));
    return outcomes.map((outcome) => {
      const former = outcome.result === "changed" ? formers.get(outcome.reference) : undefined;
      const mails = taken.get(outcome.reference) ?? [];
      return former === undefined ? outcome : { ...outcome, former: { ...former, mails } };
    });
  }

  const [standingOf, freeAt] = [prepareStanding(engine), prepareOperatorLimit(engine)];
  return { audit, lock, lockRows, announceChanges, replyMails, triage, standingOf, freeAt };
}

export function makeChanges(engine: Engine, { audit, lockRows, triage }: Changes) {
  const { prepare, transaction } = engine;
  const changeSome = transaction(triage);
  const insertNote = prepare<{ id: number }>(`
    INSERT INTO note (submission, author, at, text) VALUES ($1, $2, $3, $4) RETURNING id`);
  const repeated = prepare<Note>(`
    SELECT ${noteColumns} FROM note WHERE submission = $1 AND id > $2 AND author = $3 AND text = $4 LIMIT 1`);
  const editNote = prepare<Note>(`
    UPDATE note SET text = $4, edited_at = $5 WHERE id = $1 AND submission = $2 AND author = $3
    RETURNING ${noteColumns}`);
  const countNotes = prepare<{ stored: number }>("SELECT count(*) AS stored FROM note WHERE submission = $1");
  return {
    async triage(scope, request, actor) {
      if (request.targets.length > triageMax) throw new RangeError(`More than ${triageMax} submissions at once.`);
      const change = (targets: typeof request.targets) => changeSome(scope, targets, request, actor);
      return (await inBatches(request.targets, change)).flat();
    },

    addNote: transaction(function* (scope, reference, text, actor, seen) {
      const row = (yield* lockRows(scope, [reference])).get(reference);
      if (row === undefined) return null;
      const [same] = seen === undefined ? [] : yield* repeated(row.arrival, seen, actor.operator, text);
      if (same !== undefined) return same;
      if (only(yield* countNotes(row.arrival)).stored >= notesMax) return "full";
      const note = only(yield* insertNote(row.arrival, actor.operator, actor.at, text));
      yield* audit({ action: "note", subject: reference, detail: { note: note.id } }, actor);
      return { id: note.id, author: actor.operator, at: actor.at, text, editedAt: null };
    }),

    editNote: transaction(function* (scope, reference, id, text, actor) {
      const row = (yield* lockRows(scope, [reference])).get(reference);
      const [note] = row === undefined ? [] : yield* editNote(id, row.arrival, actor.operator, text, actor.at);
      if (note === undefined) return null;
      yield* audit({ action: "note.edit", subject: reference, detail: { note: id } }, actor);
      return note;
    }),
  } satisfies Partial<DeskStore>;
}
