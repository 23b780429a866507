-- Both indexes anew: deleting with `secure-delete` could damage one whose rows had been replaced. They are filled from the
-- newest submission on, as after 0006.
DROP TABLE search_who;
DROP TABLE search_letter;

-- Name, address and company, also by the beginning of a word.
CREATE VIRTUAL TABLE search_who USING fts5 (
  words, tokenize = "ascii", prefix = '2 3', detail = none, columnsize = 0
);

-- Everything that the person wrote.
CREATE VIRTUAL TABLE search_letter USING fts5 (
  words, tokenize = "ascii", detail = none, columnsize = 0
);

UPDATE search_progress SET backlog_to = words_to, removed = 0;
