-- Whether the host of an e-mail address gives throw-away addresses to anybody. What was stored before was not looked at.
ALTER TABLE inquiry ADD COLUMN email_disposable INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application ADD COLUMN email_disposable INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscriber ADD COLUMN email_disposable INTEGER NOT NULL DEFAULT 0;

-- Challenges whose solutions were taken: each is good for one submission. Only hashes, and only until they expire.
CREATE TABLE spent_challenge (
  challenge_hash TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_challenge_expires ON spent_challenge (expires_at);
