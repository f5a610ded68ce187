package engine

import (
	"context"
	"slices"
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
		select {
		case <-e.running.Done():
			return
		case <-ticker.C:
		case <-e.balance:
		case <-stir.C:
		case <-e.stirred:
			if wait := stirEvery - time.Since(looked); wait > 0 {
				stir.Reset(wait)
				continue
			}
		}
		looked = time.Now()
		if err := e.balanceOnce(e.running); err != nil && e.running.Err() == nil {
			e.log.Warn("lanes.failed", "error", err)
		}
	}
}

// stirEvery is the time between two looks at the topology because others
// stirred: some stores tell of every commit, whatever it changed.
const stirEvery = 200 * time.Millisecond

// balanceOnce reads the topology, judges other nodes, gives lanes back and
// takes free ones.
func (e *Engine) balanceOnce(ctx context.Context) error {
	if err := e.Refresh(ctx); err != nil || e.config.EnqueueOnly || e.lost.Load() {
		return err
	}
	if err := e.judge(ctx); err != nil {
		return err
	}
	for range 8 {
		take, giveBack := e.plan()
		if err := e.giveBack(ctx, giveBack); err != nil {
			return err
		}
		taken, err := e.take(ctx, take)
		if err != nil || len(taken) == 0 {
			return err
		}
		if err := e.Refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Refresh reads the topology now, after a queue was changed.
func (e *Engine) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	e.placing.Lock()
	defer e.placing.Unlock()
	topology, err := e.config.Store.Topology(ctx)
	if err != nil {
		return err
	}
	v := newView(topology)
	e.view.Store(v)
	if found := e.apply(v); len(found) > 0 {
		e.settleIn(found)
	}
	signal(e.wake)
	return nil
}

// apply brings memory in line with the topology: lanes that are no longer
// this node's are dropped, lanes that a take of unknown outcome has won are
// added (and returned), queues get their settings.
func (e *Engine) apply(v *view) (found []uint16) {
	e.mu.Lock()
	defer e.unlock()
	self := e.node()
	e.near.reads(time.Now())
	e.near.listen(v, self)
	e.alone = len(v.alive) == 0 || len(v.alive) == 1 && v.alive[self] != nil
	for _, l := range e.near.lanes {
		if row := v.lanes[l.number]; row == nil || row.Owner != self || row.Epoch != l.epoch {
			e.disown(l)
		}
	}
	for name, row := range v.queues {
		q := e.near.queueOf(name)
		q.paused, q.weight, q.unknownDies = row.Paused, max(1, row.Weight), row.UnknownType == "dead"
		q.limit = v.limitShare(row, self)
	}
	for number, row := range v.lanes {
		if row.Owner == self && e.near.lanes[number] == nil && !e.config.EnqueueOnly {
			e.near.own(number, row.Epoch, e.near.queueOf(row.Queue))
			found = append(found, number)
		}
	}
	return found
}

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

// limitShare is a node's part of a queue's limit: the limit divided by the
// nodes that may run tasks of the queue, the remainder going to the first of
// them by id. A node without a part owns no lanes of the queue either.
func (v *view) limitShare(q *store.Queue, node string) int {
	if q == nil || q.Concurrency == 0 {
		return 0
	}
	nodes := v.sharers(q.Name)
	at := slices.Index(nodes, node)
	if at < 0 {
		return noShare
	}
	share := q.Concurrency / len(nodes)
	if at < q.Concurrency%len(nodes) {
		share++
	}
	if share == 0 {
		return noShare
	}
	return share
}

// sharers lists the living nodes between which a queue's limit is divided, by
// id: all that serve it, since each may run tasks that only it can start.
func (v *view) sharers(queue string) []string {
	var nodes []string
	for id, n := range v.alive {
		if _, serves := n.Serves[queue]; serves {
			nodes = append(nodes, id)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// noShare is a limit under which nothing starts: more nodes than the limit
// allows tasks.
const noShare = -1

func (e *Engine) plan() (take []store.LaneEpoch, giveBack []uint16) {
	v := e.view.Load()
	self := v.alive[e.node()]
	if self == nil {
		return nil, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return v.plan(self, func(lane uint16) bool { return e.near.lanes[lane] != nil })
}

// take takes free lanes.
func (e *Engine) take(ctx context.Context, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if len(lanes) == 0 {
		return nil, nil
	}
	e.placing.Lock()
	defer e.placing.Unlock()
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

// giveBack frees lanes of this node that hold no running keyed task.
func (e *Engine) giveBack(ctx context.Context, numbers []uint16) error {
	if len(numbers) == 0 {
		return nil
	}
	var lanes []store.LaneEpoch
	e.mu.Lock()
	for _, number := range numbers {
		if l := e.near.lanes[number]; l != nil {
			lanes = append(lanes, store.LaneEpoch{Lane: l.number, Epoch: l.epoch})
		}
	}
	e.mu.Unlock()
	freed, err := e.config.Store.FreeLanes(ctx, e.node(), lanes)
	if err != nil {
		return err
	}
	e.mu.Lock()
	for _, lane := range freed {
		if l := e.near.lanes[lane.Lane]; l != nil {
			e.disown(l)
		}
	}
	e.mu.Unlock()
	if len(freed) > 0 {
		e.log.Info("lanes.freed", "count", len(freed))
	}
	return nil
}
