package sqlstore

import (
	"testing"

	"github.com/outlast-dev/outlast/task"
)

func TestFewTasksOfManySteps(t *testing.T) {
	ids := []task.ID{{1}, {2}, {3}}
	steps := map[task.ID]int{{1}: 4, {3}: 1}
	for rows, want := range map[int]int{0: 1, 1: 1, 4: 1, 5: 1, 6: 2, 7: 2, 8: 3, 1000: 3} {
		if got := Few(ids, steps, rows); got != want {
			t.Errorf("%d tasks for %d rows, want %d", got, rows, want)
		}
	}
	if got := Few(nil, nil, 5); got != 0 {
		t.Errorf("%d tasks of none", got)
	}
}
