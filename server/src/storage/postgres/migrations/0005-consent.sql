-- needs 0002
-- The privacy notice that a subscriber was shown, as JSON; null where the form did not tell. That of an inquiry or
-- application is among its fields.
ALTER TABLE subscriber ADD COLUMN consent TEXT;
