package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever there is of tasks, steps are found by their key, and what a step asks of its task
// by keys too; nothing is put in order.
func TestStepsAreFoundByTheirKey(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "o.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const byKey = "SEARCH outlast_step USING PRIMARY KEY (id=?)"
	for q, want := range map[*query]string{
		addStep:          "SEARCH t USING COVERING INDEX sqlite_autoindex_outlast_task_1 (id=?)",
		stepsOf.many:     byKey,
		countSteps.many:  byKey,
		deleteSteps.many: byKey,
	} {
		var text strings.Builder
		err := s.read(t.Context(), func(c *conn) error {
			return c.each(&query{sql: "EXPLAIN QUERY PLAN " + q.sql}, func(r row) error {
				fmt.Fprintln(&text, r.Text(3))
				return nil
			})
		})
		if err != nil || !strings.Contains(text.String(), want) || strings.Contains(text.String(), "SCAN") || strings.Contains(text.String(), "TEMP") {
			t.Errorf("%v in\n%s", err, text.String())
		}
	}
}
