-- needs 0001
-- Mails to a stranger that an operator sent again: the address, as `submission.email_key`, and when. They count against the
-- cap of the address.
ALTER TABLE mail ADD COLUMN again_key TEXT;
ALTER TABLE mail ADD COLUMN again_at BIGINT;

CREATE INDEX mail_again ON mail (again_key, again_at) WHERE again_key IS NOT NULL;
