-- Configuration as named objects. The body is JSON that the store does not
-- look into.
CREATE TABLE outlast_object (
  kind       text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  body       bytea NOT NULL,
  managed    text NOT NULL,
  actor      text NOT NULL,
  version    bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

-- The last versions of each, the present one included. One without a body is
-- the end of the object.
CREATE TABLE outlast_object_version (
  kind       text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  body       bytea,
  managed    text NOT NULL,
  actor      text NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (kind, name, version)
);

-- Changes with an id, for a day: the versions that they made.
CREATE TABLE outlast_change (
  id       text COLLATE "C" PRIMARY KEY,
  at       bigint NOT NULL,
  versions text NOT NULL
);
CREATE INDEX outlast_change_at ON outlast_change (at);

-- The audit log. Ids grow with time.
CREATE TABLE outlast_audit (
  id      uuid PRIMARY KEY,
  at      bigint NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  address text NOT NULL,
  action  text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  before  bytea,
  after   bytea,
  request text NOT NULL
);

-- config: raised by every change of objects that is not quiet.
INSERT INTO outlast_counter VALUES ('config', 0);
