-- Files of replies, which the vault keeps as it keeps resumes.
CREATE TABLE reply_file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  -- Null: it is attached to what the author has not sent, or has taken back.
  reply INTEGER REFERENCES reply (id) ON DELETE SET NULL,
  author TEXT NOT NULL,
  -- When it was attached, and then when its reply was sent.
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  file_key TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX reply_file_key ON reply_file (file_key);
CREATE INDEX reply_file_submission ON reply_file (submission, id);
CREATE INDEX reply_file_reply ON reply_file (reply, id) WHERE reply IS NOT NULL;
CREATE INDEX reply_file_unsent ON reply_file (at) WHERE reply IS NULL;

-- However a row goes, also with its submission, its bytes are to be discarded.
CREATE TRIGGER reply_file_is_removed AFTER DELETE ON reply_file BEGIN
  INSERT OR IGNORE INTO erased_resume (resume_key) VALUES (old.file_key);
END;
