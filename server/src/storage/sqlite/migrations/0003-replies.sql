-- What operators write to a person. The mail is written from it when it is sent.
CREATE TABLE reply (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  -- E-mail address of the operator.
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- The status before the submission was set to done with it, and the version after that. Null: it was not.
  status_before TEXT,
  version_after INTEGER,
  CONSTRAINT done_is_whole CHECK ((status_before IS NULL) = (version_after IS NULL))
) STRICT;

CREATE INDEX reply_submission ON reply (submission, id);

-- Mails that hold a reply: the one to the person, and the team's copy. They are of its submission, too.
ALTER TABLE mail ADD COLUMN reply INTEGER REFERENCES reply (id) ON DELETE CASCADE;

CREATE INDEX mail_reply ON mail (reply) WHERE reply IS NOT NULL;

-- Whom a mail tells of what was assigned to them. What it says is JSON in digest: references, and who assigned them.
ALTER TABLE mail ADD COLUMN operator INTEGER REFERENCES operator (id) ON DELETE CASCADE;

CREATE INDEX mail_operator ON mail (operator) WHERE operator IS NOT NULL;

-- What operators fill a reply with.
CREATE TABLE saved_answer (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  -- With placeholders, as {name}.
  text TEXT NOT NULL
) STRICT;
