-- Nodes between the client and loci alone: a question, and the answer to it.
ALTER TABLE node ADD COLUMN unsent INTEGER NOT NULL DEFAULT 0;

-- JSON array: what the client runs itself, as the model is offered it.
ALTER TABLE session ADD COLUMN client_tools TEXT NOT NULL DEFAULT '[]';

CREATE TABLE approval (
  id          TEXT NOT NULL PRIMARY KEY,
  principal   TEXT NOT NULL, -- who may answer
  code        TEXT NOT NULL,
  session     TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  turn        TEXT NOT NULL,
  call        TEXT NOT NULL, -- id of the call that waits
  tool        TEXT NOT NULL,
  arguments   TEXT NOT NULL, -- JSON
  preview     TEXT NOT NULL,
  reason      TEXT NOT NULL,
  taint       TEXT NOT NULL,
  question    TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('open', 'yes', 'no', 'expired', 'withdrawn', 'used')),
  asked       INTEGER NOT NULL,
  expires     INTEGER NOT NULL
) STRICT;

CREATE INDEX approval_code ON approval (principal, code);
CREATE INDEX approval_open ON approval (principal) WHERE state = 'open';
CREATE INDEX approval_turn ON approval (session, turn);

-- A yes is for what was shown and is used up once, whoever holds the database.
CREATE TRIGGER approval_stays BEFORE UPDATE ON approval
WHEN NOT (OLD.state = 'open' AND NEW.state IN ('yes', 'no', 'expired', 'withdrawn')
       OR OLD.state = 'yes' AND NEW.state IN ('used', 'no', 'expired', 'withdrawn'))
  OR (NEW.id, NEW.principal, NEW.code, NEW.session, NEW.turn, NEW.call, NEW.tool, NEW.arguments,
      NEW.preview, NEW.reason, NEW.taint, NEW.question, NEW.fingerprint, NEW.asked, NEW.expires)
  IS NOT (OLD.id, OLD.principal, OLD.code, OLD.session, OLD.turn, OLD.call, OLD.tool, OLD.arguments,
      OLD.preview, OLD.reason, OLD.taint, OLD.question, OLD.fingerprint, OLD.asked, OLD.expires)
BEGIN SELECT RAISE(ABORT, 'an approval only gets its answer'); END;

-- The turns that have stopped at questions, at most one a session. They end with
-- their turn.
CREATE TABLE waiting (
  session TEXT NOT NULL UNIQUE,
  turn    TEXT NOT NULL,
  node    TEXT NOT NULL, -- shows the questions
  state   TEXT NOT NULL, -- JSON: what the engine needs to go on
  PRIMARY KEY (session, turn),
  FOREIGN KEY (session, turn) REFERENCES running ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
