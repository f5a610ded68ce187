// Package world is the model of which storms are made: virtual time with its events,
// clients with their guards, servers with their faults, load, and what is measured. The
// clients decide by the real code of package retry and of the agenda.
package world

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// World is one run: virtual time, the events to come, sources of random numbers,
// and what is measured.
type World struct {
	Now    time.Duration // since the beginning
	clock  time.Time     // now, as guards see it
	End    time.Duration // no events happen after it
	events queue
	Count  int64 // events that have happened
	Meter  *Meter
	OnEnd  func(c *Call) // told of every call of a stream or a crowd that ends
	Over   func() bool   // whether to give up, asked now and then; nil for never

	// One source for each purpose, so that clients who behave differently meet the
	// same arrivals.
	Arrivals, Service, Jitter, Faults *rand.Rand

	attempts slab[Attempt]
	Calls    slab[Call]
}

// epoch is when every run begins.
var epoch = time.Unix(0, 0)

// New is a world in which everything that is drawn follows from the seed.
func New(seed uint64) *World {
	source := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	return &World{
		clock: epoch, End: math.MaxInt64, Meter: NewMeter(),
		Arrivals: source(1), Service: source(2), Jitter: source(3), Faults: source(4),
	}
}

// After schedules an event. What would be later than time can be is at its end.
func (w *World) After(d time.Duration, a actor, what What) {
	w.events.push(w.Now+min(max(d, 0), math.MaxInt64-w.Now), a, what)
}

// At schedules an event at a time since the beginning.
func (w *World) At(t time.Duration, a actor, what What) { w.events.push(max(t, w.Now), a, what) }

// ErrOver ends a run from inside.
var ErrOver = errors.New("sim: the run took too long")

// askEvery is how many events happen between two questions whether to give up.
const askEvery = 1024

// Run lets everything happen until the end, or until nothing is left.
func (w *World) Run() { w.RunUntil(nil) }

// RunUntil is run for those who may know the result before the end: they are asked
// every second.
func (w *World) RunUntil(known func() bool) {
	ask := time.Second
	for !w.events.empty() && w.events.heap[0].at <= w.End {
		if known != nil && w.Now >= ask {
			if known() {
				return
			}
			ask = w.Now + time.Second
		}
		if w.Over != nil && w.Count%askEvery == 0 && w.Over() {
			panic(ErrOver) // up to whom asked for the run
		}
		e, actor := w.events.pop()
		w.Now = e.at
		w.clock = epoch.Add(e.at)
		w.Count++
		actor.Happen(w, What(e.order))
	}
	w.Meter.Finish(min(w.End, max(w.Now, w.Meter.Length)))
}

// do lets f happen at a time, once. It is for setting up, not for every request.
func (w *World) do(t time.Duration, f func()) { w.At(t, deed(f), 0) }

type deed func()

func (d deed) Happen(*World, What) { d() }

// exponential draws the time to the next of independent events that come at a
// rate per second.
func exponential(r *rand.Rand, rate float64) time.Duration {
	return time.Duration(r.ExpFloat64() / rate * float64(time.Second))
}

// slab hands out zeroed values from chunks: one allocation for many. A chunk is
// garbage when nobody holds any value of it.
type slab[T any] struct{ chunk []T }

const chunkSize = 128

func (s *slab[T]) Next() *T {
	if len(s.chunk) == 0 {
		s.chunk = make([]T, chunkSize)
	}
	v := &s.chunk[0]
	s.chunk = s.chunk[1:]
	return v
}
