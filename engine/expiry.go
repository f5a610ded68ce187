package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A task ends at its deadline also while gates hold it, if the deadline is known: a row
// does not show it, only the whole task does. It is known of tasks that were claimed
// before, and of those that wait for a target of which nobody took the last task: they
// are read for it, once.

// expiry is an entry in the order of the deadlines.
type expiry entry

func (x *expiry) place() *int { return &x.doom }

// readDeadline notes the deadline of an entry that is in no structure.
func (e *entry) readDeadline(at time.Time) {
	e.expires, e.read = 0, true
	if !at.IsZero() {
		e.expires = micros(at.Add(time.Microsecond - 1)) // not before it
	}
}

// awaitExpiry watches the deadline of an entry that is ready.
func (n *near) awaitExpiry(e *entry) {
	if e.expires != 0 && e.doom < 0 {
		n.expiries.push((*expiry)(e))
	}
}

// awaitExpiries does so again for all of a queue that goes on: those whose deadline has
// passed in the pause were left.
func (n *near) awaitExpiries(q *queue) {
	for _, s := range q.streams {
		for of := range s.ready {
			for _, item := range s.ready[of].items {
				n.awaitExpiry(item.item)
			}
		}
	}
}

// leaveExpiries ends that.
func (n *near) leaveExpiries(e *entry) {
	if e.doom >= 0 {
		n.expiries.remove((*expiry)(e))
	}
}

// nextExpiry is when the next deadline passes.
func (n *near) nextExpiry() int64 {
	if n.expiries.len() == 0 {
		return math.MaxInt64
	}
	return n.expiries.first().expires
}

// expired takes entries whose deadline has passed, past all gates but that of a paused
// queue: they end without having started, and nothing is called. They have no grant.
func (n *near) expired(most, bytes int) (picked []*entry, size int) {
	for len(picked) < most && n.nextExpiry() <= n.now {
		e := (*entry)(n.expiries.first())
		if e.queue.paused {
			n.leaveExpiries(e) // it ends when the queue goes on
			continue
		}
		if size += e.Size; size > bytes && size > e.Size {
			return picked, size - e.Size
		}
		n.lift(e)
		n.occupy(e)
		e.overdue = true
		picked = append(picked, e)
	}
	return picked, size
}

// overdue is why a task ends whose deadline has passed before it could start.
func (e *Engine) overdue(t *task.Task) error {
	if target, known := e.Target(t.Target); known && target.Held.Failures > 0 {
		return fmt.Errorf("%w while nobody took the task: %s", retry.ErrDeadline, target.Held.Error)
	}
	return retry.ErrDeadline
}

// mostUnread is how many tasks are read for their deadlines at a time, without their
// payloads.
const mostUnread = 500

// readDeadlines reads the deadlines of tasks that wait for targets of which nobody
// took the last task.
func (e *Engine) readDeadlines() {
	reader, ok := store.As[store.Query](e.config.Store)
	for read := mostUnread; ok && read == mostUnread; {
		e.mu.Lock()
		ids := e.near.unread(mostUnread)
		e.mu.Unlock()
		if read = len(ids); read > 0 {
			ok = e.readDeadlinesOf(reader, ids)
		}
	}
}

func (e *Engine) readDeadlinesOf(reader store.Query, ids []task.ID) bool {
	ctx, cancel := context.WithTimeout(e.running, storeCall)
	defer cancel()
	deadlines := make(map[task.ID]time.Time, len(ids))
	for page := (store.Page{Limit: len(ids), Bare: true}); ; {
		tasks, next, err := reader.Find(ctx, store.Filter{IDs: ids, State: task.Pending}, page)
		if err != nil {
			return false
		}
		for _, t := range tasks {
			if policy, err := e.config.Registry.Policy(t); err == nil {
				deadlines[t.ID] = deadline(t, policy)
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		if entry := e.near.known[id]; entry != nil && entry.where == isReady && !entry.read {
			entry.stream.unread--
			entry.readDeadline(deadlines[id])
			e.near.awaitExpiry(entry)
		}
	}
	return true
}

// unread lists ready entries of unknown deadline whose target is left alone.
func (n *near) unread(most int) (ids []task.ID) {
	for _, t := range n.targets {
		if t.guard == nil || t.guard.held.Failures == 0 {
			continue
		}
		for _, s := range t.streams {
			ids = s.addUnread(ids, most)
		}
	}
	return ids
}

// addUnread adds those of the stream. The last to come are mostly at the ends.
func (s *stream) addUnread(ids []task.ID, most int) []task.ID {
	left := s.unread
	for of := range s.ready {
		items := s.ready[of].items
		for i := len(items) - 1; i >= 0 && left > 0 && len(ids) < most; i-- {
			if e := items[i].item; !e.read {
				ids = append(ids, e.ID)
				left--
			}
		}
	}
	return ids
}
