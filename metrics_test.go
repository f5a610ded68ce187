package outlast

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Whatever an outcome says of itself, its labels are text and few: a panic
// here would come after the commit, in the engine's goroutine.
func TestLabelsAreBounded(t *testing.T) {
	m := newMetrics(&Client{})
	for _, category := range []string{"caf\xe9", "made up", "", "network"} {
		m.settled(engine.Outcome{Settlement: &store.Settlement{
			Task: &task.Task{Type: "t"}, Outcome: task.OutcomeFailed, Failure: &task.Failure{Category: category},
		}})
	}
	_ = m.refused(&Error{Code: "caf\xe9"})
	want := `
# HELP outlast_task_attempts_total Attempts that ended, by outcome and, of failures, category.
# TYPE outlast_task_attempts_total counter
outlast_task_attempts_total{category="",outcome="succeeded",queue="",type="t"} 0
outlast_task_attempts_total{category="network",outcome="failed",queue="",type="t"} 1
outlast_task_attempts_total{category="unknown",outcome="failed",queue="",type="t"} 3
`
	if err := testutil.CollectAndCompare(m.outcomes, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
