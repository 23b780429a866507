-- Which tags an entry of the audit log is about. The log outlives the submission, and a tag may describe a person.
CREATE TABLE tag_change (
  -- `audit.id`
  entry INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  added TEXT,
  removed TEXT
) STRICT;

CREATE INDEX tag_change_submission ON tag_change (submission, entry);
