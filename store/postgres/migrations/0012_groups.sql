-- Groups of tasks with one callback, which is JSON; members name their group in the spec.
CREATE TABLE outlast_group (
  id          uuid PRIMARY KEY,
  label       text NOT NULL,
  state       text COLLATE "C" NOT NULL,
  callback    bytea NOT NULL,
  created_at  bigint NOT NULL,
  closed_at   bigint,
  done_at     bigint,
  callback_id uuid
);
CREATE INDEX outlast_group_state ON outlast_group (state, id);
CREATE INDEX outlast_group_done ON outlast_group (done_at);

-- Their members by lane and outcome. part: 0, or a random number for a transaction of a caller,
-- which may be open for long.
CREATE TABLE outlast_group_count (
  group_id  uuid NOT NULL,
  lane      integer NOT NULL,
  part      bigint NOT NULL,
  members   bigint NOT NULL,
  succeeded bigint NOT NULL,
  dead      bigint NOT NULL,
  canceled  bigint NOT NULL,
  PRIMARY KEY (group_id, lane, part)
) WITH (fillfactor = 50);

-- Who may use dead letters may use these.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT a.privilege_type AS what, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS whom
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'outlast_dead'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON outlast_group, outlast_group_count TO %s', given.what, given.whom);
  END LOOP;
END $$;
