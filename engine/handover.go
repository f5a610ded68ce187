package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Lanes change hands without repeating work: what runs goes on and settles by
// its claim number; only a lane with a running keyed task stays, since its
// next owner could not tell the order of the key. A lane that always has one
// is drained: for a few seconds no keyed task of it starts.
const (
	drainFor   = 5 * time.Second
	drainAgain = time.Minute     // a lane that could not be drained is left alone so long
	orphanFor  = 3 * time.Second // a free lane that others should take, and do not, is taken after that
	keepFor    = time.Minute     // what was taken so is kept so long
)

// orphans are the free lanes that others should have taken: seen by the
// balancing loop alone.
type orphans struct {
	since map[uint16]time.Time
	keep  time.Time // until then, this node gives nothing back: others do not take it
}

// due returns those of the spare lanes that nobody takes.
func (o *orphans) due(spare []store.LaneEpoch, now time.Time) (take []store.LaneEpoch) {
	since := make(map[uint16]time.Time, len(spare))
	for _, l := range spare {
		at, known := o.since[l.Lane]
		if !known {
			at = now
		}
		if since[l.Lane] = at; now.Sub(at) >= orphanFor {
			take = append(take, l)
			o.keep = now.Add(keepFor)
		}
	}
	o.since = since
	return take
}

// surrender gives back what this node has beyond its shares, all of it when
// the node stops.
func (e *Engine) surrender(ctx context.Context, surplus map[string]int) error {
	e.mu.Lock()
	var lanes []*lane
	for queue, count := range surplus {
		lanes = append(lanes, e.toGive(queue, count)...)
	}
	e.mu.Unlock()
	return e.giveBack(ctx, lanes)
}

// toGive chooses lanes of a queue to give back: without running keyed tasks
// and with little in memory, if there are such; others are drained. The
// engine's lock must be held.
func (e *Engine) toGive(queue string, count int) (give []*lane) {
	busy := e.near.busyLanes()
	var mine []*lane
	for _, l := range e.near.lanes {
		if l.queue.name == queue {
			mine = append(mine, l)
		}
	}
	slices.SortFunc(mine, func(a, b *lane) int {
		return cmp.Or(cmp.Compare(busy[a], busy[b]), cmp.Compare(a.count, b.count), cmp.Compare(b.number, a.number))
	})
	now := micros(time.Now())
	for _, l := range mine[:min(count, len(mine))] {
		if busy[l] == 0 {
			give = append(give, l)
		} else if now >= l.drains {
			e.near.drain(l, now)
		}
	}
	return give
}

// busyLanes counts the running keyed tasks of lanes.
func (n *near) busyLanes() map[*lane]int {
	busy := map[*lane]int{}
	for _, line := range n.lines {
		if e := line.head; e != nil && e.where == isClaimed && e.lane != nil {
			busy[e.lane]++
		}
	}
	return busy
}

// drain lets no keyed task of a lane start for a while.
func (n *near) drain(l *lane, now int64) {
	l.drained, l.drains = now+drainFor.Microseconds(), now+drainAgain.Microseconds()
	for _, line := range n.lines {
		if e := line.head; e != nil && e.lane == l && e.where == isReady {
			n.delay(e, l.drained)
		}
	}
}

// held reports whether an entry that is due waits for its lane to be drained.
func (e *entry) held(now int64) bool {
	return e.line != nil && e.lane != nil && e.lane.drained > now
}

// giveBack frees lanes of this node that hold no running keyed task.
func (e *Engine) giveBack(ctx context.Context, lanes []*lane) error {
	if len(lanes) == 0 {
		return nil
	}
	e.placing.Lock()
	defer e.placing.Unlock()
	given := make([]store.LaneEpoch, len(lanes))
	for i, l := range lanes {
		given[i] = store.LaneEpoch{Lane: l.number, Epoch: l.epoch}
	}
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	freed, err := e.config.Store.FreeLanes(ctx, e.node(), given)
	if err != nil {
		return err
	}
	e.mu.Lock()
	for _, lane := range freed {
		if l := e.near.lanes[lane.Lane]; l != nil && l.epoch == lane.Epoch {
			e.disown(l)
		}
	}
	if len(freed) > 0 {
		e.stirOthers()
	}
	e.mu.Unlock()
	if len(freed) > 0 {
		e.log.Info("lanes.freed", "count", len(freed))
	}
	return nil
}

// retire tells others that this node will own nothing more, and gives its
// lanes back; those with a running keyed task when that has ended.
// A stop in a hurry takes that time too: others get the lanes at once then.
func (e *Engine) retire(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	e.ask(ctx, e.beatAsks) // first, so that those who see free lanes may take them
	if err := e.giveAllBack(ctx); err != nil {
		e.log.Warn("lanes.failed", "error", err)
	}
}

// giveRest gives back the lanes that are left when nothing runs any more: of keyed
// tasks that were the last to end, and of a balancing that the stop has cut off.
func (e *Engine) giveRest(ctx context.Context) {
	if e.lost.Load() {
		return // others find out by themselves
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime) // not that of Leave, which frees what this cannot
	defer cancel()
	if err := e.giveAllBack(ctx); err != nil {
		e.log.Warn("lanes.failed", "error", err)
	}
}

func (e *Engine) giveAllBack(ctx context.Context) error {
	e.mu.Lock()
	busy := e.near.busyLanes()
	var idle []*lane
	for _, l := range e.near.lanes {
		if busy[l] == 0 {
			idle = append(idle, l)
		}
	}
	e.mu.Unlock()
	return e.giveBack(ctx, idle)
}
