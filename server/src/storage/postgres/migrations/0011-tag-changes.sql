-- needs 0001
-- Which tags an entry of the audit log is about. The log outlives the submission, and a tag may describe a person.
CREATE TABLE tag_change (
  -- `audit.id`
  entry BIGINT PRIMARY KEY,
  submission BIGINT NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  added TEXT,
  removed TEXT
);

CREATE INDEX tag_change_submission ON tag_change (submission, entry);
