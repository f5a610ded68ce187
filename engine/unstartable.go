package engine

import (
	"slices"
	"time"
)

// mostNamed is how many types a line of the log names.
const mostNamed = 10

// warnUnstartable says, once a minute for each queue, that tasks wait for a node that
// can start them and that no living node can: how many types, and the first of them.
func (e *Engine) warnUnstartable() {
	now := time.Now()
	for queue, at := range e.warned {
		if now.Sub(at) > 2*rescan {
			delete(e.warned, queue)
		}
	}
	for queue, types := range e.unstartable() {
		if now.Sub(e.warned[queue]) < rescan {
			continue
		}
		e.warned[queue] = now
		slices.Sort(types)
		types = slices.Compact(types)
		e.log.Warn("task.no_worker", "queue", queue, "types", len(types), "first", types[:min(len(types), mostNamed)],
			"hint", "start a node that handles the types; their tasks wait")
	}
}

// unstartable are the types, by queue, of parked tasks that no living node can start.
func (e *Engine) unstartable() map[string][]string {
	view, types := e.view.Load(), map[string][]string{}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.near.lanes {
		if now := time.Now(); now.Sub(e.warned[l.queue.name]) < rescan {
			continue
		}
		for _, m := range l.marks {
			if m.gate == gateType && !isAbility(m.name) && !view.canStart(l.queue.name, m.name) {
				types[l.queue.name] = append(types[l.queue.name], m.name)
			}
		}
	}
	return types
}
