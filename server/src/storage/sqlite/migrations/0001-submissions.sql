-- Submissions, subscribers and the outbox. Times are milliseconds since the epoch, JSON is text. Frozen: later changes
-- are migrations of their own.

-- One row, made with the database.
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- A vault bears the same identity: a restored or empty database must not have its resumes swept.
  identity TEXT NOT NULL,
  -- Key of the permutation that turns a day's counter into reference numbers.
  reference_key TEXT NOT NULL,
  -- What the readiness check writes to.
  probe INTEGER NOT NULL
) STRICT;

INSERT INTO store VALUES (1, lower(hex(randomblob(16))), lower(hex(randomblob(32))), 0);

-- Inquiries and applications. AUTOINCREMENT: an arrival number is never used twice, also not after erasing the newest.
CREATE TABLE submission (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  -- yyyymmdd * 1,000,000 + the day's counter of this kind. The reference is computed from it, and it from the reference,
  -- so that the index grows at its end: a random one would write a page for each submission.
  day_number INTEGER NOT NULL,
  -- INQ-yyyymmdd-dddddd or APP-yyyymmdd-dddddd, for people who look at the table. Not indexed.
  reference TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  -- The address as it is compared.
  email_key TEXT NOT NULL,
  status TEXT NOT NULL,
  assignee TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  -- When its receipt was stored. Null: none was. At most 3 a day go to one address.
  receipt_at INTEGER,
  resume_key TEXT,
  -- Null without a resume.
  resume_scan TEXT,
  -- Until then one process scans the resume.
  resume_lease_until INTEGER,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- The other fields of the kind, by their names in the record.
  fields TEXT NOT NULL,
  CONSTRAINT resume_has_scan CHECK ((resume_key IS NULL) = (resume_scan IS NULL))
) STRICT;

CREATE UNIQUE INDEX submission_day_number ON submission (day_number, kind);
-- The receipts of an address within a day; everything of one person. By the time of the receipt: a search by arrival
-- would read all submissions that the address sent without getting one.
CREATE INDEX submission_email ON submission (email_key, receipt_at);
CREATE UNIQUE INDEX submission_resume ON submission (resume_key) WHERE resume_key IS NOT NULL;
CREATE INDEX submission_unscanned ON submission (arrival) WHERE resume_scan = 'unscanned';

-- How many numbers of a day are taken.
CREATE TABLE day_counter (
  kind TEXT NOT NULL,
  day INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  PRIMARY KEY (kind, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriber (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The address as it is compared.
  email_key TEXT NOT NULL UNIQUE,
  -- The address as it was first written.
  email TEXT NOT NULL,
  status TEXT NOT NULL,
  source TEXT NOT NULL,
  last_source TEXT NOT NULL,
  subscribed_at INTEGER NOT NULL,
  -- Null while no welcome mail was stored: the address may not be mailed.
  welcomed_at INTEGER,
  confirmed_at INTEGER,
  unsubscribed_at INTEGER,
  -- Who asked first: evidence of consent.
  door TEXT NOT NULL,
  request_id TEXT NOT NULL
) STRICT;

-- Only hashes: a copy of the database confirms and unsubscribes no address.
CREATE TABLE newsletter_token (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_key TEXT NOT NULL REFERENCES subscriber (email_key) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX newsletter_token_subscriber ON newsletter_token (email_key);

-- The outbox. A row says what its mail is about; the text is written when the mail is sent.
CREATE TABLE mail (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  -- What it is about: one of the two.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT REFERENCES subscriber (email_key) ON DELETE CASCADE,
  -- The tokens of a welcome mail's links as JSON, until it is sent.
  tokens TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Null once the mail is sent, failed or in doubt.
  due_at INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  -- Null: the provider certainly does not have the mail. Otherwise it may have been sent, and the provider has said this
  -- often since then that it knows no such mail.
  denials INTEGER,
  sent_at INTEGER,
  provider_id TEXT,
  last_error TEXT,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT about_one_thing CHECK ((submission IS NULL) <> (subscriber IS NULL))
) STRICT;

CREATE INDEX mail_submission ON mail (submission) WHERE submission IS NOT NULL;
-- The welcome mails of an address within a day.
CREATE INDEX mail_subscriber ON mail (subscriber, created_at) WHERE subscriber IS NOT NULL;
-- What waits is few among what was ever sent.
CREATE INDEX mail_due ON mail (due_at, id) WHERE status = 'queued';
CREATE INDEX mail_stopped ON mail (status, id) WHERE status IN ('failed', 'in-doubt');

-- Addresses that get no automatic mail any more, and those that may be mailed again: providers repeat their news and
-- mix up its order, so the time of the latest is kept whatever it said.
CREATE TABLE suppression (
  email_key TEXT PRIMARY KEY NOT NULL,
  -- Null: lifted.
  reason TEXT,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys under which callers may repeat a submission. Only hashes: a key may be as good as a password elsewhere.
CREATE TABLE idempotency (
  procedure TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- What it stands for: one of the two; neither for a subscription that was spam. Erasing that erases the key.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT REFERENCES subscriber (email_key) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (procedure, key_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_created ON idempotency (created_at);
CREATE INDEX idempotency_submission ON idempotency (submission) WHERE submission IS NOT NULL;
CREATE INDEX idempotency_subscriber ON idempotency (subscriber) WHERE subscriber IS NOT NULL;

-- Challenges whose solutions were taken: each is good for one submission. Only hashes, and only until they expire.
CREATE TABLE spent_challenge (
  challenge_hash TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_challenge_expires ON spent_challenge (expires_at);
