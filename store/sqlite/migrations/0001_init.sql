-- Times are µs since 1970, ids 16-byte blobs, states small integers:
-- 0 pending, 1 running, 2 succeeded, 3 dead, 4 canceled, 5 pending or running.

CREATE TABLE outlast_queue (
  name         TEXT PRIMARY KEY,
  lanes        INTEGER NOT NULL,
  key_lanes    INTEGER NOT NULL,
  paused       INTEGER NOT NULL,
  policy       TEXT NOT NULL,
  unknown_type TEXT NOT NULL,
  concurrency  INTEGER NOT NULL,
  max_pending  INTEGER NOT NULL,
  weight       INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) WITHOUT ROWID;

-- Lane numbers are global and never used again.
CREATE TABLE outlast_lane (
  lane  INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  owner TEXT,
  epoch INTEGER NOT NULL DEFAULT 0
);

-- suspect: 0 not decided, 1 the crash counts only for tasks with
-- crashes >= 2, 2 it counts for every task. See recover.go.
CREATE TABLE outlast_node (
  id         TEXT PRIMARY KEY,
  address    TEXT NOT NULL,
  version    TEXT NOT NULL,
  release    TEXT NOT NULL,
  embedded   INTEGER NOT NULL,
  state      TEXT NOT NULL,
  counter    INTEGER NOT NULL,
  serves     TEXT,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  suspect    INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Tasks that are not dead, live and ended, in the order of insertion. state
-- is 5 while the task is live (pending, or running if it has a row in
-- outlast_run), else 2 succeeded or 4 canceled; such rows stay until their
-- retention has passed, and their updated_at is when they ended.
--
-- A settle should overwrite the row in its place, at its length: so a state
-- takes one byte always, and a new row has stand-ins for what it will get:
-- in claim and started_at a negative number (none yet), in node some name.
-- Read them through the views. What a claim adds stands in outlast_run
-- until the settle.
--
-- unstarted is the claim that was given back last without a
-- history row, so that a repeat is recognised. outcome is how the last
-- attempt ended if this row is its record, '' if it is not; null means
-- 'succeeded' where the state says so.
CREATE TABLE outlast_task (
  num        INTEGER PRIMARY KEY,
  id         BLOB NOT NULL UNIQUE,
  state      INTEGER NOT NULL,
  lane       INTEGER NOT NULL,
  park       INTEGER NOT NULL,
  rank       INTEGER NOT NULL,
  run_at     INTEGER NOT NULL,
  claim      INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  crashes    INTEGER NOT NULL,
  priority   INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  node       TEXT NOT NULL,
  cancel     INTEGER,
  key        TEXT,
  seq        INTEGER,
  queue      TEXT NOT NULL,
  type       TEXT NOT NULL,
  target     TEXT NOT NULL,
  policy     TEXT,
  spec       TEXT,
  created_at INTEGER NOT NULL,
  last_error TEXT,
  outcome    TEXT,
  unstarted  INTEGER,
  result     BLOB,
  payload    BLOB
);
CREATE INDEX outlast_task_rank ON outlast_task (lane, park, rank, id) WHERE state = 5;
-- The pending tasks of a key: those that ran before, then the fresh ones.
CREATE INDEX outlast_task_key ON outlast_task (lane, key, attempt + crashes = 0, seq) WHERE key IS NOT NULL AND state = 5;

-- Running tasks: what a claim adds to the row of outlast_task, which is not
-- written by a claim. The table is as small as the slots of all nodes, and
-- needs no index by node.
CREATE TABLE outlast_run (
  num        INTEGER PRIMARY KEY,
  claim      INTEGER NOT NULL,
  node       TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  lane       INTEGER,
  key        TEXT,
  cancel     INTEGER
);
CREATE INDEX outlast_run_key ON outlast_run (lane, key) WHERE key IS NOT NULL;

-- Tasks that are not dead as they stand: a running one has begun its next
-- attempt.
CREATE VIEW outlast_known AS SELECT t.num, t.id, t.state = 5 AS live, iif(t.state = 5, r.num IS NOT NULL, t.state) AS state, t.lane,
  t.park, t.rank, t.run_at, ifnull(r.claim, max(t.claim, 0)) AS claim, t.attempt + (r.num IS NOT NULL) AS attempt, t.crashes, t.priority,
  iif(t.state = 5, r.node, t.node) AS node, ifnull(r.started_at, nullif(max(t.started_at, 0), 0)) AS started_at,
  ifnull(r.cancel, t.cancel) AS cancel, t.key, t.seq, t.queue, t.type, t.target, t.policy, t.spec, t.created_at,
  ifnull(r.started_at, t.updated_at) AS updated_at, iif(t.state = 5, NULL, t.updated_at) AS finished_at,
  t.last_error, t.unstarted, t.result, t.payload
FROM outlast_task t LEFT JOIN outlast_run r ON r.num = t.num;

-- The live ones of them.
CREATE VIEW outlast_live AS SELECT * FROM outlast_known WHERE live;

-- Dead letters, each with its last 100 attempts as JSON.
CREATE TABLE outlast_dead (
  num         INTEGER PRIMARY KEY,
  id          BLOB NOT NULL UNIQUE,
  run_at      INTEGER NOT NULL,
  claim       INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  crashes     INTEGER NOT NULL,
  priority    INTEGER NOT NULL,
  node        TEXT,
  started_at  INTEGER,
  cancel      INTEGER,
  key         TEXT,
  seq         INTEGER,
  queue       TEXT NOT NULL,
  type        TEXT NOT NULL,
  target      TEXT NOT NULL,
  policy      TEXT,
  spec        TEXT,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  last_error  TEXT,
  reason      TEXT NOT NULL,
  category    TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  fallback    BLOB,
  attempts    TEXT,
  payload     BLOB
);
CREATE INDEX outlast_dead_type ON outlast_dead (type, id);
CREATE INDEX outlast_dead_reason ON outlast_dead (reason, id);
CREATE INDEX outlast_dead_fingerprint ON outlast_dead (fingerprint, id);

-- Counters of dead letters: kind is total, type, reason or category.
CREATE TABLE outlast_dead_count (
  kind  TEXT NOT NULL,
  name  TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;

CREATE TABLE outlast_dead_group (
  fingerprint TEXT PRIMARY KEY,
  count       INTEGER NOT NULL,
  type        TEXT NOT NULL,
  reason      TEXT NOT NULL,
  category    TEXT NOT NULL,
  message     TEXT NOT NULL,
  first_seen  INTEGER NOT NULL,
  last_seen   INTEGER NOT NULL,
  example     BLOB NOT NULL
) WITHOUT ROWID;

-- Ended attempts of tasks that are not dead.
CREATE TABLE outlast_attempt (
  id         BLOB NOT NULL,
  claim      INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  node       TEXT,
  started_at INTEGER,
  ended_at   INTEGER,
  outcome    TEXT NOT NULL,
  failure    TEXT,
  next_delay INTEGER NOT NULL,
  PRIMARY KEY (id, claim)
) WITHOUT ROWID;

CREATE TABLE outlast_key_hold (
  lane  INTEGER NOT NULL,
  key   TEXT NOT NULL,
  id    BLOB NOT NULL,
  mode  TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (lane, key)
) WITHOUT ROWID;
CREATE INDEX outlast_key_hold_id ON outlast_key_hold (id);

CREATE TABLE outlast_dedupe (
  lane    INTEGER NOT NULL,
  queue   TEXT NOT NULL,
  key     TEXT NOT NULL,
  id      BLOB NOT NULL,
  content BLOB NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (lane, queue, key)
) WITHOUT ROWID;
CREATE INDEX outlast_dedupe_expires ON outlast_dedupe (expires);

CREATE TABLE outlast_operation (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL,
  state       TEXT NOT NULL,
  request     BLOB,
  node        TEXT NOT NULL,
  matched     INTEGER NOT NULL,
  done        INTEGER NOT NULL,
  error       TEXT NOT NULL,
  version     INTEGER NOT NULL,
  created_at  INTEGER,
  updated_at  INTEGER,
  finished_at INTEGER
) WITHOUT ROWID;

-- seq: the last seq given to a keyed task. lane: the last lane number + 1.
CREATE TABLE outlast_counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO outlast_counter VALUES ('seq', 0), ('lane', 0);
