package sqlstore

import "github.com/outlast-dev/outlast/task"

// Few is how many of the first tasks one transaction deletes with their steps, which are
// counted, if it is to delete so many rows: one at least. A task may have as many steps as
// a transaction has tasks otherwise.
func Few(ids []task.ID, steps map[task.ID]int, rows int) int {
	for i, id := range ids {
		if rows -= 1 + steps[id]; rows < 0 && i > 0 {
			return i
		}
	}
	return len(ids)
}
