-- Times are Unix milliseconds. An absent text is '', except in columns that a
-- key refers to: there it is NULL.

CREATE TABLE session (
  id            TEXT NOT NULL PRIMARY KEY,
  principal     TEXT NOT NULL,
  thread        TEXT NOT NULL,
  model         TEXT NOT NULL,
  title         TEXT NOT NULL,
  tier          TEXT NOT NULL,
  system        TEXT NOT NULL,
  client_system TEXT NOT NULL,
  tools         TEXT NOT NULL, -- JSON array of names
  folders       TEXT NOT NULL, -- JSON array of paths
  working       TEXT NOT NULL, -- path; '' is as configured
  base          TEXT NOT NULL, -- first node that is still sent; '' is the root
  head          TEXT NOT NULL, -- newest node
  last_seq      INTEGER NOT NULL DEFAULT 0, -- number of the newest event
  created       INTEGER NOT NULL,
  updated       INTEGER NOT NULL
) STRICT;

CREATE INDEX session_thread ON session (principal, thread, created) WHERE thread <> '';
CREATE INDEX session_updated ON session (principal, updated);

-- A node's n counts up, so that a larger one is newer.
CREATE TABLE node (
  n         INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  session   TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  parent    TEXT, -- a node of the same session; NULL at a root
  turn      TEXT NOT NULL,
  principal TEXT NOT NULL, -- the session's, for the two indexes below
  shown     TEXT, -- NULL for the steps that no client sees
  role      TEXT NOT NULL,
  content   TEXT NOT NULL,
  rest      TEXT, -- JSON: what else was sent, such as tool calls
  path_hash BLOB CHECK (length(path_hash) = 32),
  text_hash BLOB CHECK (length(text_hash) = 32),
  created   INTEGER NOT NULL
) STRICT;

CREATE INDEX node_session ON node (session);
CREATE INDEX node_path ON node (principal, path_hash) WHERE path_hash IS NOT NULL;
CREATE INDEX node_text ON node (principal, text_hash) WHERE text_hash IS NOT NULL;

CREATE TABLE event (
  session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  seq     INTEGER NOT NULL CHECK (seq > 0),
  v       INTEGER NOT NULL,
  turn    TEXT NOT NULL,
  time    INTEGER NOT NULL,
  type    TEXT NOT NULL,
  data    TEXT NOT NULL, -- JSON
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

-- The turns that have started and not finished: seq is their first event, text
-- and reasoning are what they had said when that was last stored.
CREATE TABLE running (
  session   TEXT NOT NULL,
  turn      TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  text      TEXT NOT NULL DEFAULT '',
  reasoning TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session, turn),
  FOREIGN KEY (session, seq) REFERENCES event ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE profile (
  server TEXT NOT NULL,
  model  TEXT NOT NULL,
  data   TEXT NOT NULL, -- JSON
  PRIMARY KEY (server, model)
) STRICT, WITHOUT ROWID;

-- What was said and what happened stays as it was written, whoever holds the
-- database. Both go only with their session: when a deletion cascades, the
-- session's own row is gone already. So a parent never goes before its
-- children, and a trigger on insertion does the work of a foreign key, which
-- would need two more indexes.
CREATE TRIGGER node_grows BEFORE INSERT ON node
WHEN NEW.parent IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM node WHERE id = NEW.parent AND session = NEW.session)
BEGIN SELECT RAISE(ABORT, 'a node grows on one of its session'); END;

CREATE TRIGGER node_stays BEFORE UPDATE ON node
BEGIN SELECT RAISE(ABORT, 'a node never changes'); END;

CREATE TRIGGER node_kept BEFORE DELETE ON node
WHEN EXISTS (SELECT 1 FROM session WHERE id = OLD.session)
BEGIN SELECT RAISE(ABORT, 'a node goes only with its session'); END;

CREATE TRIGGER event_stays BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;

CREATE TRIGGER event_kept BEFORE DELETE ON event
WHEN EXISTS (SELECT 1 FROM session WHERE id = OLD.session)
BEGIN SELECT RAISE(ABORT, 'an event goes only with its session'); END;
