-- Whose a task is, null for nobody's: starts of a queue go round the share keys. Of each
-- queue: how many tasks of one share key run at once, 0 for no limit, and how many of them
-- start in a time, such as 50/s, '' for no limit.
ALTER TABLE outlast_task ADD COLUMN share_key text COLLATE "C";
ALTER TABLE outlast_queue ADD COLUMN share_concurrency bigint NOT NULL DEFAULT 0;
ALTER TABLE outlast_queue ADD COLUMN share_rate text NOT NULL DEFAULT '';

-- As before, and share_key.
DO $$
DECLARE
  distributed bigint := 0;
BEGIN
  IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE 'SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = ''outlast_task''::regclass' INTO distributed;
  END IF;
  IF distributed = 0 THEN
    CREATE OR REPLACE VIEW outlast_live AS
    SELECT t.id, t.lane, (r.claim IS NOT NULL)::integer AS state, CASE WHEN r.claim IS NULL THEN t.park ELSE 0 END AS park,
      t.rank, t.run_at, coalesce(r.claim, t.claim) AS claim, t.attempt + (r.claim IS NOT NULL)::integer AS attempt, t.crashes,
      t.priority, r.node, r.started_at, coalesce(r.cancel, false) AS cancel, t.key, t.seq, t.queue, t.type, t.target,
      t.policy, t.spec, t.created_at, coalesce(r.started_at, t.updated_at) AS updated_at, NULL::bigint AS finished_at,
      t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload, t.failed_at, t.share_key
    FROM outlast_task t LEFT JOIN LATERAL (
      SELECT r.claim, r.node, r.started_at, r.cancel FROM outlast_run r WHERE r.id = t.id AND r.lane = t.lane
      UNION ALL
      SELECT c.claim, c.node, c.started_at, false FROM outlast_claim c
      WHERE c.lane = t.lane AND c.claim > greatest(t.claim, t.created_at, t.apart, 0) AND t.id = ANY(c.ids)
    ) r ON true;
  ELSE
    CREATE OR REPLACE VIEW outlast_live AS
    SELECT t.id, t.lane, (r.claim IS NOT NULL OR c.claim IS NOT NULL)::integer AS state, CASE WHEN r.claim IS NULL AND c.claim IS NULL THEN t.park ELSE 0 END AS park,
      t.rank, t.run_at, coalesce(r.claim, c.claim, t.claim) AS claim, t.attempt + (r.claim IS NOT NULL OR c.claim IS NOT NULL)::integer AS attempt, t.crashes,
      t.priority, coalesce(r.node, c.node) AS node, coalesce(r.started_at, c.started_at) AS started_at, coalesce(r.cancel, false) AS cancel, t.key, t.seq,
      t.queue, t.type, t.target, t.policy, t.spec, t.created_at, coalesce(r.started_at, c.started_at, t.updated_at) AS updated_at,
      NULL::bigint AS finished_at, t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload, t.failed_at, t.share_key
    FROM outlast_task t LEFT JOIN outlast_run r ON r.lane = t.lane AND r.id = t.id
    LEFT JOIN outlast_claim c ON c.lane = t.lane AND c.claim > greatest(t.claim, t.created_at, t.apart, 0) AND t.id = ANY(c.ids);
  END IF;
END $$;
