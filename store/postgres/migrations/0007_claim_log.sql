-- The claim log: a row for each claim of tasks of one lane. A task runs if it has a row in
-- outlast_run, or if a row of the log has it under a number above that of its claim that
-- ended last, of its creation, and of the claim under which it was set apart.
CREATE TABLE outlast_claim (
  lane       integer NOT NULL,
  claim      bigint NOT NULL,
  node       text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  ids        uuid[] NOT NULL,
  PRIMARY KEY (lane, claim)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE outlast_claim ALTER COLUMN ids SET STORAGE EXTERNAL;
CREATE INDEX outlast_claim_node ON outlast_claim (node);

-- The claim of the log under which the task got a row in outlast_run, null if it never did.
ALTER TABLE outlast_task ADD COLUMN apart bigint;

-- Programs that do not know the log must not run beside those that do: their nodes can
-- neither join nor beat.
ALTER TABLE outlast_node ADD COLUMN protocol bigint DEFAULT 1;
ALTER TABLE outlast_node ADD CONSTRAINT outlast_node_protocol CHECK (protocol >= 2 OR state <> 'alive') NOT VALID;

-- What runs. Where Citus has distributed the tables, every claim writes rows into
-- outlast_run alone.
CREATE VIEW outlast_running AS SELECT id, lane, node FROM outlast_run;

DO $$
DECLARE
  distributed bigint := 0;
  given record;
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
      t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload, t.failed_at
    FROM outlast_task t LEFT JOIN LATERAL (
      SELECT r.claim, r.node, r.started_at, r.cancel FROM outlast_run r WHERE r.id = t.id AND r.lane = t.lane
      UNION ALL
      SELECT c.claim, c.node, c.started_at, false FROM outlast_claim c
      WHERE c.lane = t.lane AND c.claim > greatest(t.claim, t.created_at, t.apart, 0) AND t.id = ANY(c.ids)
    ) r ON true;
    CREATE OR REPLACE VIEW outlast_running AS
    SELECT id, lane, node FROM outlast_run
    UNION ALL
    SELECT t.id, c.lane, c.node FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id)
    CROSS JOIN LATERAL (SELECT t.id FROM outlast_task t WHERE t.id = m.id AND greatest(t.claim, t.created_at, t.apart, 0) < c.claim LIMIT 1) t;
  END IF;
  -- Who may use the table of what runs may use what tells of it now.
  FOR given IN SELECT a.privilege_type AS what, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS whom
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'outlast_run'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON outlast_claim, outlast_running TO %s', given.what, given.whom);
  END LOOP;
END $$;
