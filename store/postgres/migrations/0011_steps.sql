-- Steps of handlers that were done, by the day on which they were recorded. Rows are only
-- added: of those of a task with one name and occurrence, which stand in about, that of the
-- greatest claim counts, and of these the one that was written last. What was added to a
-- task whose id came again has claims that are not above the creation of the row.
CREATE TABLE outlast_step (
  id          uuid NOT NULL,
  lane        integer NOT NULL,
  seq         integer NOT NULL,
  claim       bigint NOT NULL,
  recorded_at bigint NOT NULL,
  written     xid8 NOT NULL,
  about       text NOT NULL,
  result      bytea,
  argument    bytea
) PARTITION BY RANGE (recorded_at);
CREATE INDEX outlast_step_id ON outlast_step (id);

-- Who may use the history of tasks may use their steps.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT a.privilege_type AS what, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS whom
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'outlast_attempt'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON outlast_step TO %s', given.what, given.whom);
  END LOOP;
END $$;
