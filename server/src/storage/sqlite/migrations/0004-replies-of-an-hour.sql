-- The replies of an operator within an hour, those that were taken back and erased included.
CREATE INDEX audit_reply ON audit (operator, at) WHERE action = 'reply';
