-- What operators see and change: triage, notes, the audit log, search, and who may sign in. Frozen: later changes are
-- migrations of their own.

-- The first change of the status away from new by an operator.
ALTER TABLE submission ADD COLUMN responded_at INTEGER;
-- Both are filled by the job that makes submissions searchable, not when they are accepted.
ALTER TABLE submission ADD COLUMN disposable INTEGER NOT NULL DEFAULT 0;
ALTER TABLE submission ADD COLUMN resume_sha256 TEXT;

-- The lists of the inbox. Each holds all that a list filters by, so that rows that are passed over are not read.
CREATE INDEX submission_kind ON submission (kind, arrival, status, assignee, resume_scan, disposable);
CREATE INDEX submission_status ON submission (status, arrival, kind, assignee, resume_scan, disposable);
CREATE INDEX submission_assignee ON submission (assignee, arrival, kind, status, resume_scan, disposable)
  WHERE assignee IS NOT NULL;
CREATE INDEX submission_disposable ON submission (arrival, kind, status, assignee, resume_scan) WHERE disposable = 1;
CREATE INDEX submission_person ON submission (email_key, arrival);
CREATE INDEX submission_same_resume ON submission (resume_sha256, arrival) WHERE resume_sha256 IS NOT NULL;
CREATE INDEX submission_responded ON submission (responded_at, kind, received_at) WHERE responded_at IS NOT NULL;

CREATE INDEX subscriber_status ON subscriber (status, arrival);

CREATE TABLE note (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE INDEX note_submission ON note (submission, id);

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

-- Resumes of erased submissions whose bytes are still to be discarded.
CREATE TABLE erased_resume (
  resume_key TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;

-- Submissions of past days (yyyymmdd, UTC) without spam, and active subscribers, as they were when the day was counted.
CREATE TABLE day_count (
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  counted INTEGER NOT NULL,
  PRIMARY KEY (day, kind)
) STRICT, WITHOUT ROWID;

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
  concat_ws(' ', name, email, CASE WHEN json_valid(fields) THEN concat_ws(' ', fields ->> 'company',
    fields ->> 'position', fields ->> 'phone', fields ->> 'availability', fields ->> 'accent', fields ->> 'portfolioUrl',
    fields ->> 'resumeUrl', fields ->> 'coverLetter', fields ->> 'selectedPackageIds') END) AS words
FROM submission;

CREATE VIRTUAL TABLE search_letter USING fts5 (
  words,
  content = 'submission_letter', content_rowid = 'arrival',
  tokenize = "unicode61 remove_diacritics 2", detail = column, columnsize = 0
);

INSERT INTO search_letter (search_letter, rank) VALUES ('secure-delete', 1);

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
  CONSTRAINT invitation_expires CHECK ((invitation_hash IS NULL) = (invitation_expires_at IS NULL)),
  CONSTRAINT oidc_is_whole CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL))
) STRICT;

CREATE UNIQUE INDEX operator_invitation ON operator (invitation_hash) WHERE invitation_hash IS NOT NULL;
CREATE UNIQUE INDEX operator_oidc ON operator (oidc_issuer, oidc_subject) WHERE oidc_issuer IS NOT NULL;

CREATE TABLE session (
  -- SHA-256 of the cookie's value.
  id_hash TEXT PRIMARY KEY NOT NULL,
  operator INTEGER NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  -- To the minute.
  seen_at INTEGER NOT NULL
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
