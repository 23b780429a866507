-- needs 0001
-- Tags, and deliveries of webhooks that say what changed or who was erased.

-- Words that operators put on submissions.
CREATE TABLE tag (
  submission BIGINT NOT NULL REFERENCES submission (arrival) ON DELETE CASCADE,
  -- Of the submission: who may see it may see its tags.
  kind TEXT COLLATE "C" NOT NULL,
  word TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (submission, word)
);

CREATE INDEX tag_word ON tag (word, kind, submission);

-- The same words as a JSON list, to be read with the submission; null: none.
ALTER TABLE submission ADD COLUMN tags TEXT;

CREATE INDEX subscriber_source ON subscriber (source, arrival);

-- JSON without personal data: what changed of the submission, or what is told of a person who was erased.
ALTER TABLE webhook_delivery ADD COLUMN detail TEXT;
ALTER TABLE webhook_delivery DROP CONSTRAINT delivery_is_about_one_thing;
ALTER TABLE webhook_delivery ADD CONSTRAINT delivery_is_about_one_thing CHECK (submission IS NULL OR subscriber IS NULL);
ALTER TABLE webhook_delivery ADD CONSTRAINT delivery_is_about_something CHECK (
  submission IS NOT NULL OR subscriber IS NOT NULL OR detail IS NOT NULL
);
