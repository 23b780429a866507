-- needs 0002
-- The language of the latest form that an address subscribed with. Forms before this were taken as English.
ALTER TABLE subscriber ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
