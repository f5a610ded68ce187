package engine

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// refusedPause is how long a row waits that a claim refused for a reason
// that will pass by itself: its key runs elsewhere, its key is held.
const (
	runsElsewherePause = time.Second
	heldPause          = 30 * time.Second      // a blocked key asks again, at first after a second
	markPause          = 20 * time.Millisecond // a park mark is on its way
	clockPause         = 2 * time.Millisecond  // the store's clock is behind ours
)

// dispatch is the loop that turns due entries into running attempts.
func (e *Engine) dispatch() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	defer close(e.dispatched)
	for e.claims.Err() == nil {
		batch, wait := e.nextBatch()
		if len(batch) > 0 {
			e.claimBatch(batch)
			continue
		}
		timer.Reset(wait)
		select {
		case <-e.wake:
		case <-timer.C:
		case <-e.claims.Done():
		}
	}
}

// nextBatch picks what can start now, or says how long there is nothing to.
func (e *Engine) nextBatch() ([]*entry, time.Duration) {
	e.lock()
	defer e.unlock()
	at := time.Now()
	now := micros(at)
	e.near.due(at)
	r := room{slots: e.config.Slots - e.near.running, batch: e.config.Batch, bytes: e.config.InFlight - e.bytes}
	if e.lost.Load() || e.silent() || e.stops.Load() || r.slots <= 0 || r.bytes <= 0 && e.near.running > 0 {
		return nil, time.Hour
	}
	if batch := e.near.pick(r); len(batch) > 0 {
		for _, entry := range batch {
			e.bytes += entry.Size
		}
		return batch, 0
	}
	if at, ok := e.near.next(); ok {
		return nil, time.Duration(at-now) * time.Microsecond
	}
	return nil, time.Hour
}

// claim makes the entries this node's, or those of a poll's worker, on disk and
// starts them. Nothing is handed out before the claim's transaction has committed.
func (e *Engine) claim(batch []*entry, p *poll) {
	request := e.claimOf(batch)
	if p != nil {
		request.Worker, request.Release, request.Lease = p.Worker, p.Release, p.Lease
	}
	began := time.Now()
	ctx, cancel := e.storeContext(storeCall)
	claimed, err := e.config.Store.Claim(ctx, request)
	cancel()
	if err != nil {
		e.log.Warn("claim.unknown", "rows", len(batch), "error", err)
		e.unknown("claim")
		claimed.Tasks = e.readBack(batch, request.Holder())
		claimed.Refused = nil
	} else {
		e.claimed(len(claimed.Tasks), began)
		if len(claimed.Tasks) > 0 {
			e.lag.seen(began, time.Now(), claimed.Tasks[0].StartedAt)
		}
	}
	if !e.startFor(request.Node, claimed.Tasks, p, began) {
		// Others may be recovering these rows. The reconciler hands them back
		// if this node turns out to be alive after all.
		e.doubt()
		claimed = store.Claimed{}
	}
	e.putAway(batch, claimed)
}

// claimOf is the request to claim the entries. Its items are in the order of
// their ids, which is how stores keep them.
func (e *Engine) claimOf(batch []*entry) store.Claim {
	request := store.Claim{Node: e.node(), Items: make([]store.ClaimItem, len(batch))}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, entry := range batch {
		request.Items[i] = store.ClaimItem{ID: entry.ID, Mark: entry.mark}
		if l := entry.lane; l != nil && !slices.ContainsFunc(request.Lanes, func(known store.LaneEpoch) bool { return known.Lane == l.number }) {
			request.Lanes = append(request.Lanes, store.LaneEpoch{Lane: l.number, Epoch: l.epoch})
		}
	}
	slices.SortFunc(request.Items, func(a, b store.ClaimItem) int { return a.ID.Compare(b.ID) })
	return request
}

// readBack finds out which rows a claim of unknown outcome has claimed. It
// asks until the store answers or the node is lost; what is left then is
// found by the reconciler or, after the node's death, by recovery.
func (e *Engine) readBack(batch []*entry, holder string) []*task.Task {
	ids := make([]task.ID, len(batch))
	for i, entry := range batch {
		ids[i] = entry.ID
	}
	for pause := 5 * time.Millisecond; sleep(e.claims, pause); pause = min(2*pause, time.Second) {
		ctx, cancel := e.storeContext(storeCall)
		tasks, err := e.config.Store.Running(ctx, holder, ids)
		cancel()
		if err == nil {
			return tasks
		}
	}
	return nil
}

// putAway gives the entries that did not start their place again, by the
// reason for which the store refused them.
func (e *Engine) putAway(batch []*entry, claimed store.Claimed) {
	if len(claimed.Tasks) == len(batch) {
		return
	}
	// Not looked up among the attempts: a claimed task may have run and ended by now.
	started := make(map[task.ID]bool, len(claimed.Tasks))
	for _, t := range claimed.Tasks {
		started[t.ID] = true
	}
	refused := make(map[task.ID]*store.Refusal, len(claimed.Refused))
	for i := range claimed.Refused {
		refused[claimed.Refused[i].ID] = &claimed.Refused[i]
	}
	e.mu.Lock()
	defer e.unlock()
	now := micros(time.Now())
	for _, entry := range batch {
		if started[entry.ID] {
			continue
		}
		e.bytes -= entry.Size
		e.near.giveBack(entry)
		e.near.end(entry)
		if refusal := refused[entry.ID]; refusal != nil {
			e.refused(entry, refusal, now)
		} else {
			e.near.delay(entry, now)
		}
	}
}

func (e *Engine) refused(entry *entry, refusal *store.Refusal, now int64) {
	switch refusal.Reason {
	case store.ReasonLater:
		row := refusal.Entry
		entry.RunAt, entry.Rank = row.RunAt, row.Rank
		e.near.delay(entry, e.lag.retryAt(row.RunAt, now))
	case store.ReasonBehindKey:
		e.behindKey(entry, refusal.Head, now)
	case store.ReasonKeyHeld:
		e.shelve(entry, now)
	case store.ReasonParked:
		if l := entry.lane; l != nil {
			l.note(&refusal.Entry, e.view.Load())
		}
		e.near.forget(entry)
	case store.ReasonEpoch:
		e.near.forget(entry)
		signal(e.balance)
	default:
		e.near.forget(entry)
	}
}

// behindKey makes the true head of a key the head in memory too, or puts the
// key aside where the head is due beyond the horizon.
func (e *Engine) behindKey(entry *entry, head store.Entry, now int64) {
	known := e.near.known[head.ID]
	switch {
	case entry.lane == nil:
		e.near.forget(entry) // borrowed: found again by its mark
	case known != nil && known.where == isBehind && known.line == entry.line:
		known.Entry, known.at = head, head.RunAt
		e.near.promote(known)
	case head.ID.IsZero() || known != nil:
		e.near.delay(entry, now+runsElsewherePause.Microseconds())
	case head.RunAt > e.near.horizon:
		entry.lane.pass(head)
		e.shelve(entry, now)
	default:
		e.fetchHead(entry, head, now)
	}
}

// fetchHead brings a head that memory does not know into it.
func (e *Engine) fetchHead(entry *entry, head store.Entry, now int64) {
	e.near.delay(entry, now)
	if _, soon := e.parking[head.ID]; soon {
		// Its mark is being written or cleared; trying sooner would only be refused.
		e.near.delay(entry, now+markPause.Microseconds())
		return
	}
	if head.Park != 0 {
		entry.lane.note(&head, e.view.Load())
		if entry.lane.marks[head.Park].gate == gateType {
			// No one here can start the head: its key waits for a node that can.
			e.near.delay(entry, now+runsElsewherePause.Microseconds())
			return
		}
		e.parking[head.ID] = 0
		entry.lane.rewind(head.Rank) // read when its mark has gone
		signal(e.load)
		e.near.delay(entry, now+markPause.Microseconds())
		return
	}
	e.near.add(entry.lane.queue, head, true)
}

// shelve parks what memory has of a blocked key. It asks again after a second,
// then after twice as long each time; what happens to the key here, and a
// wake-up of its lane, end the wait.
func (e *Engine) shelve(entry *entry, now int64) {
	l := entry.lane
	if l == nil {
		e.near.forget(entry)
		return
	}
	m := mark{gateKey, entry.Key}
	number := m.number()
	p := l.marks[number]
	if p == nil {
		p = &parked{mark: m}
		l.marks[number] = p
	}
	p.wait = min(max(time.Second, 2*p.wait), heldPause)
	p.until = now + p.wait.Microseconds()
	for _, shelved := range e.near.shelve(entry.line) {
		e.parking[shelved.ID] = number
		e.near.forget(shelved)
	}
	signal(e.load)
}

func (e *Engine) claimed(rows int, began time.Time) {
	if f := e.config.Observer.Claimed; f != nil {
		f(rows, time.Since(began))
	}
}

func (e *Engine) committed(kind string, rows int, began time.Time) {
	if f := e.config.Observer.Committed; f != nil {
		f(kind, rows, time.Since(began))
	}
}

// node is this node's id; it changes when the node was found dead.
func (e *Engine) node() string { return *e.id.Load() }

func micros(t time.Time) int64 { return t.UnixMicro() }

// storeContext is for one store call that outlives the engine's stop but not
// its own time.
func (e *Engine) storeContext(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(e.running), limit)
}
