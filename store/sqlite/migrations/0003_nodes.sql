-- The secret by which other nodes' wake-up calls are accepted, and how busy
-- the node was at its last beat.
ALTER TABLE outlast_node ADD COLUMN wake_key TEXT NOT NULL DEFAULT '';
ALTER TABLE outlast_node ADD COLUMN running INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outlast_node ADD COLUMN slots INTEGER NOT NULL DEFAULT 0;
