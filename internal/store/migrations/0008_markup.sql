-- How the model of a session was taught to write its calls as text. Until now there
-- was one way, which the empty one stands for.
ALTER TABLE session ADD COLUMN markup TEXT NOT NULL DEFAULT '';
