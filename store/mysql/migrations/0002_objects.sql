-- Configuration as named objects. The body is JSON that the store does not
-- look into.
CREATE TABLE outlast_object (
  kind       VARBINARY(64) NOT NULL,
  name       VARBINARY(512) NOT NULL,
  body       MEDIUMBLOB NOT NULL,
  managed    VARBINARY(64) NOT NULL,
  actor      VARBINARY(512) NOT NULL,
  version    BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (kind, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- The last versions of each, the present one included. One without a body is
-- the end of the object.
CREATE TABLE outlast_object_version (
  kind       VARBINARY(64) NOT NULL,
  name       VARBINARY(512) NOT NULL,
  version    BIGINT NOT NULL,
  body       MEDIUMBLOB,
  managed    VARBINARY(64) NOT NULL,
  actor      VARBINARY(512) NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (kind, name, version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- Changes with an id, for a day: the versions that they made.
CREATE TABLE outlast_change (
  id       VARBINARY(128) NOT NULL PRIMARY KEY,
  at       BIGINT NOT NULL,
  versions MEDIUMBLOB NOT NULL,
  KEY outlast_change_at (at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- The audit log. Ids grow with time.
CREATE TABLE outlast_audit (
  id          BINARY(16) NOT NULL PRIMARY KEY,
  at          BIGINT NOT NULL,
  actor       VARBINARY(512) NOT NULL,
  address     VARBINARY(256) NOT NULL,
  action      VARBINARY(128) NOT NULL,
  subject     VARBINARY(600) NOT NULL,
  body_before MEDIUMBLOB,
  body_after  MEDIUMBLOB,
  request     VARBINARY(128) NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

-- config: raised by every change of objects that is not quiet.
INSERT INTO outlast_counter (name, value) VALUES ('config', 0);
