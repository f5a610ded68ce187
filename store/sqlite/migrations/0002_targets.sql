-- What a node says of targets, JSON; null while it has nothing to say.
ALTER TABLE outlast_node ADD COLUMN targets TEXT;

-- What operators said about targets last. action: open, close or reset.
CREATE TABLE outlast_target_order (
  target TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  at     INTEGER NOT NULL
) WITHOUT ROWID;
