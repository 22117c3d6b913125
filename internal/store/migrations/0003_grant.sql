-- What a lasting yes would hold for; '' where a yes holds only once.
ALTER TABLE approval ADD COLUMN binding TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN subject TEXT NOT NULL DEFAULT '';

-- JSON array: where from outside the conversation has read.
ALTER TABLE session ADD COLUMN taint TEXT NOT NULL DEFAULT 'null';

-- Each yes that is remembered. Those of a session go with it.
CREATE TABLE grant_given (
  id        TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL,
  session   TEXT REFERENCES session ON DELETE CASCADE, -- NULL: not bound to one
  approval  TEXT NOT NULL, -- the question that it answered
  tool      TEXT NOT NULL,
  subject   TEXT NOT NULL, -- in words
  binding   TEXT NOT NULL,
  span      TEXT NOT NULL CHECK (span IN ('30m', 'session', 'always')),
  given     INTEGER NOT NULL,
  expires   INTEGER, -- NULL: when it is taken back
  revoked   INTEGER, -- NULL: it is not
  used      INTEGER NOT NULL DEFAULT 0,
  CHECK ((span = 'session') = (session IS NOT NULL))
) STRICT;

CREATE INDEX grant_binding ON grant_given (principal, binding);

DROP TRIGGER approval_stays;

CREATE TRIGGER approval_stays BEFORE UPDATE ON approval
WHEN NOT (OLD.state = 'open' AND NEW.state IN ('yes', 'no', 'expired', 'withdrawn')
       OR OLD.state = 'yes' AND NEW.state IN ('used', 'no', 'expired', 'withdrawn'))
  OR (NEW.id, NEW.principal, NEW.code, NEW.session, NEW.turn, NEW.call, NEW.tool, NEW.arguments,
      NEW.preview, NEW.reason, NEW.taint, NEW.question, NEW.fingerprint, NEW.binding, NEW.subject, NEW.asked, NEW.expires)
  IS NOT (OLD.id, OLD.principal, OLD.code, OLD.session, OLD.turn, OLD.call, OLD.tool, OLD.arguments,
      OLD.preview, OLD.reason, OLD.taint, OLD.question, OLD.fingerprint, OLD.binding, OLD.subject, OLD.asked, OLD.expires)
BEGIN SELECT RAISE(ABORT, 'an approval only gets its answer'); END;

-- A grant is used and taken back; what it is for, and for how long, stays.
CREATE TRIGGER grant_stays BEFORE UPDATE ON grant_given
WHEN (NEW.id, NEW.principal, NEW.session, NEW.approval, NEW.tool, NEW.subject, NEW.binding, NEW.span, NEW.given, NEW.expires)
  IS NOT (OLD.id, OLD.principal, OLD.session, OLD.approval, OLD.tool, OLD.subject, OLD.binding, OLD.span, OLD.given, OLD.expires)
  OR OLD.revoked IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a grant is only used or taken back'); END;
