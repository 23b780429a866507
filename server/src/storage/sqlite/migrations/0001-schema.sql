-- The schema of 0.1.0. Times are milliseconds since the epoch, JSON is text. The other engine has the same rows.

-- One row, made with the database.
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- A vault bears the same identity: a restored or empty database must not have its resumes swept.
  identity TEXT NOT NULL,
  -- Key of the permutation that turns a day's counter into reference numbers.
  reference_key TEXT NOT NULL,
  -- What the readiness check writes to.
  probe INTEGER NOT NULL,
  -- Signs the cookie of a device that has signed in, and what a browser keeps while it is at an identity provider.
  cookie_key TEXT NOT NULL
) STRICT;

INSERT INTO store VALUES (1, lower(hex(randomblob(16))), lower(hex(randomblob(32))), 0, lower(hex(randomblob(32))));

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
  -- The first change of the status away from new by an operator.
  responded_at INTEGER,
  -- When its receipt was stored. Null: none was. At most 3 a day go to one address.
  receipt_at INTEGER,
  resume_key TEXT,
  -- Null without a resume.
  resume_scan TEXT,
  -- Until then one process scans the resume.
  resume_lease_until INTEGER,
  -- This and `disposable` are filled by the job that makes submissions searchable, not when they are accepted.
  resume_sha256 TEXT,
  -- The address belongs to a provider of throw-away addresses.
  disposable INTEGER NOT NULL DEFAULT 0,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- The other fields of the kind, by their names in the record.
  fields TEXT NOT NULL,
  CONSTRAINT resume_has_scan CHECK ((resume_key IS NULL) = (resume_scan IS NULL))
) STRICT;

CREATE UNIQUE INDEX submission_day_number ON submission (day_number, kind);
-- The receipts of an address within a day, and everything of one person, which is then sorted. There is no second index of
-- addresses: they come in no order, so that it would write a page of its own for nearly every submission.
CREATE INDEX submission_email ON submission (email_key, receipt_at);
CREATE UNIQUE INDEX submission_resume ON submission (resume_key) WHERE resume_key IS NOT NULL;
CREATE INDEX submission_unscanned ON submission (arrival) WHERE resume_scan = 'unscanned';
CREATE INDEX submission_same_resume ON submission (resume_sha256, arrival) WHERE resume_sha256 IS NOT NULL;
CREATE INDEX submission_responded ON submission (responded_at, kind, received_at) WHERE responded_at IS NOT NULL;
-- By time. Arrival numbers are no time: clocks are set, and processes have their own.
CREATE INDEX submission_received ON submission (kind, received_at) WHERE status <> 'spam';
CREATE INDEX submission_spam ON submission (received_at) WHERE status = 'spam';
-- The lists of the inbox. Each holds all that a list filters by, so that rows that are passed over are not read.
CREATE INDEX submission_kind ON submission (kind, arrival, status, assignee, resume_scan, disposable);
CREATE INDEX submission_status ON submission (status, arrival, kind, assignee, resume_scan, disposable);
CREATE INDEX submission_assignee ON submission (assignee, arrival, kind, status, resume_scan, disposable)
  WHERE assignee IS NOT NULL;
CREATE INDEX submission_disposable ON submission (arrival, kind, status, assignee, resume_scan) WHERE disposable = 1;

-- How many numbers of a day are taken.
CREATE TABLE day_counter (
  kind TEXT NOT NULL,
  day INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  PRIMARY KEY (kind, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE INDEX note_submission ON note (submission, id);

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
  -- The language of the latest form.
  language TEXT NOT NULL,
  -- The privacy notice that was shown, as JSON; null where the form did not say. That of an inquiry or application is
  -- among its fields.
  consent TEXT,
  -- Who asked first: evidence of consent.
  door TEXT NOT NULL,
  request_id TEXT NOT NULL
) STRICT;

CREATE INDEX subscriber_status ON subscriber (status, arrival);

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
  -- What it is about: one of the three.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT REFERENCES subscriber (email_key) ON DELETE CASCADE,
  -- A digest is about a day (yyyymmdd, UTC): each day has one. What it says is JSON without personal data.
  digest TEXT,
  digest_day INTEGER,
  -- The tokens of a welcome mail's links as JSON, until it is sent.
  tokens TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Null once the mail is sent, failed or in doubt.
  due_at INTEGER,
  -- When the due time was set; null: when the mail was stored.
  scheduled_at INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  -- Null: the provider certainly does not have the mail. Otherwise it may have been sent, and the provider has said this
  -- often since then that it knows no such mail.
  denials INTEGER,
  -- Null while it is queued.
  ended_at INTEGER,
  -- The provider's id of a sent mail, otherwise why the last try failed.
  last_answer TEXT,
  -- Of a mail to a stranger that an operator sent again: the address, as `submission.email_key`, and when. They count
  -- against the cap of the address.
  again_key TEXT,
  again_at INTEGER,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT about_one_thing CHECK ((submission IS NOT NULL) + (subscriber IS NOT NULL) + (digest IS NOT NULL) = 1)
) STRICT;

CREATE INDEX mail_submission ON mail (submission) WHERE submission IS NOT NULL;
-- The welcome mails of an address within a day.
CREATE INDEX mail_subscriber ON mail (subscriber, created_at) WHERE subscriber IS NOT NULL;
CREATE UNIQUE INDEX mail_digest ON mail (digest_day) WHERE digest_day IS NOT NULL;
CREATE INDEX mail_created ON mail (created_at);
CREATE INDEX mail_again ON mail (again_key, again_at) WHERE again_key IS NOT NULL;
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
  -- What it stands for: one of the two; erasing that erases the key. A subscriber is an address as it is compared, which
  -- is no row of the table for a subscription that was spam.
  submission INTEGER REFERENCES submission (arrival) ON DELETE CASCADE,
  subscriber TEXT,
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
  -- When the due time was set; null: when the event happened.
  scheduled_at INTEGER,
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

-- Search. External content: the words are not stored a second time. A deleted row leaves no word behind (secure-delete).
CREATE TABLE search_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Submissions up to this arrival number are searchable.
  indexed_to INTEGER NOT NULL
) STRICT;

INSERT INTO search_progress VALUES (1, 0);

CREATE VIEW submission_who AS
SELECT arrival, name, email, CASE WHEN json_valid(fields) THEN fields ->> 'company' END AS company FROM submission;

CREATE VIRTUAL TABLE search_who USING fts5 (
  name, email, company,
  content = 'submission_who', content_rowid = 'arrival',
  tokenize = "unicode61 remove_diacritics 2", prefix = '2 3', detail = column, columnsize = 0
);

INSERT INTO search_who (search_who, rank) VALUES ('secure-delete', 1);

-- Everything that a person wrote.
CREATE VIEW submission_letter AS
SELECT arrival,
  concat_ws(' ', name, email, CASE WHEN json_valid(fields) THEN (
    SELECT group_concat(value, ' ') FROM json_each(fields) WHERE key NOT IN ('resume', 'language', 'consent')
  ) END) AS words
FROM submission;

CREATE VIRTUAL TABLE search_letter USING fts5 (
  words,
  content = 'submission_letter', content_rowid = 'arrival',
  tokenize = "unicode61 remove_diacritics 2", detail = column, columnsize = 0
);

INSERT INTO search_letter (search_letter, rank) VALUES ('secure-delete', 1);

-- Submissions of past days (yyyymmdd, UTC) without spam, and active subscribers, as they were when the day was counted.
CREATE TABLE day_count (
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  counted INTEGER NOT NULL,
  PRIMARY KEY (day, kind)
) STRICT, WITHOUT ROWID;

-- Resumes of erased submissions whose bytes are still to be discarded.
CREATE TABLE erased_resume (
  resume_key TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE operator (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL,
  -- The address as it is compared.
  email_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  -- argon2id, PHC string. Null: none is set.
  password TEXT,
  -- SHA-256 of the token in the invitation's link, until it is used.
  invitation_hash TEXT,
  invitation_expires_at INTEGER,
  created_at INTEGER NOT NULL,
  oidc_issuer TEXT,
  oidc_subject TEXT,
  -- The second factor (RFC 6238), in base 32. Null: none is set.
  totp_secret TEXT,
  -- The latest time step whose code was used: a code works once.
  totp_step INTEGER,
  -- SHA-256 of the token in a link that signs the operator in, until it is used.
  sign_in_hash TEXT,
  sign_in_expires_at INTEGER,
  CONSTRAINT invitation_expires CHECK ((invitation_hash IS NULL) = (invitation_expires_at IS NULL)),
  CONSTRAINT oidc_is_whole CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL))
) STRICT;

CREATE UNIQUE INDEX operator_invitation ON operator (invitation_hash) WHERE invitation_hash IS NOT NULL;
CREATE UNIQUE INDEX operator_oidc ON operator (oidc_issuer, oidc_subject) WHERE oidc_issuer IS NOT NULL;
CREATE UNIQUE INDEX operator_sign_in ON operator (sign_in_hash) WHERE sign_in_hash IS NOT NULL;

-- Codes that replace the second factor, once each.
CREATE TABLE recovery_code (
  operator INTEGER NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
  -- SHA-256.
  code_hash TEXT NOT NULL,
  PRIMARY KEY (operator, code_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  -- SHA-256 of the cookie's value.
  id_hash TEXT PRIMARY KEY NOT NULL,
  operator INTEGER NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  -- To the minute.
  seen_at INTEGER NOT NULL,
  -- What the browser called itself, and the network of the client address.
  device TEXT NOT NULL DEFAULT '',
  network TEXT NOT NULL DEFAULT '',
  -- Whether more than a password vouched for it.
  strong INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX session_operator ON session (operator);
CREATE INDEX session_seen ON session (seen_at);

CREATE TABLE api_token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  -- E-mail address of the operator who made it, or the command line.
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- To the minute.
  used_at INTEGER
) STRICT;

CREATE INDEX api_token_creator ON api_token (created_by);

-- What operators did. Only ever added to.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- E-mail address of the operator, or what acted instead: the command line, retention.
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  -- A reference or the name of a list. Never the address of a person who may be erased.
  subject TEXT NOT NULL,
  -- JSON.
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_subject ON audit (subject, id);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;

-- INSERT OR REPLACE deletes without the trigger above.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE id = new.id)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;
