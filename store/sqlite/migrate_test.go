package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/outlast-dev/outlast/store/sqlite"
)

// killAt is the statement of the migration after which the process that the
// test below starts kills itself; the file is killFile.
const (
	killAt   = "OUTLAST_TEST_KILL_AT"
	killFile = "OUTLAST_TEST_KILL_FILE"
)

// TestMigrationKilledAtAnyStatement kills a process at each statement of the
// migration in turn; the file opens afterwards.
func TestMigrationKilledAtAnyStatement(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		openAndDie(t, n)
		return
	}
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	path := filepath.Join(t.TempDir(), "outlast.db")
	for n := 1; ; n++ {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrationKilledAtAnyStatement$")
		child.Env = append(os.Environ(), killAt+"="+strconv.Itoa(n), killFile+"="+path)
		out, err := child.CombinedOutput()
		if err == nil {
			if n < 20 {
				t.Fatalf("the migration ended before statement %d: the kill does not work", n)
			}
			break
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() == 1 {
			t.Fatalf("at statement %d: %v\n%s", n, err, out)
		}
		// Odd ones leave the file to the next process, which dies as well.
		if n%2 == 0 {
			worksAfterKill(t, path, n)
			path = filepath.Join(t.TempDir(), "outlast.db")
		}
	}
	worksAfterKill(t, path, 0)
}

// openAndDie kills its process after the n-th statement of the migration.
func openAndDie(t *testing.T, n int) {
	seen := 0
	s, err := sqlite.Open(t.Context(), os.Getenv(killFile), sqlite.WithHook(func(point string) {
		if point != "migrate.statement" {
			return
		}
		if seen++; seen == n {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			t.Log(err)
			select {} // until the kill comes
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func worksAfterKill(t *testing.T, path string, n int) {
	t.Helper()
	s := open(t, path)
	all, err := s.Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !m.Applied {
			t.Errorf("killed at statement %d: migration %s is not applied", n, m.Name)
		}
	}
	if wrong, err := s.Check(t.Context()); err != nil || len(wrong) > 0 {
		t.Errorf("killed at statement %d: %v %v", n, wrong, err)
	}
}
