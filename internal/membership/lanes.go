package membership

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
)

// balancing is the loop that keeps this node's lanes at its share.
func (m *Member) balancing() {
	ticker := background.NewTicker(m.running, m.config.Beat)
	defer ticker.Stop()
	stir := time.NewTimer(time.Hour) // when a stir that came too soon is heeded
	defer stir.Stop()
	looked := time.Now()
	for {
		var asked chan struct{}
		select {
		case <-m.running.Done():
			return
		case <-ticker.C:
		case <-m.balance:
		case asked = <-m.asks:
		case <-stir.C:
		case <-m.stirred:
			if wait := m.stirPause() - time.Since(looked); wait > 0 {
				stir.Reset(wait)
				continue
			}
		}
		looked = time.Now()
		if err := m.balanceOnce(m.running); err != nil && m.running.Err() == nil {
			m.log.Warn("lanes.failed", "error", err)
		}
		if asked != nil {
			close(asked)
		}
	}
}

// Balance makes the node look at its lanes now.
func (m *Member) Balance() { signal(m.balance) }

// Stirred makes the node look at the topology soon: others have changed it.
func (m *Member) Stirred() { signal(m.stirred) }

// stirPause is the time between two looks at the topology because others
// stirred. Some stores tell of every commit, whatever it changed.
func (m *Member) stirPause() time.Duration {
	if m.HearsAll() {
		return 200 * time.Millisecond
	}
	return 20 * time.Millisecond
}

// takeRounds bounds how often a node tries again to take free lanes that
// others took first.
const takeRounds = 4

// balanceOnce reads the topology, judges other nodes, gives lanes back and
// takes free ones.
func (m *Member) balanceOnce(ctx context.Context) error {
	if err := m.Refresh(ctx); err != nil || m.config.EnqueueOnly || m.lost.Load() {
		return err
	}
	if err := m.judge(ctx); err != nil {
		return err
	}
	if m.leaving.Load() {
		return m.giveAllBack(ctx)
	}
	for range takeRounds {
		v, now := m.view.Load(), time.Now()
		if v.Me(m.ID()) == nil {
			return nil
		}
		p := v.Plan(m.ID())
		if now.After(m.unowned.keep) {
			if err := m.giveBack(ctx, m.config.Host.ToGive(p.Surplus)); err != nil {
				return err
			}
		}
		taken, err := m.take(ctx, append(p.Take, m.unowned.due(p.Spare, now)...))
		if err != nil || !taken {
			return err
		}
		if err := m.Refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// baton is a lock that is held during store calls. It is no mutex, since tests in
// virtual time could not wait for one.
type baton chan struct{}

func (b baton) Lock()   { b <- struct{}{} }
func (b baton) Unlock() { <-b }

// Refresh reads the topology now, after a queue was changed.
func (m *Member) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	m.placing.Lock()
	defer m.placing.Unlock()
	began := time.Now()
	read, err := m.config.Store.Topology(ctx)
	if err != nil {
		return err
	}
	v := topology.New(read)
	v.Read = began
	if self := v.Alive[m.ID()]; self != nil {
		self.Serves = m.config.Host.Serves(v) // its row is as old as its last beat
	}
	if err := m.configure(ctx, read.Config); err != nil {
		return err
	}
	m.alone.Store(v.Alone(m.ID()))
	m.config.Host.Apply(m.view.Swap(v), v)
	return nil
}

// configs is what is known of objects.
type configs struct {
	known  bool
	number int64
}

// configure tells the node's program that objects have changed. A failure is told
// to nobody but the log, and tried again at the next look, unless nothing is known
// yet.
func (m *Member) configure(ctx context.Context, number int64) error {
	if m.config.Configure == nil || m.configs.known && m.configs.number == number {
		return nil
	}
	err := m.config.Configure(ctx)
	switch {
	case err == nil:
		m.configs = configs{true, number}
	case m.configs.known:
		m.log.Warn("configure.failed", "error", err)
	default:
		return err
	}
	return nil
}

// take takes free lanes, and reports whether it got some.
func (m *Member) take(ctx context.Context, lanes []store.LaneEpoch) (bool, error) {
	if len(lanes) == 0 {
		return false, nil
	}
	m.placing.Lock()
	defer m.placing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	taken, err := m.config.Store.TakeLanes(ctx, m.ID(), lanes)
	if err != nil || len(taken) == 0 {
		return false, err
	}
	m.config.Host.Taken(taken)
	return true, nil
}
