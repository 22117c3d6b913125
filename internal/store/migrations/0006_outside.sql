-- What in a person's folders has come from outside by way of loci. It outlives the
-- conversation in which that happened, since the file does.
CREATE TABLE outside (
  path      TEXT NOT NULL PRIMARY KEY, -- real: absolute, without links
  source    TEXT NOT NULL,
  whole     INTEGER NOT NULL CHECK (whole IN (0, 1)),
  principal TEXT NOT NULL,
  session   TEXT NOT NULL, -- which may be gone; '' for none
  time      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
