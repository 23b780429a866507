-- Outgoing webhooks, and the daily digest. Frozen: later changes are migrations of their own.

-- Who is told of events. A few rows.
CREATE TABLE webhook (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- Names of events, with spaces between them.
  events TEXT NOT NULL,
  -- Signs, so it cannot be a hash.
  secret TEXT NOT NULL,
  -- Signs, too, until its time ends.
  old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  -- Its address and secrets are emptied then; its deliveries are forgotten soon after.
  removed_at INTEGER,
  CONSTRAINT old_secret_ends CHECK ((old_secret IS NULL) = (old_secret_until IS NULL))
) STRICT;

-- What a webhook is to be told. A row says what it is about; the text is written when it is sent.
CREATE TABLE webhook_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL REFERENCES webhook (id),
  event TEXT NOT NULL,
  -- What it is about: one of the two.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT REFERENCES subscriber (email_key) ON DELETE CASCADE,
  status TEXT NOT NULL DEFAULT 'queued',
  attempts INTEGER NOT NULL DEFAULT 0,
  -- When the event happened.
  created_at INTEGER NOT NULL,
  -- Null once it is delivered or failed.
  due_at INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  -- Null while it is queued.
  ended_at INTEGER,
  last_answer TEXT,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT ended_has_time CHECK ((status = 'queued') = (ended_at IS NULL)),
  CONSTRAINT delivery_is_about_one_thing CHECK ((submission IS NULL) <> (subscriber IS NULL))
) STRICT;

CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at, id) WHERE status = 'queued';
CREATE INDEX webhook_delivery_failed ON webhook_delivery (webhook, id) WHERE status = 'failed';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX webhook_delivery_submission ON webhook_delivery (submission, webhook) WHERE submission IS NOT NULL;
CREATE INDEX webhook_delivery_subscriber ON webhook_delivery (subscriber) WHERE subscriber IS NOT NULL;

-- A digest is a mail that is about a day (yyyymmdd, UTC): each day has one. What it says is JSON without personal data.
ALTER TABLE mail ADD COLUMN digest_day INTEGER;
ALTER TABLE mail ADD COLUMN digest TEXT;
ALTER TABLE mail DROP CONSTRAINT about_one_thing;
ALTER TABLE mail ADD CONSTRAINT about_one_thing
  CHECK ((submission IS NOT NULL) + (subscriber IS NOT NULL) + (digest IS NOT NULL) = 1);
CREATE UNIQUE INDEX mail_digest ON mail (digest_day) WHERE digest_day IS NOT NULL;
