package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
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
	plan := func(sql string, args []any) string {
		var text strings.Builder
		err := s.read(t.Context(), func(c *conn) error {
			return c.each(&query{sql: "EXPLAIN QUERY PLAN " + sql}, func(r row) error {
				fmt.Fprintln(&text, r.Text(3))
				return nil
			}, args...)
		})
		if err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	index := map[string]string{taskTable.Name: "outlast_task_failed", deadTable.Name: "outlast_dead_failed"}
	for _, filter := range []store.Filter{{Failed: true}, {FailedSince: time.Now()}, {FailedSince: time.Now(), FailedUntil: time.Now(), Type: "mail"}} {
		for _, source := range sqlstore.SourcesOf(tables, filter, dialect, true) {
			source.Bare(true)
			var end string
			if _, err := source.Floor(planned{plan: func(text string, args []any) { end = plan(text, args) }}, cursor.Place{At: 1, ID: task.ID{1}}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(end, index[source.Table]) || strings.Contains(end, "ORDER BY") {
				t.Errorf("the end of %+v in %s:\n%s", filter, source.Table, end)
			}
			if text := plan(window(source, cursor.Place{}, 10)); !strings.Contains(text, index[source.Table]) {
				t.Errorf("%+v in %s:\n%s", filter, source.Table, text)
			}
		}
	}
}

// planned is told what it is to run.
type planned struct {
	*coldSession
	plan func(text string, args []any)
}

func (p planned) Run(calls ...*sqlstore.Call) error {
	for _, one := range calls {
		p.plan(one.Query.Text, one.Args)
	}
	return nil
}
