-- An index less: everything of one person is found by the index of its receipts and sorted. Addresses come in no order,
-- so that each index of them writes a page of its own for nearly every submission.
DROP INDEX submission_person;
