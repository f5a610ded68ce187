-- Times are µs since 1970, ids 16-byte blobs, states small integers:
-- 0 pending, 1 running, 2 succeeded, 3 dead, 4 canceled.

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

-- Live tasks; those with a row in outlast_run are running. turn orders the
-- pending tasks of a key: those that ran before, then the fresh ones.
-- unstarted is the claim that was given back last without a history row, so
-- that a repeat is recognised.
CREATE TABLE outlast_task (
  id         BLOB PRIMARY KEY,
  lane       INTEGER NOT NULL,
  park       INTEGER NOT NULL,
  rank       INTEGER NOT NULL,
  run_at     INTEGER NOT NULL,
  claim      INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  crashes    INTEGER NOT NULL,
  priority   INTEGER NOT NULL,
  started_at INTEGER,
  key        TEXT,
  seq        INTEGER,
  queue      TEXT NOT NULL,
  type       TEXT NOT NULL,
  target     TEXT NOT NULL,
  policy     TEXT,
  spec       TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_error TEXT,
  unstarted  INTEGER,
  payload    BLOB,
  turn AS (CASE WHEN attempt + crashes > 0 THEN 1 ELSE 2 END)
) WITHOUT ROWID;
CREATE INDEX outlast_task_rank ON outlast_task (lane, park, rank);
CREATE INDEX outlast_task_key ON outlast_task (lane, key, turn, seq) WHERE key IS NOT NULL;

-- Running tasks: what a claim adds to the row of outlast_task, which is not
-- written by a claim, nor by the settle of a success but to delete it. The
-- table is as small as the slots of all nodes, and needs no other index.
CREATE TABLE outlast_run (
  id         BLOB PRIMARY KEY,
  claim      INTEGER NOT NULL,
  node       TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  lane       INTEGER,
  key        TEXT,
  cancel     INTEGER
) WITHOUT ROWID;
CREATE INDEX outlast_run_key ON outlast_run (lane, key) WHERE key IS NOT NULL;

-- Live tasks as they stand: a running one has begun its next attempt.
CREATE VIEW outlast_live AS SELECT t.id, t.lane, r.id IS NOT NULL AS state, t.park, t.rank, t.run_at,
  ifnull(r.claim, t.claim) AS claim, t.attempt + (r.id IS NOT NULL) AS attempt, t.crashes, t.priority, r.node,
  ifnull(r.started_at, t.started_at) AS started_at, r.cancel, t.key, t.seq, t.queue, t.type, t.target, t.policy, t.spec,
  t.created_at, ifnull(r.started_at, t.updated_at) AS updated_at, t.last_error, t.unstarted, t.payload
FROM outlast_task t LEFT JOIN outlast_run r ON r.id = t.id;

-- Succeeded and canceled tasks. outcome is that of
-- the last attempt when this row is its record, else null.
CREATE TABLE outlast_done (
  id          BLOB PRIMARY KEY,
  state       INTEGER NOT NULL,
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
  outcome     TEXT,
  result      BLOB,
  payload     BLOB
) WITHOUT ROWID;

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
