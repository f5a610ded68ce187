-- Groups of tasks with one callback, which is JSON; members name their group in the spec.
CREATE TABLE outlast_group (
  id          BINARY(16) NOT NULL PRIMARY KEY,
  label       VARBINARY(512) NOT NULL,
  state       VARBINARY(16) NOT NULL,
  callback    MEDIUMBLOB NOT NULL,
  created_at  BIGINT NOT NULL,
  closed_at   BIGINT,
  done_at     BIGINT,
  callback_id BINARY(16),
  KEY outlast_group_state (state, id),
  KEY outlast_group_done (done_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Their members by lane and outcome. part: 0, or a random number for a transaction of a caller.
CREATE TABLE outlast_group_count (
  group_id  BINARY(16) NOT NULL,
  lane      INT NOT NULL,
  part      BIGINT NOT NULL,
  members   BIGINT NOT NULL,
  succeeded BIGINT NOT NULL,
  dead      BIGINT NOT NULL,
  canceled  BIGINT NOT NULL,
  PRIMARY KEY (group_id, lane, part)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
