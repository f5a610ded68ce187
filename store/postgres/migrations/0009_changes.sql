-- How often pending tasks of the lane were changed otherwise than by a claim: what its
-- owner has read of them before that counts no more.
ALTER TABLE outlast_lane ADD COLUMN changes bigint NOT NULL DEFAULT 0;

-- Nodes that do not count it must not run beside those that do.
ALTER TABLE outlast_node DROP CONSTRAINT outlast_node_protocol;
ALTER TABLE outlast_node ADD CONSTRAINT outlast_node_protocol CHECK (protocol >= 3 OR state <> 'alive') NOT VALID;
