package keeper

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
)

// looks are looks at the queues. One that took long, like the one before, holds holdFor times
// as long, so that who asks again and again keeps neither the store nor this node busy. A
// count walks past all rows that have ended as long as an old snapshot keeps them.
type looks struct{ last atomic.Pointer[look] }

// see is what the last look has seen, if it holds, or a new one.
func (l *looks) see(queues func() ([]alerts.QueueSample, error)) ([]alerts.QueueSample, error) {
	if last := l.held(); last != nil {
		return slices.Clone(last.samples), nil
	}
	began := time.Now()
	samples, err := queues()
	if err != nil {
		return nil, err
	}
	now := &look{samples: slices.Clone(samples), ended: time.Now(), took: time.Since(began)}
	if before := l.last.Load(); before != nil {
		now.long = min(now.took, before.took)
	}
	l.last.Store(now)
	return samples, nil
}

// held is the last look if it holds, else nil.
func (l *looks) held() *look {
	if last := l.last.Load(); last != nil && last.long >= longLook && time.Since(last.ended) < holdFor*last.long {
		return last
	}
	return nil
}

const (
	longLook = 500 * time.Millisecond // from when on a look is long
	holdFor  = 20                     // times its length
)

// look is what was seen of the queues, and how long that took.
type look struct {
	samples    []alerts.QueueSample
	ended      time.Time
	took, long time.Duration // long is the shorter of this one and the one before: one may have met a stall
}
