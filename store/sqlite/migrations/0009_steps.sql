-- What handlers have done and need not do again, of tasks in any state: it goes with the
-- task. A name is bytes, of any value. about: what is known of the step, as JSON, but for
-- its result and the argument of its compensation.
CREATE TABLE outlast_step (
  id         BLOB NOT NULL,
  name       BLOB NOT NULL,
  occurrence INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  claim      INTEGER NOT NULL,
  about      TEXT NOT NULL,
  result     BLOB,
  argument   BLOB,
  PRIMARY KEY (id, name, occurrence)
) WITHOUT ROWID;
