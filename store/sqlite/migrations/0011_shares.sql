-- Whose a task is, null for nobody's: starts of a queue go round the share keys. Of each
-- queue: how many tasks of one share key run at once, 0 for no limit, and how many of them
-- start in a time, such as 50/s, '' for no limit.
ALTER TABLE outlast_task ADD COLUMN share_key TEXT;
ALTER TABLE outlast_queue ADD COLUMN share_concurrency INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outlast_queue ADD COLUMN share_rate TEXT NOT NULL DEFAULT '';

-- As before, and share_key.
DROP VIEW outlast_live;
DROP VIEW outlast_known;
CREATE VIEW outlast_known AS SELECT t.num, t.id, t.state = 5 AS live, iif(t.state = 5, r.num IS NOT NULL, t.state) AS state, t.lane,
  t.park, t.rank, t.run_at, ifnull(r.claim, max(t.claim, 0)) AS claim, t.attempt + (r.num IS NOT NULL) AS attempt, t.crashes, t.priority,
  iif(t.state = 5, r.node, t.node) AS node, ifnull(r.started_at, nullif(max(t.started_at, 0), 0)) AS started_at,
  ifnull(r.cancel, t.cancel) AS cancel, t.key, t.seq, t.queue, t.type, t.target, t.policy, t.spec, t.created_at,
  ifnull(r.started_at, t.updated_at) AS updated_at, iif(t.state = 5, NULL, t.updated_at) AS finished_at,
  t.last_error, t.failed_at, t.unstarted, t.result, t.payload, t.share_key
FROM outlast_task t LEFT JOIN outlast_run r ON r.num = t.num;
CREATE VIEW outlast_live AS SELECT * FROM outlast_known WHERE live;
