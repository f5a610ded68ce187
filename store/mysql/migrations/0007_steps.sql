-- What handlers have done and need not do again, of tasks in any state: it goes with the
-- task. A name is up to 128 characters, as bytes of any value. about: what is known of the
-- step, as JSON, but for its result and the argument of its compensation.
CREATE TABLE outlast_step (
  id         BINARY(16) NOT NULL,
  name       VARBINARY(512) NOT NULL,
  occurrence INT NOT NULL,
  seq        INT NOT NULL,
  claim      BIGINT NOT NULL,
  about      MEDIUMBLOB NOT NULL,
  result     MEDIUMBLOB,
  argument   MEDIUMBLOB,
  PRIMARY KEY (id, name, occurrence)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
