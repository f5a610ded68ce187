-- Running tasks that remote workers have, and until when. A table of its own, since
-- claims of nodes are to write nothing for it. outlast_run.node names the node and
-- the worker: node/worker.
CREATE TABLE outlast_lease (
  id         BINARY(16) NOT NULL PRIMARY KEY,
  ends_at    BIGINT NOT NULL,
  KEY outlast_lease_ends (ends_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
