-- Search by words that the service splits and folds, so that both engines find alike: any part of a word in scripts without
-- spaces, and letters that Unicode does not take apart. The words are stored beside their index, which FTS5 needs to remove
-- them.
DROP TABLE search_who;
DROP VIEW submission_who;
DROP TABLE search_letter;
DROP VIEW submission_letter;

-- Name, address and company, also by the beginning of a word.
CREATE VIRTUAL TABLE search_who USING fts5 (
  words, tokenize = "ascii", prefix = '2 3', detail = none, columnsize = 0
);

-- Everything that the person wrote.
CREATE VIRTUAL TABLE search_letter USING fts5 (
  words, tokenize = "ascii", detail = none, columnsize = 0
);

-- Submissions up to this arrival number are searchable. `indexed_to` was that of the index before.
ALTER TABLE search_progress ADD COLUMN words_to INTEGER NOT NULL DEFAULT 0;
-- Of these, those up to this number are still to be indexed by the new words, the newest first.
ALTER TABLE search_progress ADD COLUMN backlog_to INTEGER NOT NULL DEFAULT 0;
-- Words of erased submissions are left in pages of the index until it is merged. 0: none; 1: to be begun; 2: begun.
ALTER TABLE search_progress ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

UPDATE search_progress SET words_to = indexed_to, backlog_to = indexed_to;
