package migrate_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/outlast-dev/outlast/store/internal/migrate"
)

// files are migrations by name.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all["migrations/"+pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return all
}

func TestFilesThatAreNoMigrationsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		files fstest.MapFS
		says  string
	}{
		"a gap":           {files("0001_init.sql", "A;", "0003_more.sql", "B;"), "number 2 is missing"},
		"a bad name":      {files("1.sql", "A;"), "0001_init.sql"},
		"nothing in it":   {files("0001_init.sql", "-- nothing\n"), "no statements"},
		"no files":        {fstest.MapFS{"migrations/x": {Mode: 0o755}}, "0001_init.sql"},
		"a dropped table": {files("0001_init.sql", "A;", "0002_less.sql", "DROP TABLE a;\n"), "would break"},
		"a lost column":   {files("0001_init.sql", "A;", "0002_less.sql", "ALTER TABLE a\n  DROP COLUMN b;\n"), "would break"},
		"a new name":      {files("0001_init.sql", "A;", "0002_less.sql", "ALTER TABLE a RENAME TO b;\n"), "would break"},
		"an unfilled column": {
			files("0001_init.sql", "A;", "0002_more.sql", "ALTER TABLE a ADD COLUMN b int NOT NULL DEFAULT 0, ADD COLUMN c int NOT NULL;\n"), "would break",
		},
	} {
		if _, err := migrate.Load(migrate.SQLite, test.files, "migrations"); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestStatementsEndAtTheEndOfALine(t *testing.T) {
	set, err := migrate.Load(migrate.PostgreSQL, files("0001_init.sql", `-- what it is for
CREATE TABLE a (b text DEFAULT ';x');

CREATE FUNCTION f() RETURNS void AS $$
BEGIN
  PERFORM 1;
END $$ LANGUAGE plpgsql;
INSERT INTO a VALUES ('c')`), "migrations")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := set.Print(&text, "SET LOCAL search_path TO x"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n-- 0001_init\nBEGIN;\nSELECT pg_advisory_xact_lock(31372865309864820);\nSET LOCAL search_path TO x;\n",
		"\nCREATE TABLE a (b text DEFAULT ';x');\n",
		"\nCREATE FUNCTION f() RETURNS void AS $$\nBEGIN\n  PERFORM 1;\nEND $$ LANGUAGE plpgsql;\nINSERT INTO a VALUES ('c');\nINSERT INTO outlast_migration",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}
