-- Second factors, links that sign in, where sessions were begun, and the key that signs cookies.

-- Signs the cookie of a device that has signed in, and what a browser keeps while it is at an identity provider.
ALTER TABLE store ADD COLUMN cookie_key TEXT NOT NULL DEFAULT '';
UPDATE store SET cookie_key = lower(hex(randomblob(32)));

-- The second factor (RFC 6238), in base 32. Null: none is set.
ALTER TABLE operator ADD COLUMN totp_secret TEXT;
-- The latest time step whose code was used: a code works once.
ALTER TABLE operator ADD COLUMN totp_step INTEGER;
-- SHA-256 of the token in a link that signs the operator in, until it is used.
ALTER TABLE operator ADD COLUMN sign_in_hash TEXT;
ALTER TABLE operator ADD COLUMN sign_in_expires_at INTEGER;

CREATE UNIQUE INDEX operator_sign_in ON operator (sign_in_hash) WHERE sign_in_hash IS NOT NULL;

-- Codes that replace the second factor, once each.
CREATE TABLE recovery_code (
  operator INTEGER NOT NULL REFERENCES operator (id) ON DELETE CASCADE,
  -- SHA-256.
  code_hash TEXT NOT NULL,
  PRIMARY KEY (operator, code_hash)
) STRICT, WITHOUT ROWID;

-- What the browser called itself, and the network of the client address.
ALTER TABLE session ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN network TEXT NOT NULL DEFAULT '';
-- Whether more than a password vouched for it.
ALTER TABLE session ADD COLUMN strong INTEGER NOT NULL DEFAULT 0;
