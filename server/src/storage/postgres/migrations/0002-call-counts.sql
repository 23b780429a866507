-- needs 0001
-- How often each client called in its window, for all processes. Not logged: a crash of the server may empty it, which
-- begins the windows anew, and counting must not cost a sync. Shape and column types are rate-limiter-flexible's.
CREATE UNLOGGED TABLE call_count (
  key VARCHAR(255) PRIMARY KEY,
  points INTEGER NOT NULL DEFAULT 0,
  expire BIGINT
);

-- Windows that are over are looked for by their ends.
CREATE INDEX call_count_expire ON call_count (expire);
