-- What calls did and what people decided, each row chained to the one before by a
-- keyed hash; see package audit. The columns between n and entry repeat what the
-- entry says. The log stays when a session goes.
CREATE TABLE audit (
  n         INTEGER PRIMARY KEY, -- 1, 2, 3 …
  time      INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  intent    INTEGER NOT NULL, -- of an outcome: n of its intent; 0: none
  principal TEXT NOT NULL,
  session   TEXT NOT NULL,
  tool      TEXT NOT NULL,
  entry     BLOB NOT NULL,
  hash      BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE INDEX audit_session ON audit (session) WHERE session <> '';
CREATE INDEX audit_tool ON audit (tool) WHERE tool <> '';
CREATE INDEX audit_outcome ON audit (intent) WHERE intent <> 0;

-- The intents that have no outcome yet, so that a start finds them without reading
-- the whole log. What is said of them is in the log.
CREATE TABLE audit_open (n INTEGER PRIMARY KEY) STRICT;

-- Rows are only added, each with the next number: so none can be replaced either.
CREATE TRIGGER audit_grows BEFORE INSERT ON audit
WHEN NEW.n IS NOT (SELECT coalesce(max(n), 0) + 1 FROM audit)
BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
