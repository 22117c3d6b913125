-- What became of what a row is about, in a word: repeated from the entry, so that rows
-- can be looked for.
ALTER TABLE audit ADD COLUMN state TEXT NOT NULL DEFAULT '';
