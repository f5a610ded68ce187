package prom

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// However many queues and channels there are, the first have series of their own and the
// others share one.
func TestQueueAndChannelLabelsAreBounded(t *testing.T) {
	all := map[string]inspect.QueueMemory{}
	for i := range 150 {
		all[fmt.Sprintf("q%03d", i)] = inspect.QueueMemory{Running: 1, Known: 2, Lanes: 8}
	}
	bound := boundQueues(all)
	if len(bound) != 101 || bound["q099"].Lanes != 8 || bound[otherTypes] != (inspect.QueueMemory{Running: 50, Known: 100, Lanes: 400}) {
		t.Errorf("%d queues, %+v", len(bound), bound[otherTypes])
	}
	if few := boundQueues(map[string]inspect.QueueMemory{"other": {Running: 1}}); len(few) != 1 || few["other"].Running != 1 {
		t.Error(few)
	}
	m := newMetrics(nil)
	for i := range 150 {
		for range 2 {
			m.told(fmt.Sprint("channel", i), "sent")
		}
	}
	if n := testutil.CollectAndCount(m.alerts); n != 101 || testutil.ToFloat64(m.alerts.WithLabelValues(otherTypes, "sent")) != 100 {
		t.Errorf("%d series of channels", n)
	}
}

// Whatever an outcome says of itself, its labels are text and few: a panic
// here would come after the commit, in the engine's goroutine.
func TestLabelsAreBounded(t *testing.T) {
	m := newMetrics(nil)
	for _, category := range []string{"caf\xe9", "made up", "", "network"} {
		m.settled(t.Context(), outlast.Outcome{Settlement: &store.Settlement{
			Task: &task.Task{Type: "t"}, Outcome: task.OutcomeFailed, Failure: &task.Failure{Category: category},
		}})
	}
	m.refused(t.Context(), &outlast.Error{Code: "caf\xe9"})
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
