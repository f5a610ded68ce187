-- When the last attempt that failed ended, null while none has. Of a dead letter that is
-- its death.
ALTER TABLE outlast_task ADD COLUMN failed_at BIGINT;

-- The same of all tasks that have failed, dead letters included: a table of its own, so that
-- an enqueue and a first success write nothing for it.
CREATE TABLE outlast_failed (
  id        BINARY(16) NOT NULL PRIMARY KEY,
  failed_at BIGINT NOT NULL,
  KEY outlast_failed_at (failed_at, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
INSERT INTO outlast_failed (id, failed_at) SELECT id, finished_at FROM outlast_dead;
