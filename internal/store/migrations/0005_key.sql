-- The keys besides those in files. A name is free again once its key is revoked; the
-- rows stay, as the audit log speaks of them.
CREATE TABLE key (
  id        TEXT NOT NULL PRIMARY KEY,
  name      TEXT NOT NULL,
  -- SHA-256 of the secret, which has 130 random bits: a slow hash would protect
  -- nothing more.
  hash      BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  rights    TEXT NOT NULL, -- JSON array
  principal TEXT NOT NULL,
  created   INTEGER NOT NULL,
  used      INTEGER, -- true to a minute; NULL: never
  revoked   INTEGER  -- NULL: it is valid
) STRICT;

CREATE UNIQUE INDEX key_name ON key (name) WHERE revoked IS NULL;

-- What a key may do, and whose it is, never changes; nor does a revoked one come back.
CREATE TRIGGER key_stays BEFORE UPDATE ON key
WHEN (NEW.id, NEW.name, NEW.hash, NEW.rights, NEW.principal, NEW.created)
  IS NOT (OLD.id, OLD.name, OLD.hash, OLD.rights, OLD.principal, OLD.created)
  OR OLD.revoked IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a key is only used or revoked'); END;

CREATE TRIGGER key_kept BEFORE DELETE ON key
BEGIN SELECT RAISE(ABORT, 'a key is only revoked'); END;
