package membership

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Liveness without wall clocks: a node raises its counter, and is dead when
// another has read the same counter often and long enough by its own
// monotonic clock. A store that cannot be reached kills nobody.
const (
	deadReads = 5               // successive reads of the same counter
	deadAfter = 5 * time.Second // over at least this time
	lostAfter = 4 * time.Second // without a raise, a node stops acting
)

// liveness is what this node has seen of other nodes' counters.
type liveness struct {
	seen   map[string]*suspicion // the balancing loop's own
	beaten atomic.Pointer[map[string]sign]
}

// sign is a sign of life of another living node.
type sign struct {
	since  time.Time // when it was first seen with its present counter
	proven bool      // its counter was seen to rise since this node looks
}

// suspicion is what this node has seen of another's counter.
type suspicion struct {
	counter int64
	proven  bool // it was seen to rise
	reads   int
	since   time.Time
	read    time.Time // last
}

// blinked is the time without a read after which what was seen before says
// nothing: this process was stopped, or the store could not be reached by
// anybody.
const blinked = deadAfter / 2

// look notes a node's counter, and reports whether it has stood still long enough.
func (l *liveness) look(n *store.Node, now time.Time) (s *suspicion, dead bool) {
	s = l.seen[n.ID]
	if s == nil || s.counter != n.Counter || now.Sub(s.read) >= blinked {
		s = &suspicion{counter: n.Counter, since: now, proven: s != nil && (s.proven || s.counter != n.Counter)}
	}
	s.reads++
	s.read = now
	return s, s.reads >= deadReads && now.Sub(s.since) >= deadAfter
}

// keep forgets all nodes but these.
func (l *liveness) keep(seen map[string]*suspicion) {
	beaten := make(map[string]sign, len(seen))
	for id, s := range seen {
		beaten[id] = sign{s.since, s.proven}
	}
	l.seen = seen
	l.beaten.Store(&beaten)
}

// signs are the signs of life of other living nodes; nil before the first look.
func (l *liveness) signs() map[string]sign {
	if seen := l.beaten.Load(); seen != nil {
		return *seen
	}
	return nil
}

// judge marks nodes dead whose counter has stood still, or of which the
// store knows that their process has ended.
func (m *Member) judge(ctx context.Context) error {
	now, seen, died := time.Now(), map[string]*suspicion{}, false
	nodes := m.view.Load().Topology.Nodes
	for i := range nodes {
		n := &nodes[i]
		if n.State != store.NodeAlive || n.ID == m.ID() {
			continue
		}
		s, dead := m.liveness.look(n, now)
		seen[n.ID] = s
		if !n.Gone && !dead {
			continue
		}
		buried, err := m.bury(ctx, n)
		if err != nil {
			return err
		}
		if buried {
			died = true
			m.log.Warn("node.dead", "node", n.ID, "process_gone", n.Gone)
		}
	}
	m.liveness.keep(seen)
	if !died {
		return nil
	}
	m.Wakeups.Everything()
	m.config.Host.Died()
	return m.Refresh(ctx)
}

// bury marks a node dead, unless it has raised its counter.
func (m *Member) bury(ctx context.Context, n *store.Node) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	return m.config.Store.Bury(ctx, n.ID, n.Counter)
}

// SilentFor is for how long this node has read the same counter of another living
// one; false of itself and where it has not looked.
func (m *Member) SilentFor(node string) (time.Duration, bool) {
	s, known := m.liveness.signs()[node]
	return time.Since(s.since), known
}

// Placed reports whether it is known of every other node that may hold tasks that it
// lives, and this one has the lanes that it should.
func (m *Member) Placed() bool {
	v, self, signs := m.view.Load(), m.ID(), m.liveness.signs()
	if v.Me(self) == nil {
		return false
	}
	for id, n := range v.Alive {
		if id != self && len(n.Serves) > 0 && !signs[id].proven {
			return false
		}
	}
	return len(v.Plan(self).Take) == 0
}
