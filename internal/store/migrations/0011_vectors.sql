-- The vectors of texts that loci compares requests with, by the model that made them.
-- All of it can be made again.
CREATE TABLE vector (
  text  TEXT NOT NULL PRIMARY KEY,
  model TEXT NOT NULL,
  data  BLOB NOT NULL -- 32-bit floats, the least significant byte first
) STRICT;
