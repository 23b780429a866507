-- Mailboxes that answers are fetched from.

CREATE TABLE inbound_mailbox (
  -- Who signs in where, and to which mailbox.
  mailbox TEXT PRIMARY KEY,
  -- The last mail that was taken: RFC 9051 2.3.1.1. Null: none was looked for yet.
  uid_validity INTEGER,
  uid INTEGER,
  taken_at INTEGER,
  -- The one process that reads it, and until when.
  lease_owner TEXT NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
