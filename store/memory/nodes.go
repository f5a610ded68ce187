package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Join implements [store.Store]. A repeat while the node is alive changes
// nothing; an id that left or died does not come back.
func (s *Store) Join(ctx context.Context, n store.Node) error {
	now, err := s.begin(ctx)
	if err != nil {
		return err
	}
	d := s.data
	defer d.mu.Unlock()
	if n.ID == "" {
		return task.Invalid("id", "a node needs an id", "")
	}
	if old := d.nodes[n.ID]; old != nil {
		if old.State != store.NodeAlive {
			return store.ErrNodeDead
		}
		return nil
	}
	n.State, n.Counter, n.Gone = store.NodeAlive, 0, false
	n.Serves, n.Targets = cloneServes(n.Serves), slices.Clone(n.Targets)
	if n.StartedAt = micros(n.StartedAt); n.StartedAt.IsZero() {
		n.StartedAt = now
	}
	d.nodes[n.ID], s.joined = &node{Node: n}, append(s.joined, n.ID)
	s.commit()
	return nil
}

// Beat implements [store.Store].
func (s *Store) Beat(ctx context.Context, id string, report store.Report) ([]task.ID, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if !d.alive(id) {
		return nil, store.ErrNodeDead
	}
	n := d.nodes[id]
	n.Counter++
	n.Serves, n.Load = cloneServes(report.Serves), report.Load
	if report.Targets != nil {
		n.Targets = slices.Clone(report.Targets)
	}
	var canceled []task.ID
	for r := range d.running(id) {
		if r.CancelRequested {
			canceled = append(canceled, r.ID)
		}
	}
	return canceled, nil
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, id string) error {
	now, err := s.begin(ctx)
	if err != nil {
		return err
	}
	d := s.data
	defer d.mu.Unlock()
	if d.alive(id) {
		d.nodes[id].State, d.nodes[id].ended = store.NodeLeft, now
		s.commit()
	}
	return nil
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, id string, counter int64) (bool, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	d := s.data
	defer d.mu.Unlock()
	if !d.alive(id) || d.nodes[id].Counter != counter {
		return false, nil
	}
	d.nodes[id].State, d.nodes[id].ended = store.NodeDead, now
	d.suspect(id)
	s.commit()
	return true, nil
}

func (d *data) alive(id string) bool {
	n := d.nodes[id]
	return n != nil && n.State == store.NodeAlive
}

// holds reports whether a node still owns a lane or has running rows.
func (d *data) holds(id string) bool {
	return slices.ContainsFunc(d.lanes, func(l *lane) bool { return l.Owner == id || l.running[id] != nil })
}

// forgotten reports whether a node left or died long ago and holds nothing.
func (d *data) forgotten(n *node, now time.Time) bool {
	return n.State != store.NodeAlive && n.ended.Add(nodeMemory).Before(now) && !d.holds(n.ID)
}

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	topology := &store.Topology{Queues: d.sortedQueues(), Orders: d.ordersSince(now.Add(-store.OrderMemory)), Config: d.config.raised}
	for _, lane := range d.lanes {
		topology.Lanes = append(topology.Lanes, lane.Lane)
	}
	for _, node := range d.nodes {
		if d.forgotten(node, now) {
			continue
		}
		n := node.Node
		n.Serves, n.Targets = cloneServes(n.Serves), slices.Clone(n.Targets)
		n.Gone = d.exactDeath && node.killed
		topology.Nodes = append(topology.Nodes, n)
	}
	slices.SortFunc(topology.Nodes, func(a, b store.Node) int { return cmp.Compare(a.ID, b.ID) })
	return topology, nil
}

// TakeLanes implements [store.Store].
func (s *Store) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if !d.alive(node) {
		return nil, nil
	}
	var taken []store.LaneEpoch
	for _, want := range lanes {
		lane := d.lane(want.Lane)
		if lane == nil || lane.Epoch != want.Epoch || lane.Owner != "" && d.alive(lane.Owner) {
			continue
		}
		lane.Owner = node
		lane.Epoch++
		taken = append(taken, store.LaneEpoch{Lane: want.Lane, Epoch: lane.Epoch})
	}
	return taken, nil
}

// FreeLanes implements [store.Store].
func (s *Store) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	var freed []store.LaneEpoch
	for _, given := range lanes {
		lane := d.lane(given.Lane)
		if lane == nil || node == "" || lane.Owner != node || lane.Epoch != given.Epoch || lane.runningKeyed > 0 {
			continue
		}
		lane.Owner = ""
		freed = append(freed, given)
		s.commit(given.Lane)
	}
	return freed, nil
}

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	results := make([]store.Extended, len(items))
	for i, item := range items {
		r := d.live[item.ID]
		if r == nil || r.State != task.Running || r.Claim != item.Claim || r.lease.IsZero() {
			results[i].Status = store.StatusStale
			continue
		}
		r.lease = now.Add(lease)
		results[i] = store.Extended{Status: store.StatusOK, CancelRequested: r.CancelRequested}
	}
	return results, nil
}
