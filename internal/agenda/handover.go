package agenda

import (
	"cmp"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// A lane with a running keyed task cannot be given to another node, which could not tell
// the order of the key. A lane that always has one is drained: for a few seconds no keyed
// task of it starts.
const (
	drainFor   = 5 * time.Second
	drainAgain = time.Minute // a lane that could not be drained is left alone so long
)

// ToGive chooses lanes of a queue to give back: without running keyed tasks
// and with little in memory, if there are such; others are drained.
func (a *Agenda) ToGive(queue string, count int, now int64) (give []store.LaneEpoch) {
	busy := a.busyLanes()
	var mine []*Lane
	for _, l := range a.owned {
		if l.queue.name == queue {
			mine = append(mine, l)
		}
	}
	slices.SortFunc(mine, func(x, y *Lane) int {
		return cmp.Or(cmp.Compare(busy[x], busy[y]), cmp.Compare(x.count, y.count), cmp.Compare(y.number, x.number))
	})
	for _, l := range mine[:min(count, len(mine))] {
		if busy[l] == 0 {
			give = append(give, l.Owned())
		} else if now >= l.drains {
			l.drained, l.drains = now+drainFor.Microseconds(), now+drainAgain.Microseconds()
			a.holdHeads(l)
		}
	}
	return give
}

// IdleLanes lists the lanes without running keyed tasks.
func (a *Agenda) IdleLanes() (idle []store.LaneEpoch) {
	busy := a.busyLanes()
	for _, l := range a.owned {
		if busy[l] == 0 {
			idle = append(idle, l.Owned())
		}
	}
	return idle
}

// holdHeads lets no key of a lane that is drained start.
func (k *keys) holdHeads(l *Lane) {
	for _, s := range k.byID {
		if e := s.head; e != nil && e.lane == l && e.where == isReady {
			k.timeline.Delay(e, l.drained)
		}
	}
}
