-- What people read instead of the address. Null: none is set.
ALTER TABLE operator ADD COLUMN name TEXT;
-- Whether the operator is mailed when a submission is assigned to them by someone else.
ALTER TABLE operator ADD COLUMN mail_assigned INTEGER NOT NULL DEFAULT 1;
