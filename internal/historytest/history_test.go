package historytest_test

import (
	"path/filepath"
	"strconv"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/store/storetest"
)

// opener opens handles to one new database.
type opener func(t *testing.T, handles int) []store.Backend

func openMemory(_ *testing.T, handles int) []store.Backend {
	s := memory.New()
	all := make([]store.Backend, handles)
	for i := range all {
		all[i] = s
	}
	return all
}

func openSQLite(t *testing.T, handles int) []store.Backend {
	path := filepath.Join(t.TempDir(), "outlast.db")
	all := make([]store.Backend, handles)
	for i := range all {
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		all[i] = s
	}
	return all
}

var openers = map[string]opener{"memory": openMemory, "SQLite": openSQLite}

// TestHistories on every store, with honest answers and with lost ones.
func TestHistories(t *testing.T) {
	for name, open := range openers {
		for seed := range uint64(3) {
			t.Run(name+"/"+strconv.FormatUint(seed, 10), func(t *testing.T) {
				handles := open(t, 3)
				explained(t, handles[0], handles, seed)
			})
			t.Run(name+"/lost answers/"+strconv.FormatUint(seed, 10), func(t *testing.T) {
				handles := open(t, 3)
				wrapped, injected := make([]store.Backend, len(handles)), 0
				var faults [3]*faulty.Faults
				for i, handle := range handles {
					wrapped[i], faults[i] = faulty.Wrap(handle, seed+uint64(i)*100,
						faulty.Rule{Kind: faulty.Lose, Probability: 0.06}, faulty.Rule{Kind: faulty.Fail, Probability: 0.02})
				}
				explained(t, handles[0], wrapped, seed)
				for i := range faults {
					injected += faults[i].Total()
				}
				if injected < 10 {
					t.Errorf("%d faults were injected", injected)
				}
			})
		}
	}
}

func explained(t *testing.T, control store.Backend, handles []store.Backend, seed uint64) {
	t.Helper()
	for _, finding := range historytest.Run(t, control, handles, historytest.Options{Seed: seed}) {
		t.Error(finding)
	}
	storetest.CheckInvariants(t, control)
}
