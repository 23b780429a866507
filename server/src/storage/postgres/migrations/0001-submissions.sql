-- needs 0001
-- Submissions and the outbox. Times are milliseconds since the epoch, JSON is text: the same rows as in the other engine.
-- What is compared or ordered is collated "C", so that the order is that of the bytes, whatever the database's locale.

CREATE TABLE inquiry (
  reference TEXT COLLATE "C" PRIMARY KEY,
  received_at BIGINT NOT NULL,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status TEXT NOT NULL,
  name TEXT NOT NULL,
  company TEXT,
  email TEXT NOT NULL,
  -- Whether the host of the address gives throw-away addresses to anybody.
  email_disposable INTEGER NOT NULL DEFAULT 0,
  selected_package_ids TEXT NOT NULL
);

-- The order of exports; the reference breaks ties.
CREATE INDEX inquiry_received ON inquiry (received_at, reference);

CREATE TABLE application (
  reference TEXT COLLATE "C" PRIMARY KEY,
  received_at BIGINT NOT NULL,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status TEXT NOT NULL,
  full_name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_disposable INTEGER NOT NULL DEFAULT 0,
  position TEXT NOT NULL,
  phone TEXT,
  company TEXT,
  availability TEXT,
  accent TEXT,
  portfolio_url TEXT,
  resume_url TEXT,
  cover_letter TEXT,
  resume_key TEXT COLLATE "C" UNIQUE,
  resume_filename TEXT,
  resume_kind TEXT,
  resume_size BIGINT,
  resume_sha256 TEXT,
  resume_scan TEXT,
  CONSTRAINT resume_whole_or_absent CHECK (
    num_nulls(resume_key, resume_filename, resume_kind, resume_size, resume_sha256) IN (0, 5)
  )
);

CREATE INDEX application_received ON application (received_at, reference);
CREATE INDEX application_unscanned ON application (received_at) WHERE resume_scan = 'unscanned';

CREATE TABLE subscriber (
  email_key TEXT COLLATE "C" PRIMARY KEY,
  email TEXT NOT NULL,
  email_disposable INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  source TEXT NOT NULL,
  last_source TEXT NOT NULL,
  subscribed_at BIGINT NOT NULL,
  -- Null while no welcome mail was stored: the address may not be mailed.
  welcomed_at BIGINT,
  confirmed_at BIGINT,
  unsubscribed_at BIGINT,
  door TEXT NOT NULL,
  request_id TEXT NOT NULL
);

CREATE INDEX subscriber_subscribed ON subscriber (subscribed_at, email_key);

-- Only hashes: who reads the database cannot confirm or unsubscribe anybody.
CREATE TABLE newsletter_token (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  email_key TEXT COLLATE "C" NOT NULL REFERENCES subscriber (email_key) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT
);

CREATE INDEX newsletter_token_subscriber ON newsletter_token (email_key);

-- No foreign key on the reference: it names a row of one of two tables, and a mail outlives what it was about.
CREATE TABLE mail (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT NOT NULL,
  reference TEXT COLLATE "C",
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  reply_to TEXT,
  text TEXT,
  html TEXT,
  headers TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- The submitter's address as it is compared, for mails that nobody of the team gets.
  automatic_to TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  due_at BIGINT,
  lease_owner TEXT COLLATE "C",
  lease_until BIGINT,
  -- Null: the provider certainly does not have the mail.
  denials INTEGER,
  sent_at BIGINT,
  provider_id TEXT,
  last_error TEXT,
  CONSTRAINT queued_has_due_time CHECK ((status = 'queued') = (due_at IS NOT NULL)),
  CONSTRAINT unsent_has_body CHECK (status = 'sent' OR (text IS NOT NULL AND html IS NOT NULL AND headers IS NOT NULL))
);

-- What waits is few among what was ever sent.
CREATE INDEX mail_due ON mail (due_at, created_at) WHERE status = 'queued';
CREATE INDEX mail_failed ON mail (created_at) WHERE status = 'failed';
CREATE INDEX mail_created ON mail (created_at);

-- How many automatic mails an address got within a day.
CREATE INDEX mail_automatic ON mail (automatic_to, created_at) WHERE automatic_to IS NOT NULL;

-- Addresses that get no automatic mail any more, and those that may be mailed again: providers repeat their news and
-- mix up its order, so the time of the latest is kept whatever it said.
CREATE TABLE suppression (
  email_key TEXT COLLATE "C" PRIMARY KEY,
  -- Null: lifted.
  reason TEXT,
  changed_at BIGINT NOT NULL
);

-- Keys under which callers may repeat themselves. Only hashes: a key may be as good as a password elsewhere.
CREATE TABLE idempotency (
  procedure TEXT COLLATE "C" NOT NULL,
  key_hash TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  reference TEXT COLLATE "C",
  receipt_mail TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (procedure, key_hash)
);

CREATE INDEX idempotency_created ON idempotency (created_at);

-- Challenges whose solutions were taken: each is good for one submission. Only hashes, and only until they expire.
CREATE TABLE spent_challenge (
  challenge_hash TEXT COLLATE "C" PRIMARY KEY,
  expires_at BIGINT NOT NULL
);

CREATE INDEX spent_challenge_expires ON spent_challenge (expires_at);

-- What the readiness check writes to.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  writes BIGINT NOT NULL
);

INSERT INTO probe (id, writes) VALUES (1, 0);
