-- Groups of tasks with one callback, which is JSON; members name their group in the spec.
CREATE TABLE outlast_group (
  id          BLOB NOT NULL PRIMARY KEY,
  label       TEXT NOT NULL,
  state       TEXT NOT NULL,
  callback    BLOB NOT NULL,
  created_at  INTEGER NOT NULL,
  closed_at   INTEGER,
  done_at     INTEGER,
  callback_id BLOB
) WITHOUT ROWID;
CREATE INDEX outlast_group_state ON outlast_group (state, id);
CREATE INDEX outlast_group_done ON outlast_group (done_at);

-- Their members by lane and outcome. part: 0, or a random number for a transaction of a caller.
CREATE TABLE outlast_group_count (
  group_id  BLOB NOT NULL,
  lane      INTEGER NOT NULL,
  part      INTEGER NOT NULL,
  members   INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  dead      INTEGER NOT NULL,
  canceled  INTEGER NOT NULL,
  PRIMARY KEY (group_id, lane, part)
) WITHOUT ROWID;
