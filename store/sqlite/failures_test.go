package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/task"
)

// A list of failures, its end and its count read an index from its newest end: nothing is
// put in order, whatever there is.
func TestFailuresAreReadByTheirIndex(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "o.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	plan := func(q *query, args []any) string {
		var text strings.Builder
		err := s.read(t.Context(), func(c *conn) error {
			return c.once().each(&query{sql: "EXPLAIN QUERY PLAN " + q.sql}, func(r row) error {
				fmt.Fprintln(&text, r.Text(3))
				return nil
			}, args...)
		})
		if err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	index := map[string]string{taskSource.table: "outlast_task_failed", deadSource.table: "outlast_dead_failed"}
	for _, filter := range []store.Filter{{Failed: true}, {FailedSince: time.Now()}, {FailedSince: time.Now(), FailedUntil: time.Now(), Type: "mail"}} {
		for _, source := range sources(filter, true) {
			end, args := source.floor(filter, cursor.Place{At: 1, ID: task.ID{1}})
			if text := plan(end, args); !strings.Contains(text, index[source.table]) || strings.Contains(text, "ORDER BY") {
				t.Errorf("the end of %+v in %s:\n%s", filter, source.table, text)
			}
			window, args := source.window(filter, cursor.Place{}, 10)
			if text := plan(window, args); !strings.Contains(text, index[source.table]) {
				t.Errorf("%+v in %s:\n%s", filter, source.table, text)
			}
		}
	}
}
