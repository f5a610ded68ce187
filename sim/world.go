package sim

import (
	"math"
	"math/rand/v2"
	"time"
)

// world is one run: virtual time, the events to come, sources of random numbers,
// and what is measured.
type world struct {
	now    time.Duration // since the beginning
	clock  time.Time     // now, as guards see it
	end    time.Duration // no events happen after it
	events queue
	count  int64 // events that have happened
	meter  *meter
	onEnd  func(c *call) // told of every call of a stream or a crowd that ends
	over   func() bool   // whether to give up, asked now and then; nil for never

	// One source for each purpose, so that clients who behave differently meet the
	// same arrivals.
	arrivals, service, jitter, faults *rand.Rand

	attempts slab[attempt]
	calls    slab[call]
}

// epoch is when every run begins.
var epoch = time.Unix(0, 0)

func newWorld(seed uint64) *world {
	source := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	return &world{
		clock: epoch, end: math.MaxInt64, meter: newMeter(),
		arrivals: source(1), service: source(2), jitter: source(3), faults: source(4),
	}
}

// after schedules an event. What would be later than time can be is at its end.
func (w *world) after(d time.Duration, a actor, what what) {
	w.events.push(w.now+min(max(d, 0), math.MaxInt64-w.now), a, what)
}

// at schedules an event at a time since the beginning.
func (w *world) at(t time.Duration, a actor, what what) { w.events.push(max(t, w.now), a, what) }

// askEvery is how many events happen between two questions whether to give up.
const askEvery = 1024

// run lets everything happen until the end, or until nothing is left.
func (w *world) run() { w.runUntil(nil) }

// runUntil is run for those who may know the result before the end: they are asked
// every second.
func (w *world) runUntil(known func() bool) {
	ask := time.Second
	for !w.events.empty() && w.events.heap[0].at <= w.end {
		if known != nil && w.now >= ask {
			if known() {
				return
			}
			ask = w.now + time.Second
		}
		if w.over != nil && w.count%askEvery == 0 && w.over() {
			panic(errOver) // up to RunUntil
		}
		e, actor := w.events.pop()
		w.now = e.at
		w.clock = epoch.Add(e.at)
		w.count++
		actor.happen(w, what(e.order))
	}
	w.meter.finish(min(w.end, max(w.now, w.meter.length)))
}

// do lets f happen at a time, once. It is for setting up, not for every request.
func (w *world) do(t time.Duration, f func()) { w.at(t, deed(f), 0) }

type deed func()

func (d deed) happen(*world, what) { d() }

// exponential draws the time to the next of independent events that come at a
// rate per second.
func exponential(r *rand.Rand, rate float64) time.Duration {
	return time.Duration(r.ExpFloat64() / rate * float64(time.Second))
}

// slab hands out zeroed values from chunks: one allocation for many. A chunk is
// garbage when nobody holds any value of it.
type slab[T any] struct{ chunk []T }

const chunkSize = 128

func (s *slab[T]) next() *T {
	if len(s.chunk) == 0 {
		s.chunk = make([]T, chunkSize)
	}
	v := &s.chunk[0]
	s.chunk = s.chunk[1:]
	return v
}
