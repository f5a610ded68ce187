package membership

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Lanes change hands without repeating work: what runs goes on and settles by
// its claim number; only a lane with a running keyed task stays, since its
// next owner could not tell the order of the key. It is drained by the host.
const (
	unownedFor = 3 * time.Second // a free lane that others should take, and do not, is taken after that
	keepFor    = time.Minute     // what was taken so is kept so long
)

// unowned are the free lanes that others should have taken: seen by the
// balancing loop alone.
type unowned struct {
	since map[uint16]time.Time
	keep  time.Time // until then, this node gives nothing back: others do not take it
}

// due returns those of the spare lanes that nobody takes.
func (o *unowned) due(spare []store.LaneEpoch, now time.Time) (take []store.LaneEpoch) {
	since := make(map[uint16]time.Time, len(spare))
	for _, l := range spare {
		at, known := o.since[l.Lane]
		if !known {
			at = now
		}
		if since[l.Lane] = at; now.Sub(at) >= unownedFor {
			take = append(take, l)
			o.keep = now.Add(keepFor)
		}
	}
	o.since = since
	return take
}

// giveBack frees lanes of this node.
func (m *Member) giveBack(ctx context.Context, lanes []store.LaneEpoch) error {
	if len(lanes) == 0 {
		return nil
	}
	m.placing.Lock()
	defer m.placing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	freed, err := m.config.Store.FreeLanes(ctx, m.ID(), lanes)
	if err != nil {
		return err
	}
	m.config.Host.Freed(freed)
	if len(freed) > 0 {
		m.Wakeups.Everything()
		m.log.Info("lanes.freed", "count", len(freed))
	}
	return nil
}

func (m *Member) giveAllBack(ctx context.Context) error {
	return m.giveBack(ctx, m.config.Host.ToGive(nil))
}

// giveRest gives back the lanes that are left when nothing runs any more: of keyed
// tasks that were the last to end, and of a balancing that the stop has cut off.
func (m *Member) giveRest(ctx context.Context) {
	if m.lost.Load() {
		return // others find out by themselves
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime) // not that of Leave, which frees what this cannot
	defer cancel()
	if err := m.giveAllBack(ctx); err != nil {
		m.log.Warn("lanes.failed", "error", err)
	}
}
