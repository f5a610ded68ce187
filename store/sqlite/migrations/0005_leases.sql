-- Until when a remote worker has a running task, null where a node has it. The
-- column node names both then: node/worker.
ALTER TABLE outlast_run ADD COLUMN lease_until INTEGER;
