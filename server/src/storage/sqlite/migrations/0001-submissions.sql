-- Submissions and the outbox. Times are milliseconds since the epoch, JSON is text.

CREATE TABLE inquiry (
  reference TEXT PRIMARY KEY NOT NULL,
  received_at INTEGER NOT NULL,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status TEXT NOT NULL,
  name TEXT NOT NULL,
  company TEXT,
  email TEXT NOT NULL,
  selected_package_ids TEXT NOT NULL
) STRICT;

-- The order of exports; the reference breaks ties.
CREATE INDEX inquiry_received ON inquiry (received_at, reference);

CREATE TABLE application (
  reference TEXT PRIMARY KEY NOT NULL,
  received_at INTEGER NOT NULL,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status TEXT NOT NULL,
  full_name TEXT NOT NULL,
  email TEXT NOT NULL,
  position TEXT NOT NULL,
  phone TEXT,
  company TEXT,
  availability TEXT,
  accent TEXT,
  portfolio_url TEXT,
  resume_url TEXT,
  cover_letter TEXT,
  resume_key TEXT UNIQUE,
  resume_filename TEXT,
  resume_kind TEXT,
  resume_size INTEGER,
  resume_sha256 TEXT,
  resume_scan TEXT,
  CONSTRAINT resume_whole_or_absent CHECK (
    (resume_key IS NULL AND resume_filename IS NULL AND resume_kind IS NULL AND resume_size IS NULL
      AND resume_sha256 IS NULL)
    OR (resume_key IS NOT NULL AND resume_filename IS NOT NULL AND resume_kind IS NOT NULL AND resume_size IS NOT NULL
      AND resume_sha256 IS NOT NULL)
  )
) STRICT;

CREATE INDEX application_received ON application (received_at, reference);
CREATE INDEX application_unscanned ON application (received_at) WHERE resume_scan = 'unscanned';

CREATE TABLE subscriber (
  email_key TEXT PRIMARY KEY NOT NULL,
  email TEXT NOT NULL,
  status TEXT NOT NULL,
  source TEXT NOT NULL,
  last_source TEXT NOT NULL,
  subscribed_at INTEGER NOT NULL,
  -- Null while no welcome mail was stored: the address may not be mailed.
  welcomed_at INTEGER,
  confirmed_at INTEGER,
  unsubscribed_at INTEGER,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL
) STRICT;

CREATE INDEX subscriber_subscribed ON subscriber (subscribed_at, email_key);

-- Only hashes: who reads the database cannot confirm or unsubscribe anybody.
CREATE TABLE newsletter_token (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_key TEXT NOT NULL REFERENCES subscriber (email_key) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX newsletter_token_subscriber ON newsletter_token (email_key);

-- No foreign key on the reference: it names a row of one of two tables, and a mail outlives what it was about.
CREATE TABLE mail (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  reference TEXT,
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  reply_to TEXT,
  text TEXT,
  html TEXT,
  headers TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- The submitter's address as it is compared, for mails that nobody of the team gets.
  automatic_to TEXT,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  sent_at INTEGER,
  provider_id TEXT,
  last_error TEXT,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT unsent_has_body CHECK (status = 'sent' OR (text IS NOT NULL AND html IS NOT NULL AND headers IS NOT NULL))
) STRICT;

-- What waits is few among what was ever sent. The time of birth makes the index enough for counting the backlog.
CREATE INDEX mail_due ON mail (due_at, created_at) WHERE status = 'queued';
CREATE INDEX mail_failed ON mail (created_at) WHERE status = 'failed';
CREATE INDEX mail_created ON mail (created_at);

-- How many automatic mails an address got within a day.
CREATE INDEX mail_automatic ON mail (automatic_to, created_at) WHERE automatic_to IS NOT NULL;

-- Addresses that get no automatic mail any more, and those that may be mailed again: providers repeat their news and
-- mix up its order, so the time of the latest is kept whatever it said.
CREATE TABLE suppression (
  email_key TEXT PRIMARY KEY NOT NULL,
  -- Null: lifted.
  reason TEXT,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys under which callers may repeat themselves. Only hashes: a key may be as good as a password elsewhere.
CREATE TABLE idempotency (
  procedure TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reference TEXT,
  receipt_mail TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (procedure, key_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_created ON idempotency (created_at);

-- What the readiness check writes to.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  writes INTEGER NOT NULL
) STRICT;

INSERT INTO probe (id, writes) VALUES (1, 0);
