-- Configuration as named objects. The body is JSON that the store does not
-- look into.
CREATE TABLE outlast_object (
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  body       BLOB NOT NULL,
  managed    TEXT NOT NULL,
  actor      TEXT NOT NULL,
  version    INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;

-- The last versions of each, the present one included. One without a body is
-- the end of the object.
CREATE TABLE outlast_object_version (
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  body       BLOB,
  managed    TEXT NOT NULL,
  actor      TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name, version)
) WITHOUT ROWID;

-- Changes with an id, for a day: the versions that they made.
CREATE TABLE outlast_change (
  id       TEXT PRIMARY KEY,
  at       INTEGER NOT NULL,
  versions TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX outlast_change_at ON outlast_change (at);

-- The audit log. Ids grow with time.
CREATE TABLE outlast_audit (
  id      BLOB PRIMARY KEY,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  address TEXT NOT NULL,
  action  TEXT NOT NULL,
  subject TEXT NOT NULL,
  before  BLOB,
  after   BLOB,
  request TEXT NOT NULL
) WITHOUT ROWID;

-- config: raised by every change of objects that is not quiet.
INSERT INTO outlast_counter VALUES ('config', 0);
