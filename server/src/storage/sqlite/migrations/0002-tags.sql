-- Tags, further fields in the search, and deliveries of webhooks that say what changed or who was erased.

-- Words that operators put on submissions.
CREATE TABLE tag (
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  -- Of the submission: who may see it may see its tags.
  kind TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (submission, word)
) STRICT, WITHOUT ROWID;

CREATE INDEX tag_word ON tag (word, kind, submission);

-- The same words as a JSON list, to be read with the submission; null: none.
ALTER TABLE submission ADD COLUMN tags TEXT;

CREATE INDEX subscriber_source ON subscriber (source, arrival);

-- Further fields are an object among the fields: its texts are searched, not its JSON.
DROP VIEW submission_letter;
CREATE VIEW submission_letter AS
SELECT arrival,
  concat_ws(' ', name, email, CASE WHEN json_valid(fields) THEN concat_ws(' ', (
    SELECT group_concat(value, ' ') FROM json_each(fields) WHERE key NOT IN ('resume', 'language', 'consent', 'more')
  ), (SELECT group_concat(value, ' ') FROM json_each(fields, '$.more'))) END) AS words
FROM submission;

-- SQLite changes no constraint of a table, so the table is made anew.
CREATE TABLE webhook_delivery_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL REFERENCES webhook (id),
  event TEXT NOT NULL,
  -- What it is about: one of the two, or neither when the detail says all.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT REFERENCES subscriber (email_key) ON DELETE CASCADE,
  -- JSON without personal data: what changed of the submission, or what is told of a person who was erased.
  detail TEXT,
  status TEXT NOT NULL DEFAULT 'queued',
  attempts INTEGER NOT NULL DEFAULT 0,
  -- When the event happened.
  created_at INTEGER NOT NULL,
  -- Null once it is delivered or failed.
  due_at INTEGER,
  -- When the due time was set; null: when the event happened.
  scheduled_at INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  -- Null while it is queued.
  ended_at INTEGER,
  last_answer TEXT,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT ended_has_time CHECK ((status = 'queued') = (ended_at IS NULL)),
  CONSTRAINT delivery_is_about_one_thing CHECK (submission IS NULL OR subscriber IS NULL),
  CONSTRAINT delivery_is_about_something CHECK (
    submission IS NOT NULL OR subscriber IS NOT NULL OR detail IS NOT NULL
  )
) STRICT;

-- A number is never used twice, also not that of a delivery that was forgotten.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'webhook_delivery_new', seq FROM sqlite_sequence WHERE name = 'webhook_delivery';
INSERT INTO webhook_delivery_new
SELECT id, webhook, event, submission, subscriber, NULL, status, attempts, created_at, due_at, scheduled_at, lease_owner,
  lease_until, ended_at, last_answer
FROM webhook_delivery;
DROP TABLE webhook_delivery;
ALTER TABLE webhook_delivery_new RENAME TO webhook_delivery;

CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at, id) WHERE status = 'queued';
CREATE INDEX webhook_delivery_failed ON webhook_delivery (webhook, id) WHERE status = 'failed';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX webhook_delivery_submission ON webhook_delivery (submission, webhook) WHERE submission IS NOT NULL;
CREATE INDEX webhook_delivery_subscriber ON webhook_delivery (subscriber) WHERE subscriber IS NOT NULL;
