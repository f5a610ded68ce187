package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Counts of the backlog walk the index by rank within the ranges that they are given, so
// that rows parked behind held keys cost nothing; those are counted by the index of keys.
func TestBacklogIsCountedByIndexes(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "o.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for q, want := range map[*query]string{
		countWithin: "SEARCH t USING COVERING INDEX outlast_task_rank (lane=? AND park>? AND park<?)",
		countUnheld: "SEARCH t USING INDEX outlast_task_rank (lane=? AND park>? AND park<?)",
		countKeys:   "SEARCH t USING COVERING INDEX outlast_task_key (lane=? AND key=?)",
	} {
		var text strings.Builder
		err := s.read(t.Context(), func(c *conn) error {
			return c.each(&query{sql: "EXPLAIN QUERY PLAN " + q.sql}, func(r row) error {
				fmt.Fprintln(&text, r.Text(3))
				return nil
			}, `[[1, 2, 3]]`, 10)
		})
		if err != nil || !strings.Contains(text.String(), want) || strings.Contains(text.String(), "SCAN t") {
			t.Errorf("%v in\n%s", err, text.String())
		}
	}
}
