-- The last node whose tool results the model reads in short; '' for none.
ALTER TABLE session ADD COLUMN digested TEXT NOT NULL DEFAULT '';
