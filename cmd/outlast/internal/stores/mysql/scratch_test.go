//go:build unix

package mysql

import (
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// The lock of a place is on a connection that says nothing for as long as the run takes,
// and only one run has it.
func TestScratchLockLasts(t *testing.T) {
	t.Parallel()
	server := servertest.MariaDBServer(t)
	open := func() *databases {
		t.Helper()
		place, err := scratch(t.Context(), "mysql://root@"+server.Addr()+"/mysql?wait_timeout=10")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(place.Close)
		return place.(*databases)
	}
	first, second, name := open(), open(), kind.NewScratch()
	if _, err := first.Make(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	var seconds int
	if err := first.held.QueryRowContext(t.Context(), "SELECT @@SESSION.wait_timeout").Scan(&seconds); err != nil || seconds < 1e6 {
		t.Errorf("it may be idle for %d s, %v", seconds, err)
	}
	if _, err := second.Make(t.Context(), name); err == nil || err.Error() != "somebody else holds "+second.What(name) {
		t.Errorf("a second run: %v", err)
	}
}
