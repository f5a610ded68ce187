package stormtest

import (
	"sync"
	"time"
)

// step is the length of one count.
const step = 100 * time.Millisecond

// bucket is what happened in one step.
type bucket struct {
	First  int // first attempts that arrived
	Retry  int // all others
	Served int // answers of 200 to somebody who was still there
	Wasted int // answers of 200 to nobody
}

// series counts by time. It is safe for concurrent use.
type series struct {
	mu    sync.Mutex
	start time.Time
	steps []bucket
}

func newSeries(start time.Time) *series { return &series{start: start} }

// count changes the bucket of a time.
func (s *series) count(at time.Time, change func(*bucket)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := max(0, int(at.Sub(s.start)/step))
	for len(s.steps) <= i {
		s.steps = append(s.steps, bucket{})
	}
	change(&s.steps[i])
}

// attempt counts an attempt by its number.
func (s *series) attempt(at time.Time, first bool) {
	s.count(at, func(b *bucket) {
		if first {
			b.First++
		} else {
			b.Retry++
		}
	})
}

// all are the steps until now.
func (s *series) all() []bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]bucket(nil), s.steps...)
}

// history is a finished series with what is needed to read it.
type history []bucket

// between adds up the steps of a time, as far as there are any.
func (h history) between(from, to time.Duration) bucket {
	var sum bucket
	for i := max(0, int(from/step)); i < min(len(h), int(to/step)); i++ {
		sum.First += h[i].First
		sum.Retry += h[i].Retry
		sum.Served += h[i].Served
		sum.Wasted += h[i].Wasted
	}
	return sum
}

// until is the history up to a time.
func (h history) until(end time.Duration) history { return h[:min(len(h), int(end/step))] }

// perSecond is a number of a time as a rate.
func perSecond(n int, over time.Duration) float64 { return float64(n) / over.Seconds() }

// length is the time that the history covers.
func (h history) length() time.Duration { return time.Duration(len(h)) * step }
