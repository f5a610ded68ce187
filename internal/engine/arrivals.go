package engine

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// arrivals finds the tasks that transactions of callers have brought: nobody need tell of
// them, and one that was open for long commits with ranks that have been read past. Where
// the store cannot tell them from others, a patrol finds them.
type arrivals struct {
	store store.Arrivals // nil if it cannot
	since string         // what the last look has seen
}

func newArrivals(backend store.Store) arrivals {
	found, _ := store.As[store.Arrivals](backend)
	return arrivals{store: found}
}

// readArrivals looks for them. The loader does so before it reads anything, so that what
// it does not see in a lane comes here. It reports whether the store could not tell.
func (o *loader) readArrivals() (whole bool) {
	if o.arrivals.store == nil {
		return false
	}
	var lanes []uint16
	o.lock()
	for number := range o.agenda.Lanes() {
		lanes = append(lanes, number)
	}
	o.unlock()
	ctx, cancel := context.WithTimeout(o.running, storeCall)
	found, err := o.arrivals.store.Arrived(ctx, lanes, o.arrivals.since)
	cancel()
	if err != nil {
		if o.running.Err() == nil {
			o.log.Warn("arrivals.failed", "error", err)
		}
		return false // the next look sees what this one would have
	}
	o.arrivals.since = found.Next
	o.lock()
	defer o.unlock()
	for i, row := range found.Entries {
		if l := o.agenda.Lane(row.ID.Lane()); l != nil {
			o.learnPage(l, found.Entries[i:i+1], false)
		}
	}
	return found.Whole
}
