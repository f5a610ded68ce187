package outlast_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// A database that was opened as it is and has no tables is refused with what to do
// about it, not with the error of whichever statement comes first.
func TestDatabaseWithoutTablesIsRefused(t *testing.T) {
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "empty.db"), sqlite.WithoutMigration())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	}()
	client, err := outlast.Open(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	err = client.Start(t.Context())
	if !errors.Is(err, &outlast.Error{Code: task.CodeUnavailable}) || !strings.Contains(err.Error(), "lacks the migration 0001") || !strings.Contains(err.Error(), "migrate up") {
		t.Errorf("start: %v", err)
	}
	if err := backend.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Errorf("start with tables: %v", err)
	}
	if err := client.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
