package engine

import "time"

// Silent is for how long this node has read the same counter of another living
// one; false of itself and where it has not looked.
func (e *Engine) Silent(node string) (time.Duration, bool) {
	seen := e.beaten.Load()
	if seen == nil {
		return 0, false
	}
	at, known := (*seen)[node]
	return time.Since(at), known
}

// Known counts the tasks in memory, running ones included, by the lanes that
// this node owns.
func (e *Engine) Known() map[uint16]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := make(map[uint16]int, len(e.near.lanes))
	for number, l := range e.near.lanes {
		known[number] = l.count
	}
	return known
}
