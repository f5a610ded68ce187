package engine

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// balancing is the loop that keeps this node's lanes at its share.
func (e *Engine) balancing() {
	ticker := time.NewTicker(e.config.Beat)
	defer ticker.Stop()
	stir := time.NewTimer(time.Hour) // when a stir that came too soon is heeded
	defer stir.Stop()
	looked := time.Now()
	for {
		var asked chan struct{}
		select {
		case <-e.running.Done():
			return
		case <-ticker.C:
		case <-e.balance:
		case asked = <-e.asks:
		case <-stir.C:
		case <-e.stirred:
			if wait := e.stirPause() - time.Since(looked); wait > 0 {
				stir.Reset(wait)
				continue
			}
		}
		looked = time.Now()
		if err := e.balanceOnce(e.running); err != nil && e.running.Err() == nil {
			e.log.Warn("lanes.failed", "error", err)
		}
		if asked != nil {
			close(asked)
		}
	}
}

// stirPause is the time between two looks at the topology because others
// stirred. Some stores tell of every commit, whatever it changed.
func (e *Engine) stirPause() time.Duration {
	if e.hearsAll() {
		return 200 * time.Millisecond
	}
	return 20 * time.Millisecond
}

// balanceOnce reads the topology, judges other nodes, gives lanes back and
// takes free ones.
func (e *Engine) balanceOnce(ctx context.Context) error {
	if err := e.Refresh(ctx); err != nil || e.config.EnqueueOnly || e.lost.Load() {
		return err
	}
	if err := e.judge(ctx); err != nil {
		return err
	}
	if e.stops.Load() {
		return e.giveAllBack(ctx)
	}
	for range takeRounds {
		v, now := e.view.Load(), time.Now()
		if v.me(e.node()) == nil {
			return nil
		}
		p := v.plan(e.node())
		if now.After(e.orphans.keep) {
			if err := e.surrender(ctx, p.surplus); err != nil {
				return err
			}
		}
		taken, err := e.take(ctx, append(p.take, e.orphans.due(p.spare, now)...))
		if err != nil || len(taken) == 0 {
			return err
		}
		if err := e.Refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takeRounds bounds how often a node tries again to take free lanes that
// others took first.
const takeRounds = 4

// baton is a lock that is held during store calls. It is no mutex, since tests in
// virtual time could not wait for one.
type baton chan struct{}

func (b baton) Lock()   { b <- struct{}{} }
func (b baton) Unlock() { <-b }

// Refresh reads the topology now, after a queue was changed.
func (e *Engine) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	e.placing.Lock()
	defer e.placing.Unlock()
	began := time.Now()
	topology, err := e.config.Store.Topology(ctx)
	if err != nil {
		return err
	}
	v := newView(topology)
	v.read = began
	if self := v.alive[e.node()]; self != nil {
		self.Serves = e.serves(v) // its row is as old as its last beat
	}
	if err := e.configure(ctx, topology.Config); err != nil {
		return err
	}
	before := e.view.Swap(v)
	if found := e.apply(before, v); len(found) > 0 {
		e.settleIn(found)
	}
	e.differ(v)
	signal(e.wake)
	return nil
}

// configure tells the node's program that objects have changed. A failure is told
// to nobody but the log, and tried again at the next look, unless nothing is known
// yet.
func (e *Engine) configure(ctx context.Context, number int64) error {
	if e.config.Configure == nil || e.configured.known && e.configured.number == number {
		return nil
	}
	err := e.config.Configure(ctx)
	switch {
	case err == nil:
		e.configured.known, e.configured.number = true, number
	case e.configured.known:
		e.log.Warn("configure.failed", "error", err)
	default:
		return err
	}
	return nil
}

// apply brings memory in line with the topology: lanes that are no longer
// this node's are dropped, lanes that a take of unknown outcome has won are
// added (and returned), queues get their settings.
func (e *Engine) apply(before, v *view) (found []uint16) {
	e.lock()
	defer e.unlock()
	self := e.node()
	e.near.reads(time.Now())
	e.near.listen(v, self)
	e.near.rebind(v.crowd(self, e.storeTime(v)))
	if e.alone = len(v.alive) == 0 || len(v.alive) == 1 && v.alive[self] != nil; e.alone && before != nil && len(before.alive) > 1 {
		e.doubtLeases(nil) // the last of the others may have settled some, and told nobody
	}
	for _, l := range e.near.lanes {
		if row := v.lanes[l.number]; row == nil || row.Owner != self || row.Epoch != l.epoch {
			e.disown(l)
		}
	}
	for name, row := range v.queues {
		q := e.near.queueOf(name)
		if q.paused && !row.Paused {
			e.near.awaitExpiries(q)
		}
		q.paused, q.weight, q.unknownDies = row.Paused, max(1, row.Weight), row.UnknownType == "dead"
		q.limit, q.until = e.place(v, row)
	}
	for number, row := range v.lanes {
		if row.Owner == self && e.near.lanes[number] == nil && !e.config.EnqueueOnly {
			e.near.own(number, row.Epoch, e.near.queueOf(row.Queue))
			found = append(found, number)
		}
	}
	e.lookIntoNew(before, v)
	return found
}

// place is this node's part of a queue's limit, and until when, µs. Turns go by the
// store's clock, as far as it is known.
func (e *Engine) place(v *view, q *store.Queue) (limit int, until int64) {
	limit, end := v.place(q, e.node(), e.storeTime(v))
	if end.IsZero() {
		return limit, 0
	}
	return limit, micros(end.Add(e.lagged()))
}

// lagged is how far this node's clock is ahead of the store's.
func (e *Engine) lagged() time.Duration { return time.Duration(e.lag.micros.Load()) * time.Microsecond }

// storeTime is when the view was read, by the store's clock as far as it is known.
func (e *Engine) storeTime(v *view) time.Time { return v.read.Add(-e.lagged()) }

// disown forgets a lane, with the marks that were still to be written in it:
// they are its next owner's. The engine's lock must be held.
func (e *Engine) disown(l *lane) {
	e.near.disown(l)
	for id := range e.parking {
		if id.Lane() == l.number {
			delete(e.parking, id)
		}
	}
}

// take takes free lanes.
func (e *Engine) take(ctx context.Context, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if len(lanes) == 0 {
		return nil, nil
	}
	e.placing.Lock()
	defer e.placing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	taken, err := e.config.Store.TakeLanes(ctx, e.node(), lanes)
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	numbers := make([]uint16, len(taken))
	v := e.view.Load()
	e.mu.Lock()
	for i, l := range taken {
		numbers[i] = l.Lane
		name, _ := v.queueOf(l.Lane)
		e.near.own(l.Lane, l.Epoch, e.near.queueOf(name))
	}
	e.mu.Unlock()
	e.settleIn(numbers)
	return taken, nil
}

// settleIn recovers what the last owners of new lanes left running, reads
// their park marks and makes the loader fill them.
func (e *Engine) settleIn(lanes []uint16) {
	e.log.Info("lanes.taken", "count", len(lanes))
	e.sweep(lanes)
	e.readMarks(lanes)
	signal(e.load)
}
