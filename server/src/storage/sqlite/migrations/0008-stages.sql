-- Stages of the kinds that have them, and mails that decline one later. What was stored before has the first stage.
ALTER TABLE submission ADD COLUMN stage TEXT NOT NULL DEFAULT 'received';
-- Why it was declined, in an operator's words, which are never mailed.
ALTER TABLE submission ADD COLUMN decline_reason TEXT;
-- When it came to one of the last three stages. Null: it has none of these.
ALTER TABLE submission ADD COLUMN decided_at INTEGER;

-- The lists by stage. The first stage has none, so that accepting a submission writes no further index.
CREATE INDEX submission_stage ON submission (stage, arrival, kind, status, assignee, resume_scan, disposable)
  WHERE stage <> 'received';
CREATE INDEX submission_decided ON submission (decided_at, stage, status, kind, decline_reason)
  WHERE decided_at IS NOT NULL;

-- Of a reply that declines: when it is to be sent. Null: it is another reply.
ALTER TABLE reply ADD COLUMN send_at INTEGER;
-- When an operator had it sent although the person had answered meanwhile.
ALTER TABLE reply ADD COLUMN released_at INTEGER;
