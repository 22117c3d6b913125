-- Where the sections of the system block are, and what the model was last sent: sizes
-- and hashes, by which the next call finds out what has moved. Both are JSON.
ALTER TABLE session ADD COLUMN layout TEXT NOT NULL DEFAULT 'null';
ALTER TABLE session ADD COLUMN sent TEXT NOT NULL DEFAULT '{}';
