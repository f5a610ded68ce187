package historytest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/outlast-dev/outlast/task"
)

// history is all that the clients saw, by task. It is safe for concurrent
// use.
type history struct {
	now func() int64 // the time of the history, which never goes back

	mu    sync.Mutex
	tasks map[task.ID][]porcupine.Operation
	seen  map[verdict]int
}

func newHistory() *history {
	began := time.Now()
	return &history{now: func() int64 { return int64(time.Since(began)) }, tasks: map[task.ID][]porcupine.Operation{}, seen: map[verdict]int{}}
}

// add records a call of one task that began at the given time and has just
// been answered. A call of unknown outcome may be done as long as there is
// time.
func (h *history) add(client int, id task.ID, began int64, c call, a answer) {
	ended := h.now()
	if a.verdict == unknown {
		ended = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[a.verdict]++
	h.tasks[id] = append(h.tasks[id], porcupine.Operation{ClientId: client, Input: c, Call: began, Output: a, Return: ended})
}

// checkTime bounds the search for an order, per task.
const checkTime = 20 * time.Second

// findings names the tasks whose answers no order explains.
func (h *history) findings() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for _, id := range slices.SortedFunc(maps.Keys(h.tasks), task.ID.Compare) {
		switch porcupine.CheckOperationsTimeout(model, h.tasks[id], checkTime) {
		case porcupine.Illegal:
			all = append(all, fmt.Sprintf("task %s: no order explains\n%s", id, h.tell(id)))
		case porcupine.Unknown:
			all = append(all, fmt.Sprintf("task %s: no order found within %s for\n%s", id, checkTime, h.tell(id)))
		}
	}
	return all
}

// tell shows the calls of a task as they began.
func (h *history) tell(id task.ID) string {
	calls := slices.Clone(h.tasks[id])
	slices.SortStableFunc(calls, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var text strings.Builder
	for _, o := range calls {
		ended := "never"
		if o.Return != math.MaxInt64 {
			ended = time.Duration(o.Return).String()
		}
		fmt.Fprintf(&text, "  %14s to %14s  client %2d  %s -> %s\n", time.Duration(o.Call), ended, o.ClientId, o.Input, o.Output)
	}
	return text.String()
}
