-- Times are µs since 1970. Ids are 16 bytes; names, keys and JSON are bytes
-- too, so that nothing is compared or converted by a character set.

CREATE TABLE outlast_queue (
  name         VARBINARY(512) NOT NULL PRIMARY KEY,
  lanes        INT NOT NULL,
  key_lanes    INT NOT NULL,
  paused       TINYINT NOT NULL,
  policy       VARBINARY(512) NOT NULL,
  unknown_type VARBINARY(16) NOT NULL,
  concurrency  BIGINT NOT NULL,
  max_pending  BIGINT NOT NULL,
  weight       BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Lane numbers are global and never used again. A claim locks the row shared,
-- a change of the owner exclusively.
CREATE TABLE outlast_lane (
  lane  SMALLINT UNSIGNED NOT NULL PRIMARY KEY,
  queue VARBINARY(512) NOT NULL,
  owner VARBINARY(255),
  epoch BIGINT NOT NULL DEFAULT 0
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- suspect: 0 not decided, 1 the crash counts only for tasks with
-- crashes >= 2, 2 it counts for every task. cleared: it has ended and no task
-- runs in its name any more. See recover.go.
CREATE TABLE outlast_node (
  id           VARBINARY(255) NOT NULL PRIMARY KEY,
  address      VARBINARY(2048) NOT NULL,
  version      VARBINARY(255) NOT NULL,
  release_name VARBINARY(255) NOT NULL,
  embedded     TINYINT NOT NULL,
  state        VARBINARY(8) NOT NULL,
  counter      BIGINT NOT NULL,
  serves       MEDIUMBLOB,
  targets      MEDIUMBLOB,
  wake_key     VARBINARY(64) NOT NULL,
  running      BIGINT NOT NULL,
  slots        BIGINT NOT NULL,
  started_at   BIGINT NOT NULL,
  ended_at     BIGINT,
  suspect      TINYINT NOT NULL DEFAULT 0,
  cleared      TINYINT NOT NULL DEFAULT 0
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Every task, from its acceptance to the end of its retention, in one place:
-- so the primary key alone says whether an id is known. What a claim, an end
-- or a death adds stands in a narrow table of its own, and this row, which may
-- be wide, is left alone as far as possible.
--
-- state: 0 live (running if it has a row in outlast_run, else pending),
-- 2 succeeded and 4 canceled (with a row in outlast_done), 3 dead (with a row
-- in outlast_dead).
-- line: the key while the task is live. turn: its place in that line, which
-- is seq, plus 2^62 while it has not started. Both are null without a key.
-- unstarted: the claim that was given back last without a history row, so
-- that a repeat is recognised.
CREATE TABLE outlast_task (
  id         BINARY(16) NOT NULL PRIMARY KEY,
  lane       SMALLINT UNSIGNED NOT NULL,
  state      TINYINT NOT NULL DEFAULT 0,
  park       BIGINT NOT NULL DEFAULT 0,
  run_rank   BIGINT NOT NULL,
  run_at     BIGINT NOT NULL,
  claim      BIGINT NOT NULL DEFAULT 0,
  attempt    INT NOT NULL DEFAULT 0,
  crashes    INT NOT NULL DEFAULT 0,
  priority   TINYINT NOT NULL DEFAULT 0,
  size       INT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL DEFAULT 0,
  updated_at BIGINT NOT NULL,
  started_at BIGINT,
  unstarted  BIGINT,
  seq        BIGINT,
  turn       BIGINT,
  line       VARBINARY(512),
  order_key  VARBINARY(512),
  queue      VARBINARY(512) NOT NULL DEFAULT '',
  type       VARBINARY(512) NOT NULL DEFAULT '',
  target     VARBINARY(4096) NOT NULL DEFAULT '',
  policy     VARBINARY(512) NOT NULL DEFAULT '',
  trace      VARBINARY(255),
  category   VARBINARY(255),
  last_error MEDIUMBLOB,
  spec       MEDIUMBLOB,
  payload    MEDIUMBLOB,
  KEY outlast_task_rank (lane, state, park, run_rank, id),
  KEY outlast_task_line (lane, line, turn)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Running tasks: what a claim adds. The fence of every settle is the lock on
-- this row, and the end of the run is its deletion. Rows come and go with every
-- task, so while an old snapshot is open (a backup), the table has many that are
-- deleted but still there: what looks often must look by id.
CREATE TABLE outlast_run (
  id         BINARY(16) NOT NULL PRIMARY KEY,
  claim      BIGINT NOT NULL,
  node       VARBINARY(255) NOT NULL,
  started_at BIGINT NOT NULL,
  cancel     TINYINT NOT NULL DEFAULT 0
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Running tasks whose cancel was requested, so that a heartbeat need not look
-- through all that run.
CREATE TABLE outlast_cancel (
  id   BINARY(16) NOT NULL PRIMARY KEY,
  node VARBINARY(255) NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- The running task of each key. The primary key allows one.
CREATE TABLE outlast_line (
  lane SMALLINT UNSIGNED NOT NULL,
  line VARBINARY(512) NOT NULL,
  id   BINARY(16) NOT NULL,
  PRIMARY KEY (lane, line)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- How tasks succeeded or were canceled, which is also the record of the last
-- attempt. outcome: how that ended, '' if this row is not its record.
CREATE TABLE outlast_done (
  id          BINARY(16) NOT NULL PRIMARY KEY,
  claim       BIGINT NOT NULL,
  attempt     INT NOT NULL,
  node        VARBINARY(255) NOT NULL,
  started_at  BIGINT,
  finished_at BIGINT NOT NULL,
  cancel      TINYINT NOT NULL,
  outcome     VARBINARY(16) NOT NULL,
  category    VARBINARY(255),
  last_error  MEDIUMBLOB,
  result      MEDIUMBLOB,
  KEY outlast_done_finished (finished_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- What death adds to a task, each with its last 100 attempts as JSON.
CREATE TABLE outlast_dead (
  id          BINARY(16) NOT NULL PRIMARY KEY,
  type        VARBINARY(512) NOT NULL,
  claim       BIGINT NOT NULL,
  attempt     INT NOT NULL,
  node        VARBINARY(255) NOT NULL,
  started_at  BIGINT,
  finished_at BIGINT NOT NULL,
  cancel      TINYINT NOT NULL,
  reason      VARBINARY(32) NOT NULL,
  category    VARBINARY(255) NOT NULL,
  fingerprint VARBINARY(255) NOT NULL,
  fallback    BINARY(16),
  last_error  MEDIUMBLOB,
  attempts    MEDIUMBLOB,
  KEY outlast_dead_type (type, id),
  KEY outlast_dead_reason (reason, id),
  KEY outlast_dead_fingerprint (fingerprint, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Counters of dead letters: kind is total, type, reason or category.
CREATE TABLE outlast_dead_count (
  kind  VARBINARY(16) NOT NULL,
  name  VARBINARY(512) NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (kind, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE outlast_dead_group (
  fingerprint VARBINARY(255) NOT NULL PRIMARY KEY,
  total       BIGINT NOT NULL,
  type        VARBINARY(512) NOT NULL,
  reason      VARBINARY(32) NOT NULL,
  category    VARBINARY(255) NOT NULL,
  message     MEDIUMBLOB NOT NULL,
  first_seen  BIGINT NOT NULL,
  last_seen   BIGINT NOT NULL,
  example     BINARY(16) NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Ended attempts of tasks that are not dead.
CREATE TABLE outlast_attempt (
  id         BINARY(16) NOT NULL,
  claim      BIGINT NOT NULL,
  number     INT NOT NULL,
  node       VARBINARY(255) NOT NULL,
  started_at BIGINT,
  ended_at   BIGINT NOT NULL,
  outcome    VARBINARY(16) NOT NULL,
  failure    MEDIUMBLOB,
  next_delay BIGINT NOT NULL,
  PRIMARY KEY (id, claim)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE outlast_key_hold (
  lane      SMALLINT UNSIGNED NOT NULL,
  line      VARBINARY(512) NOT NULL,
  id        BINARY(16) NOT NULL,
  hold_mode VARBINARY(16) NOT NULL,
  since     BIGINT NOT NULL,
  PRIMARY KEY (lane, line),
  KEY outlast_key_hold_id (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE outlast_dedupe (
  lane       SMALLINT UNSIGNED NOT NULL,
  queue      VARBINARY(512) NOT NULL,
  dedupe_key VARBINARY(512) NOT NULL,
  id         BINARY(16) NOT NULL,
  content    BINARY(16) NOT NULL,
  expires    BIGINT NOT NULL,
  PRIMARY KEY (lane, queue, dedupe_key),
  KEY outlast_dedupe_expires (expires)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE outlast_operation (
  id          VARBINARY(255) NOT NULL PRIMARY KEY,
  kind        VARBINARY(64) NOT NULL,
  state       VARBINARY(16) NOT NULL,
  request     MEDIUMBLOB,
  node        VARBINARY(255) NOT NULL,
  matched     BIGINT NOT NULL,
  done        BIGINT NOT NULL,
  error       MEDIUMBLOB NOT NULL,
  version     BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  finished_at BIGINT
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- What operators said about targets last. action: open, close or reset.
CREATE TABLE outlast_target_order (
  target VARBINARY(512) NOT NULL PRIMARY KEY,
  action VARBINARY(16) NOT NULL,
  at     BIGINT NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- seq: the last seq given to a keyed task. lane: the last lane number + 1.
CREATE TABLE outlast_counter (
  name  VARBINARY(16) NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
INSERT INTO outlast_counter (name, value) VALUES ('seq', 0), ('lane', 0);
