-- needs 0001
-- Search by words that the service splits and folds in a new way. The release before goes on with `indexed_to` and its words,
-- and leaves rows alone that have others.

-- Submissions up to this arrival number are searchable.
ALTER TABLE search_progress ADD COLUMN words_to BIGINT NOT NULL DEFAULT 0;
-- Of these, those up to this number are still to be indexed by the new words, the newest first.
ALTER TABLE search_progress ADD COLUMN backlog_to BIGINT NOT NULL DEFAULT 0;
-- Only the other engine leaves words of erased submissions in its index for a while.
ALTER TABLE search_progress ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

UPDATE search_progress SET words_to = indexed_to, backlog_to = indexed_to;
