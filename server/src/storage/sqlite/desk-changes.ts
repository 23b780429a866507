// What SQLite does by itself when operators change submissions: one after the other, in a job of the commit queue.
import { quoted } from "../rules/inbox-filter.ts";
import { isAutomatic, mailsOf } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import { statusActions } from "../rules/triage.ts";
import { receivedEvent } from "../rules/webhooks.ts";
import { prepareAudit } from "../sql/audit.ts";
import { type Changing, changingColumns, makeChanges } from "../sql/changes.ts";
import { type Engine, type Steps, together } from "../sql/engine.ts";
import type { Acceptor } from "./accept.ts";
import type { Announcements } from "./announcements.ts";

export function makeDeskChanges(
  engine: Engine,
  references: References,
  { mayMail }: Acceptor,
  announcements: Announcements,
) {
  const { prepare } = engine;
  const audit = prepareAudit(engine);
  const find = prepare<Changing>(`SELECT ${changingColumns} FROM submission WHERE day_number = $1 AND kind = $2`);
  const update = prepare(
    "UPDATE submission SET status = $1, assignee = $2, version = $3, responded_at = $4 WHERE arrival = $5",
  );
  const insertMail = prepare(
    "INSERT INTO mail (kind, submission, status, created_at, due_at) VALUES ($1, $2, 'queued', $3, $3)",
  );
  const receipted = prepare("UPDATE submission SET receipt_at = $1 WHERE arrival = $2");
  const earlierChange = prepare<object>(
    `SELECT 1 FROM audit WHERE subject = $1 AND action IN (${quoted(statusActions)}) LIMIT 1`,
  );
  const findMail = prepare<object>("SELECT 1 FROM mail WHERE submission = $1 AND kind = $2");

  function* leave({ arrival, kind, reference, emailKey }: Changing, now: number): Steps<number> {
    announcements.ofSubmission(receivedEvent(kind), arrival, now);
    // It was no spam at some time before, and had its mails then. They may be forgotten by now.
    if ((yield* earlierChange(reference)).length > 0) return 0;
    let stored = 0;
    for (const mail of mailsOf[kind]) {
      if ((yield* findMail(arrival, mail)).length > 0) continue;
      if (isAutomatic(mail)) {
        if (!mayMail(emailKey, now)) continue;
        yield* receipted(now, arrival);
      }
      yield* insertMail(mail, arrival, now);
      stored += 1;
    }
    return stored;
  }

  return makeChanges(engine, references, {
    *lockRows(named) {
      return (yield* together(named.map(({ dayNumber, kind }) => find(dayNumber, kind)))).flat();
    },

    update: (changed) =>
      together(changed.map((row) => update(row.status, row.assignee, row.version, row.respondedAt, row.arrival))),

    audit: (entries, actor) => together(entries.map((entry) => audit(entry, actor))),

    *leaveSpam(rows, now) {
      let stored = 0;
      for (const row of rows) stored += yield* leave(row, now);
      return stored;
    },
  });
}
