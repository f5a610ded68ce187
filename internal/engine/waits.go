package engine

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostUnread is how many tasks are read for their deadlines at a time, without their
// payloads.
const mostUnread = 500

// readDeadlines reads the deadlines of tasks that wait for targets of which nobody
// took the last task.
func (o *loader) readDeadlines() {
	reader, ok := store.As[store.Query](o.config.Store)
	for read := mostUnread; ok && read == mostUnread; {
		o.lock()
		ids := o.agenda.UnknownDeadlines(mostUnread)
		o.unlock()
		if read = len(ids); read > 0 {
			ok = o.readDeadlinesOf(reader, ids)
		}
	}
}

func (o *loader) readDeadlinesOf(reader store.Query, ids []task.ID) bool {
	ctx, cancel := context.WithTimeout(o.running, storeCall)
	defer cancel()
	deadlines := make(map[task.ID]time.Time, len(ids))
	for page := (store.Page{Limit: len(ids), Bare: true}); ; {
		tasks, next, err := reader.Find(ctx, store.Filter{IDs: ids, State: task.Pending}, page)
		if err != nil {
			return false
		}
		for _, t := range tasks {
			if policy, err := o.config.Registry.Policy(t); err == nil {
				deadlines[t.ID] = deadline(t, policy)
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	o.lock()
	defer o.unlock()
	o.agenda.NoteDeadlines(deadlines, ids)
	return true
}

const (
	mostNamed = 10          // types that a line of the log names
	warnEvery = time.Minute // between two lines about a queue
)

// warnUnstartable says, once a minute for each queue, that tasks wait for a node that
// can start them and that no living node can: how many types, and the first of them.
func (o *loader) warnUnstartable() {
	now := time.Now()
	for queue, at := range o.warned {
		if now.Sub(at) > 2*warnEvery {
			delete(o.warned, queue)
		}
	}
	for queue, types := range o.unstartable() {
		if now.Sub(o.warned[queue]) < warnEvery {
			continue
		}
		o.warned[queue] = now
		slices.Sort(types)
		types = slices.Compact(types)
		o.log.Warn("task.no_worker", "queue", queue, "types", len(types), "first", types[:min(len(types), mostNamed)],
			"hint", "start a node that handles the types; their tasks wait")
	}
}

// unstartable are the types, by queue, of parked tasks that no living node can start.
func (o *loader) unstartable() map[string][]string {
	view, types := o.member.View(), map[string][]string{}
	o.lock()
	defer o.unlock()
	for _, l := range o.agenda.Lanes() {
		if now := time.Now(); now.Sub(o.warned[l.Queue().Name()]) < warnEvery {
			continue
		}
		for capability := range l.Left {
			if _, ability := store.ReachOf(capability); !ability && !view.CanStart(l.Queue().Name(), capability) {
				types[l.Queue().Name()] = append(types[l.Queue().Name()], capability)
			}
		}
	}
	return types
}
