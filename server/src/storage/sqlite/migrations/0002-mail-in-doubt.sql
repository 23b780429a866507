-- Null: the provider certainly does not have the mail. Otherwise it may have been sent all the same, and the provider has
-- said this often since then that it knows no such mail. What is leased at this moment gets its doubt from its lease.
ALTER TABLE mail ADD COLUMN denials INTEGER;
