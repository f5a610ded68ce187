package postgres_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Rows that say that something runs which is not there do not keep a node's
// tasks from being recovered, however many come before them. Here they are put
// in by hand.
func TestRunsWithoutTasksDoNotStopRecovery(t *testing.T) {
	url := database(t)
	g, p := newGround(t, open(t, url), 1), pool(t, url)
	ids := g.add(3)
	g.claim(ids...)
	for i := range 5 {
		none := task.NewID(time.Now().Add(-time.Hour), g.random).WithLane(g.queue.Numbers[0])
		_, err := p.Exec(t.Context(), "insert into outlast_run (id, lane, claim, started_at, node) values ($1::text::uuid, $2, $3, 1, 'n1')",
			none.String(), int32(g.queue.Numbers[0]), int64(i+1))
		g.ok(err)
	}
	g.ok(g.s.Leave(t.Context(), "n1"))
	recovered := map[task.ID]bool{}
	for range 3 { // 2, 1, none
		rows, err := g.s.Recover(t.Context(), g.queue.Numbers, 2)
		g.ok(err)
		for i := range rows {
			recovered[rows[i].ID] = true
		}
	}
	for _, id := range ids {
		if !recovered[id] {
			t.Errorf("%s was not recovered", id)
		}
	}
	g.sound()
	var left int
	g.ok(p.QueryRow(t.Context(), "select count(*) from outlast_run").Scan(&left))
	if left != 0 {
		t.Errorf("%d rows are left in outlast_run", left)
	}
}
