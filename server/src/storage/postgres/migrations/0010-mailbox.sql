-- needs 0001
-- Mailboxes that answers are fetched from.

CREATE TABLE inbound_mailbox (
  -- Who signs in where, and to which mailbox.
  mailbox TEXT COLLATE "C" PRIMARY KEY,
  -- The last mail that was taken: RFC 9051 2.3.1.1. Null: none was looked for yet.
  uid_validity BIGINT,
  uid BIGINT,
  taken_at BIGINT,
  -- The one process that reads it, and until when.
  lease_owner TEXT NOT NULL,
  lease_until BIGINT NOT NULL
);
