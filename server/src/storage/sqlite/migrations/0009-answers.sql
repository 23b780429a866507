-- What persons write back, and other mails about a submission that came in.
CREATE TABLE answer (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  -- When it came in.
  at INTEGER NOT NULL,
  -- What the same mail has when it comes again: a hash of its Message-ID, or of its content where it has none.
  identity TEXT NOT NULL,
  -- As the sender's program wrote it, for replies. Null: it wrote none.
  message_id TEXT,
  sender_address TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  -- person: the submission's, and the mail is authentic; unverified; automatic: a program wrote it.
  sender TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  -- The text without what is quoted. Null: nothing is.
  reply TEXT
) STRICT;

CREATE UNIQUE INDEX answer_identity ON answer (submission, identity);
CREATE INDEX answer_submission ON answer (submission, id);
CREATE INDEX answer_at ON answer (submission, sender, at);

-- Its files. The vault has those with a key; of the others only the name is known.
CREATE TABLE answer_file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  answer INTEGER NOT NULL REFERENCES answer (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- pdf, doc, docx, png or jpeg
  kind TEXT,
  sha256 TEXT,
  file_key TEXT,
  -- As submission.resume_scan.
  scan TEXT,
  lease_until INTEGER,
  CONSTRAINT kept_is_whole CHECK ((file_key IS NULL) = (kind IS NULL) AND (file_key IS NULL) = (sha256 IS NULL)
    AND (file_key IS NULL) = (scan IS NULL))
) STRICT;

CREATE INDEX answer_file_answer ON answer_file (answer);
CREATE UNIQUE INDEX answer_file_key ON answer_file (file_key) WHERE file_key IS NOT NULL;
CREATE INDEX answer_file_unscanned ON answer_file (id) WHERE scan = 'unscanned';

-- Answers beyond the limits of a day: they are counted, not kept.
CREATE TABLE answer_left_out (
  submission INTEGER PRIMARY KEY REFERENCES submission (arrival) ON DELETE CASCADE,
  count INTEGER NOT NULL
) STRICT;

-- Mails that fit no submission. They are forgotten after 30 days.
CREATE TABLE unmatched (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  identity TEXT NOT NULL,
  message_id TEXT,
  sender_address TEXT NOT NULL,
  -- As it is compared, for erasing and exporting a person.
  sender_key TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  -- 1: a program wrote it.
  automatic INTEGER NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  reply TEXT,
  -- The names of its files, a JSON array: none is kept.
  files TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX unmatched_identity ON unmatched (identity);
CREATE INDEX unmatched_at ON unmatched (at);
CREATE INDEX unmatched_sender ON unmatched (sender_key);

-- When operators were last told of an answer.
ALTER TABLE submission ADD COLUMN answer_told_at INTEGER;

-- What an event tells of beside its submission.
ALTER TABLE webhook_delivery ADD COLUMN answer INTEGER REFERENCES answer (id) ON DELETE CASCADE;

CREATE INDEX webhook_delivery_answer ON webhook_delivery (answer) WHERE answer IS NOT NULL;

-- Receipts of submissions from this number on have Message-IDs that say which submission it is.
ALTER TABLE store ADD COLUMN receipt_ids_since INTEGER NOT NULL DEFAULT 1;
UPDATE store SET receipt_ids_since = (SELECT coalesce(max(arrival), 0) + 1 FROM submission);

-- Submissions that are to be made searchable again, because there is more to find.
CREATE TABLE search_again (
  submission INTEGER PRIMARY KEY REFERENCES submission (arrival) ON DELETE CASCADE
) STRICT;

CREATE TRIGGER answer_is_searched_written AFTER INSERT ON answer BEGIN
  INSERT OR IGNORE INTO search_again SELECT arrival FROM submission WHERE arrival = new.submission;
END;
CREATE TRIGGER note_is_searched_written AFTER INSERT ON note BEGIN
  INSERT OR IGNORE INTO search_again SELECT arrival FROM submission WHERE arrival = new.submission;
END;
CREATE TRIGGER note_is_searched_edited AFTER UPDATE OF text ON note BEGIN
  INSERT OR IGNORE INTO search_again SELECT arrival FROM submission WHERE arrival = new.submission;
END;
CREATE TRIGGER reply_is_searched_written AFTER INSERT ON reply BEGIN
  INSERT OR IGNORE INTO search_again SELECT arrival FROM submission WHERE arrival = new.submission;
END;
CREATE TRIGGER reply_is_searched_undone AFTER DELETE ON reply BEGIN
  INSERT OR IGNORE INTO search_again SELECT arrival FROM submission WHERE arrival = old.submission;
END;

-- Notes and replies that are there: all submissions are made searchable anew.
UPDATE search_progress SET backlog_to = words_to;
