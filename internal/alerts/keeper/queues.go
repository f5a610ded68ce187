package keeper

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// Queues looks at what waits in the queues of people. It is safe for concurrent use.
type Queues struct {
	*ledger
	looked  looks // to the usual bound
	glanced looks // for rules that are built in
}

// Where the backlog of a queue is counted to for rules that are built in.
const mostGlanced = 100

// Look measures all queues but that of alerts, by name: their pending tasks, counted to 10 000,
// and how long the oldest has been due.
func (q *Queues) Look(ctx context.Context, now time.Time) ([]alerts.QueueSample, error) {
	return q.looked.see(func() ([]alerts.QueueSample, error) { return q.queuesTo(ctx, now, alerts.MostCounted) })
}

// glance is a look for rules that are built in, which only ask whether there is anything to
// do.
func (q *Queues) glance(ctx context.Context, now time.Time) ([]alerts.QueueSample, error) {
	if last := q.looked.held(); last != nil {
		return slices.Clone(last.samples), nil
	}
	return q.glanced.see(func() ([]alerts.QueueSample, error) { return q.queuesTo(ctx, now, mostGlanced) })
}

// queuesTo counts pending tasks to most, and looks for the oldest if that is the usual
// bound.
func (q *Queues) queuesTo(ctx context.Context, now time.Time, most int) (samples []alerts.QueueSample, err error) {
	topology := q.Node.Topology()
	alive := map[string]bool{}
	for _, node := range topology.Nodes {
		alive[node.ID] = node.State == store.NodeAlive
	}
	lanes, owned := map[string][]uint16{}, map[string]bool{}
	for _, lane := range topology.Lanes {
		lanes[lane.Queue] = append(lanes[lane.Queue], lane.Number)
		owned[lane.Queue] = owned[lane.Queue] || alive[lane.Owner]
	}
	for _, queue := range topology.Queues {
		if queue.Name == alerts.Queue {
			continue
		}
		sample := alerts.QueueSample{Name: queue.Name, Owned: owned[queue.Name], Paused: queue.Paused, Bound: most}
		waits, err := q.Backend.Backlog(ctx, lanes[queue.Name], most)
		if err != nil {
			return nil, err
		}
		sample.Backlog, sample.Aside, sample.Parked = waits.Pending, waits.Aside, waits.Parked
		if sample.Backlog > 0 {
			if err := q.rows(ctx, &sample, lanes[queue.Name], most == alerts.MostCounted, now); err != nil {
				return nil, err
			}
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

// mostMarks bounds how many marks of a queue are looked at, since each type that nobody
// can start is one; of each lane fewestMarks are.
const (
	mostMarks   = 1000
	fewestMarks = 10
)

// rows looks at what waits in a queue: what nobody can start, and how old it is. Its
// cost does not grow with the number of types.
func (q *Queues) rows(ctx context.Context, sample *alerts.QueueSample, lanes []uint16, age bool, now time.Time) (err error) {
	var marks []store.Entry
	if sample.Aside > 0 {
		if marks, err = q.Backend.Marks(ctx, lanes, max(fewestMarks, mostMarks/len(lanes))); err != nil {
			return err
		}
	}
	if sample.Owned {
		sample.Stranded = stranded(q.Node.Topology(), sample.Name, marks, now)
	}
	if !age {
		return nil
	}
	var parked map[laneKey]bool
	if sample.Parked > 0 {
		if parked, err = q.parked(ctx, lanes); err != nil {
			return err
		}
	}
	sample.OldestDue, err = q.oldest(ctx, lanes, marks, parked, now)
	return err
}

// mostAhead is how many rows of a lane are looked at for one that is not parked.
const mostAhead = 100

// oldest is how long the first rows of the lanes, parked ones included, have
// been due, but for those behind keys held in mode park. Rows go by rank, so one of higher priority may stand before one
// that has been due for up to a few minutes longer.
func (q *Queues) oldest(ctx context.Context, lanes []uint16, marked []store.Entry, parked map[laneKey]bool, now time.Time) (time.Duration, error) {
	ranges, limit := make([]store.Range, len(lanes)), 1
	if len(parked) > 0 {
		limit = mostAhead
	}
	for i, lane := range lanes {
		ranges[i] = store.Range{Lane: lane, Until: now.UnixMicro(), After: -1 << 62, Limit: limit}
	}
	found, err := q.Backend.Scan(ctx, ranges)
	if err != nil {
		return 0, err
	}
	first := now.UnixMicro()
	for _, entries := range append(found, marked) {
		for i := range entries {
			if !parked[laneKey{entries[i].ID.Lane(), entries[i].Key}] {
				first = min(first, entries[i].RunAt)
			}
		}
	}
	return time.Duration(now.UnixMicro()-first) * time.Microsecond, nil
}

// parked are the keys of lanes that are held in mode park.
func (q *Queues) parked(ctx context.Context, lanes []uint16) (map[laneKey]bool, error) {
	holds, err := q.Backend.Holds(ctx, store.HoldFilter{Lanes: lanes, Mode: "park", Limit: store.MostHolds})
	keys := make(map[laneKey]bool, len(holds))
	for i := range holds {
		keys[laneKey{holds[i].Lane, holds[i].Key}] = true
	}
	return keys, err
}

// laneKey is an ordering key.
type laneKey struct {
	lane uint16
	key  string
}
