-- Times are µs since 1970. Text compares byte for byte. Keys of tasks are
-- (id, lane): ids grow with time, and end with their lane, which is a column
-- of its own so that the tables can be distributed by it.
-- States: 0 pending, 1 running, 2 succeeded, 3 dead, 4 canceled.

CREATE TABLE outlast_queue (
  name         text COLLATE "C" PRIMARY KEY,
  lanes        integer NOT NULL,
  key_lanes    integer NOT NULL,
  paused       boolean NOT NULL,
  policy       text NOT NULL,
  unknown_type text NOT NULL,
  concurrency  bigint NOT NULL,
  max_pending  bigint NOT NULL,
  weight       bigint NOT NULL,
  updated_at   bigint NOT NULL
);

-- Lane numbers are global and never used again. The lock of a lane's row is
-- the lock of its pending tasks: see the documentation of the package.
CREATE TABLE outlast_lane (
  lane  integer PRIMARY KEY,
  queue text COLLATE "C" NOT NULL,
  owner text COLLATE "C",
  epoch bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- suspect: 0 not decided, 1 the crash counts only for tasks with
-- crashes >= 2, 2 it counts for every task.
CREATE TABLE outlast_node (
  id         text COLLATE "C" PRIMARY KEY,
  address    text NOT NULL,
  version    text NOT NULL,
  release    text NOT NULL,
  embedded   boolean NOT NULL,
  state      text NOT NULL,
  counter    bigint NOT NULL,
  serves     text,
  targets    text,
  wake_key   text NOT NULL DEFAULT '',
  running    bigint NOT NULL DEFAULT 0,
  slots      bigint NOT NULL DEFAULT 0,
  started_at bigint NOT NULL,
  ended_at   bigint,
  suspect    smallint NOT NULL DEFAULT 0
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Live tasks: pending, or running if there is a row in outlast_run. unstarted
-- is the claim that was given back last without a history row, so that a
-- repeat is recognised.
CREATE TABLE outlast_task (
  id         uuid NOT NULL,
  lane       integer NOT NULL,
  priority   smallint NOT NULL,
  park       bigint NOT NULL DEFAULT 0,
  rank       bigint NOT NULL,
  run_at     bigint NOT NULL,
  claim      bigint NOT NULL DEFAULT 0,
  seq        bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  unstarted  bigint,
  attempt    integer NOT NULL DEFAULT 0,
  crashes    integer NOT NULL DEFAULT 0,
  queue      text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  target     text COLLATE "C" NOT NULL,
  policy     text COLLATE "C",
  key        text COLLATE "C",
  spec       text,
  last_error text,
  payload    bytea NOT NULL,
  PRIMARY KEY (id, lane)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- The id in it is disguised, so that nobody who looks up an id takes this
-- index while the table is so small that all indexes look alike.
CREATE INDEX outlast_task_rank ON outlast_task (lane, park, rank, uuid_send(id));
-- The tasks of a key: those that ran before, then the fresh ones.
CREATE INDEX outlast_task_key ON outlast_task (lane, key, (attempt + crashes = 0), seq) WHERE key IS NOT NULL;

-- Running tasks: what a claim adds to the row of outlast_task, which is not
-- written by a claim.
CREATE TABLE outlast_run (
  id         uuid NOT NULL,
  lane       integer NOT NULL,
  claim      bigint NOT NULL,
  started_at bigint NOT NULL,
  cancel     boolean NOT NULL DEFAULT false,
  node       text COLLATE "C" NOT NULL,
  key        text COLLATE "C",
  PRIMARY KEY (id, lane)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX outlast_run_key ON outlast_run (lane, key) WHERE key IS NOT NULL;
CREATE INDEX outlast_run_cancel ON outlast_run (node) WHERE cancel;

-- Live tasks as they stand: a running one has begun its next attempt.
CREATE VIEW outlast_live AS
SELECT t.id, t.lane, (r.id IS NOT NULL)::integer AS state, CASE WHEN r.id IS NULL THEN t.park ELSE 0 END AS park,
  t.rank, t.run_at, coalesce(r.claim, t.claim) AS claim, t.attempt + (r.id IS NOT NULL)::integer AS attempt, t.crashes,
  t.priority, r.node, r.started_at, coalesce(r.cancel, false) AS cancel, t.key, t.seq, t.queue, t.type, t.target,
  t.policy, t.spec, t.created_at, coalesce(r.started_at, t.updated_at) AS updated_at, NULL::bigint AS finished_at,
  t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload
FROM outlast_task t LEFT JOIN outlast_run r ON r.lane = t.lane AND r.id = t.id;

-- Succeeded and canceled tasks, by the day on which they ended. The row is
-- also the record of the last attempt: outcome, ended_at; outcome '' if it is
-- not.
CREATE TABLE outlast_done (
  id          uuid NOT NULL,
  lane        integer NOT NULL,
  priority    smallint NOT NULL,
  state       smallint NOT NULL,
  run_at      bigint NOT NULL,
  claim       bigint NOT NULL,
  seq         bigint NOT NULL,
  created_at  bigint NOT NULL,
  started_at  bigint,
  ended_at    bigint NOT NULL,
  finished_at bigint NOT NULL,
  attempt     integer NOT NULL,
  crashes     integer NOT NULL,
  cancel      boolean NOT NULL,
  queue       text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  target      text COLLATE "C" NOT NULL,
  policy      text COLLATE "C",
  key         text COLLATE "C",
  spec        text,
  last_error  text,
  node        text COLLATE "C",
  outcome     text NOT NULL,
  result      bytea,
  payload     bytea NOT NULL
) PARTITION BY RANGE (finished_at);
CREATE INDEX outlast_done_id ON outlast_done (id);

-- Ended attempts of tasks that are not dead, but for those of which a row of
-- outlast_done is the record, by the day on which they were recorded.
CREATE TABLE outlast_attempt (
  id          uuid NOT NULL,
  lane        integer NOT NULL,
  number      integer NOT NULL,
  claim       bigint NOT NULL,
  started_at  bigint,
  ended_at    bigint NOT NULL,
  recorded_at bigint NOT NULL,
  next_delay  bigint NOT NULL,
  node        text COLLATE "C",
  outcome     text NOT NULL,
  failure     text
) PARTITION BY RANGE (recorded_at);
CREATE INDEX outlast_attempt_id ON outlast_attempt (id, claim);

-- Dead letters, each with its last 100 attempts as JSON.
CREATE TABLE outlast_dead (
  id          uuid NOT NULL,
  lane        integer NOT NULL,
  priority    smallint NOT NULL,
  run_at      bigint NOT NULL,
  claim       bigint NOT NULL,
  seq         bigint NOT NULL,
  created_at  bigint NOT NULL,
  started_at  bigint,
  finished_at bigint NOT NULL,
  attempt     integer NOT NULL,
  crashes     integer NOT NULL,
  cancel      boolean NOT NULL,
  queue       text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  target      text COLLATE "C" NOT NULL,
  policy      text COLLATE "C",
  key         text COLLATE "C",
  spec        text,
  last_error  text,
  node        text COLLATE "C",
  reason      text NOT NULL,
  category    text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  fallback    uuid,
  attempts    text,
  payload     bytea NOT NULL,
  PRIMARY KEY (id, lane)
);
CREATE INDEX outlast_dead_type ON outlast_dead (type, id);
CREATE INDEX outlast_dead_reason ON outlast_dead (reason, id);
CREATE INDEX outlast_dead_fingerprint ON outlast_dead (fingerprint, id);

-- Counters of dead letters: kind is total, type, reason or category.
CREATE TABLE outlast_dead_count (
  kind  text COLLATE "C" NOT NULL,
  name  text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

CREATE TABLE outlast_dead_group (
  fingerprint text COLLATE "C" PRIMARY KEY,
  count       bigint NOT NULL,
  type        text NOT NULL,
  reason      text NOT NULL,
  category    text NOT NULL,
  message     text NOT NULL,
  first_seen  bigint NOT NULL,
  last_seen   bigint NOT NULL,
  example     uuid NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE outlast_key_hold (
  lane  integer NOT NULL,
  key   text COLLATE "C" NOT NULL,
  id    uuid NOT NULL,
  mode  text NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (lane, key)
);

CREATE TABLE outlast_dedupe (
  lane    integer NOT NULL,
  queue   text COLLATE "C" NOT NULL,
  key     text COLLATE "C" NOT NULL,
  id      uuid NOT NULL,
  content bytea NOT NULL,
  expires bigint NOT NULL,
  PRIMARY KEY (lane, queue, key)
);
CREATE INDEX outlast_dedupe_expires ON outlast_dedupe (expires);

CREATE TABLE outlast_operation (
  id          text COLLATE "C" PRIMARY KEY,
  kind        text NOT NULL,
  state       text NOT NULL,
  request     bytea,
  node        text NOT NULL,
  matched     bigint NOT NULL,
  done        bigint NOT NULL,
  error       text NOT NULL,
  version     bigint NOT NULL,
  created_at  bigint,
  updated_at  bigint,
  finished_at bigint
);

-- What operators said about targets last. action: open, close or reset.
CREATE TABLE outlast_target_order (
  target text COLLATE "C" PRIMARY KEY,
  action text NOT NULL,
  at     bigint NOT NULL
);

-- The order inside a key.
CREATE SEQUENCE outlast_seq;

-- lane: the last lane number + 1.
CREATE TABLE outlast_counter (name text COLLATE "C" PRIMARY KEY, value bigint NOT NULL);
INSERT INTO outlast_counter VALUES ('lane', 0);
