package engine

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// The node that leased a task keeps its place until it knows that the worker does
// not have the task any more. The worker may tell any node, and that node tells the
// one that leased, by a wake-up about the lane: it is heeded by asking the store
// which of the leases in that lane still hold. A wake-up may be lost, so while other
// nodes live the store is asked about every lease once a second. Only what the store
// says ends an attempt here, so whatever else is known of a lease may be wrong.

const (
	leaseTick = time.Second           // how often the store is asked about every lease
	leaseRest = 10 * time.Millisecond // between two looks, however many wake-ups come
	// leaseShare: a look is followed by so many times its own length without one,
	// longestRest at most.
	leaseShare  = 10
	longestRest = 5 * time.Second
	leaseRows   = 500     // leases of one read
	leaseBytes  = 4 << 20 // payloads of one read, if it has more than one row
)

// began and ended note the leases of this node. The engine's lock must be held.
func (r *remote) began(a *attempt) {
	if a.entry.attempt != a {
		return // it has ended already
	}
	lane := a.entry.ID.Lane()
	if r.leases == nil {
		r.leases = map[uint16]map[*attempt]bool{}
	}
	if r.leases[lane] == nil {
		r.leases[lane] = map[*attempt]bool{}
	}
	r.leases[lane][a] = true
}

func (r *remote) ended(a *attempt) {
	lane := a.entry.ID.Lane()
	if delete(r.leases[lane], a); len(r.leases[lane]) == 0 {
		delete(r.leases, lane)
	}
}

// held yields the leased attempts whose end was not handed in. The engine's lock
// must be held.
func (r *remote) held(yield func(*attempt) bool) {
	for _, attempts := range r.leases {
		for a := range attempts {
			if !a.settled.Load() && !yield(a) {
				return
			}
		}
	}
}

// leaser is a node that leased tasks of a lane.
type leaser struct {
	node string
	lane uint16
}

// changedLease notes that a task has ended that a holder had, so that the node
// which leased it looks. The engine's lock must be held.
func (e *Engine) changedLease(holder string, lane uint16) {
	node, worker, _ := task.Runner(holder)
	if e.alone || worker == "" || node == e.node() {
		return
	}
	if e.news.leasers == nil {
		e.news.leasers = map[leaser]bool{}
	}
	e.news.leasers[leaser{node, lane}] = true
	signal(e.told)
}

// doubtLeases has the leases in lanes, without any those in all, looked at now. The
// engine's lock must be held.
func (e *Engine) doubtLeases(lanes []uint16) {
	r := &e.remote
	if len(r.leases) == 0 {
		return
	}
	found := len(lanes) == 0
	r.any = r.any || found
	for _, lane := range lanes {
		if r.leases[lane] == nil {
			continue
		}
		if r.heard == nil {
			r.heard = map[uint16]bool{}
		}
		r.heard[lane], found = true, true
	}
	if found {
		signal(e.doubtful)
	}
}

// doubtLease has one looked at now. The engine's lock must be held.
func (e *Engine) doubtLease(l *lease) {
	l.doubt = true
	signal(e.doubtful)
}

// sighted doubts the lease of a task that was seen waiting on disk although a worker
// of this node should have it: another node may have settled or recovered it. The
// engine's lock must be held.
func (e *Engine) sighted(id task.ID) {
	if known := e.near.known[id]; known != nil && known.isLeased() {
		e.doubtLease(known.attempt.lease)
	}
}

// watchingLeases is the loop that asks the store about leases. It takes a tenth of
// the time at most.
func (e *Engine) watchingLeases() {
	ticker := time.NewTicker(leaseTick)
	defer ticker.Stop()
	for {
		all := false
		select {
		case <-e.running.Done():
			return
		case <-ticker.C:
			all = true
		case <-e.doubtful:
		}
		if e.lost.Load() {
			continue
		}
		began := time.Now()
		if !e.checkLeases(began, all) {
			continue
		}
		if !sleep(e.running, min(max(leaseRest, leaseShare*time.Since(began)), longestRest)) {
			return
		}
	}
}

// checkLeases asks the store about leases in doubt, or all, and reports whether
// there were any.
func (e *Engine) checkLeases(now time.Time, all bool) (any bool) {
	failed := false
	for holder, attempts := range e.inDoubt(now, all) {
		for len(attempts) > 0 {
			some := attempts[:oneRead(attempts)]
			attempts = attempts[len(some):]
			failed = failed || !e.checkSome(holder, some, now)
			if failed {
				e.doubtAgain(some)
			}
		}
		any = true
	}
	return any
}

// inDoubt takes the leases to ask about, by holder: those that were doubted, and if
// all are asked for, those that this node or another may have let end since the store
// was asked last.
func (e *Engine) inDoubt(now time.Time, all bool) map[string][]*attempt {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &e.remote
	heard, any := r.heard, r.any
	r.heard, r.any = nil, false
	out := map[string][]*attempt{}
	for a := range r.held {
		l := a.lease
		old := all && now.Sub(l.asked) > leaseTick/2 && (!e.alone || now.After(l.until))
		if any || old || l.doubt || heard[a.entry.ID.Lane()] {
			l.doubt = false
			out[a.run.Task.Node] = append(out[a.run.Task.Node], a)
		}
	}
	return out
}

// oneRead is how many of the attempts are read together.
func oneRead(attempts []*attempt) (count int) {
	for bytes := 0; count < min(len(attempts), leaseRows); count++ {
		if bytes += len(attempts[count].run.Task.Payload); bytes > leaseBytes && count > 0 {
			break
		}
	}
	return count
}

// doubtAgain keeps leases in doubt about which the store gave no answer, for the next
// tick.
func (e *Engine) doubtAgain(attempts []*attempt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range attempts {
		a.lease.doubt = true
	}
}

// checkSome asks the store which of a holder's tasks it still has, and lets go of the
// others.
func (e *Engine) checkSome(holder string, attempts []*attempt, now time.Time) bool {
	ids := make([]task.ID, len(attempts))
	for i, a := range attempts {
		ids[i] = a.run.Task.ID
	}
	ctx, cancel := e.storeContext(storeCall)
	defer cancel()
	rows, err := e.config.Store.Running(ctx, holder, ids)
	if err != nil {
		e.log.Warn("leases.failed", "error", err)
		return false
	}
	claims := make(map[task.ID]int64, len(rows))
	for _, t := range rows {
		claims[t.ID] = t.Claim
	}
	e.lock()
	for _, a := range attempts {
		if claims[a.run.Task.ID] == a.run.Task.Claim {
			a.lease.asked = now
		} else {
			e.letGo(a)
		}
	}
	e.unlock()
	signal(e.wake)
	signal(e.load)
	return true
}

// lookAgain makes the loader look for the row of a task that this node had leased:
// it may wait again. The engine's lock must be held.
func (e *Engine) lookAgain(entry *entry) {
	lane := entry.ID.Lane()
	if e.near.lanes[lane] != nil {
		e.near.lookFor(lane, entry.Rank)
		return
	}
	e.lenders[lane] = true
	signal(e.changed)
}
