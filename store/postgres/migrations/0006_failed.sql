-- When the last attempt that failed ended, in µs; null while none has. Of a dead letter
-- that is its death.
ALTER TABLE outlast_task ADD COLUMN failed_at bigint;
ALTER TABLE outlast_done ADD COLUMN failed_at bigint;
CREATE INDEX outlast_task_failed ON outlast_task (failed_at, id) WHERE failed_at IS NOT NULL;
CREATE INDEX outlast_done_failed ON outlast_done (failed_at, id) WHERE failed_at IS NOT NULL;
CREATE INDEX outlast_dead_failed ON outlast_dead (finished_at, id);

-- As before, and failed_at.
CREATE OR REPLACE VIEW outlast_live AS
SELECT t.id, t.lane, (r.id IS NOT NULL)::integer AS state, CASE WHEN r.id IS NULL THEN t.park ELSE 0 END AS park,
  t.rank, t.run_at, coalesce(r.claim, t.claim) AS claim, t.attempt + (r.id IS NOT NULL)::integer AS attempt, t.crashes,
  t.priority, r.node, r.started_at, coalesce(r.cancel, false) AS cancel, t.key, t.seq, t.queue, t.type, t.target,
  t.policy, t.spec, t.created_at, coalesce(r.started_at, t.updated_at) AS updated_at, NULL::bigint AS finished_at,
  t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload, t.failed_at
FROM outlast_task t LEFT JOIN outlast_run r ON r.lane = t.lane AND r.id = t.id;
