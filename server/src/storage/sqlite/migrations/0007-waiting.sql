-- Who is waited for: when replies and answers came. Older processes go on: what they leave out is filled in by the trigger.

-- The first and the last reply that was not taken back, kept by the triggers below.
ALTER TABLE submission ADD COLUMN first_reply_at INTEGER;
ALTER TABLE submission ADD COLUMN last_reply_at INTEGER;
-- The last mail that the person wrote.
ALTER TABLE submission ADD COLUMN last_answer_at INTEGER;
-- Not to be done before then. Null, or past: it is not snoozed.
ALTER TABLE submission ADD COLUMN snoozed_until INTEGER;
-- When it was set to done. Null: it is not done.
ALTER TABLE submission ADD COLUMN done_at INTEGER;

-- 1: the submission was assigned to the author with it.
ALTER TABLE reply ADD COLUMN assigned INTEGER NOT NULL DEFAULT 0;
-- 1: what the person had written is quoted below it.
ALTER TABLE reply ADD COLUMN quoted INTEGER NOT NULL DEFAULT 1;

-- When its author changed it. Null: never.
ALTER TABLE note ADD COLUMN edited_at INTEGER;

-- Null: any.
ALTER TABLE saved_answer ADD COLUMN language TEXT;

UPDATE submission SET first_reply_at = dates.first_at, last_reply_at = dates.last_at
FROM (SELECT submission, min(at) AS first_at, max(at) AS last_at FROM reply GROUP BY submission) AS dates
WHERE submission.arrival = dates.submission;

UPDATE submission SET done_at = (
  SELECT max(at) FROM audit
  WHERE audit.subject = submission.reference AND action = 'status' AND detail LIKE '%"to":"done"%')
WHERE status = 'done';

CREATE TRIGGER reply_is_dated AFTER INSERT ON reply BEGIN
  UPDATE submission SET (first_reply_at, last_reply_at) = (
    SELECT min(at), max(at) FROM reply WHERE reply.submission = submission.arrival)
  WHERE arrival = new.submission;
END;

CREATE TRIGGER reply_is_undone AFTER DELETE ON reply BEGIN
  UPDATE submission SET (first_reply_at, last_reply_at) = (
    SELECT min(at), max(at) FROM reply WHERE reply.submission = submission.arrival)
  WHERE arrival = old.submission;
END;

-- Open ones that wait for us and for them, by `rules/waiting.ts`. A new submission is in none of these indexes.
CREATE INDEX submission_ours ON submission (arrival, kind, assignee, resume_scan, disposable, snoozed_until, last_reply_at)
  WHERE status = 'open' AND coalesce(last_reply_at, 0) <= coalesce(last_answer_at, 0);
CREATE INDEX submission_theirs ON submission (arrival, kind, assignee, resume_scan, disposable, snoozed_until, last_reply_at)
  WHERE status = 'open' AND coalesce(last_reply_at, 0) > coalesce(last_answer_at, 0);
-- Those whose persons have written again, by the time since which they wait.
CREATE INDEX submission_wrote_back ON submission (last_answer_at, kind)
  WHERE status = 'open' AND last_answer_at >= last_reply_at;
CREATE INDEX submission_snoozed ON submission (snoozed_until, status, kind, assignee) WHERE snoozed_until IS NOT NULL;
-- First responses.
CREATE INDEX submission_first_reply ON submission (first_reply_at, kind, received_at)
  WHERE first_reply_at IS NOT NULL AND status <> 'spam';
CREATE INDEX submission_done ON submission (done_at, kind, received_at)
  WHERE done_at IS NOT NULL AND first_reply_at IS NULL;
