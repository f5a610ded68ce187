// Package window counts events of the last time, or the last events. Counting costs one
// atomic addition, on whatever core.
package window

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	// Kinds is how many kinds of events a window tells apart.
	Kinds = 4
	// windowSlots is in how many steps a window slides.
	windowSlots = 10
	// windowMarks is how many slots are remembered: those of the window, the one
	// that is being left, and five older ones for guards that want at least five
	// events however old they are.
	windowMarks = 16
	// cacheLine is the unit in which cores share memory, 64 bytes on most.
	cacheLine = 64
	// stripes is how many counters there are for each kind, a power of two.
	stripes = 1 << stripeBits
	// stripeBits is their logarithm.
	stripeBits = 3
)

// Window counts events over a sliding time. Counting is one atomic addition to a
// counter of the goroutine's stripe. The sums of the stripes are totals that never
// fall, so that no count is lost or taken twice when time moves on. At the
// beginning of each slot the totals are marked; what the window holds is the
// difference between the totals and the mark at its beginning. It looks back over
// its span, give or take a tenth.
//
// add, over and counts are safe for concurrent use. The rest wants the owner's
// lock.
type Window struct {
	span, width time.Duration

	next atomic.Int64 // the end of the current slot, a time since origin

	// What is written at every event keeps away from what is read at every event,
	// and what one core writes from what others do: cores would take the cache
	// lines from each other.
	_       [cacheLine]byte
	stripes [stripes]struct {
		counts [Kinds]atomic.Int64
		_      [cacheLine - Kinds*8]byte
	}

	bases [Kinds]atomic.Int64 // the totals at the beginning of the window

	marks       [windowMarks]mark // a ring: mark i is at i % windowMarks
	oldest      int               // mark that is still remembered
	begin, last int               // marks of the window: its beginning, the newest
}

// mark is what the totals were at some time. Every mark but the newest was
// followed by at least one event.
type mark struct {
	at     time.Duration
	totals [Kinds]int64
}

// Init sets the span of a window that nothing has happened to.
func (w *Window) Init(span time.Duration) {
	w.span, w.width = span, max(span/windowSlots, 1)
	w.last = -1
	w.next.Store(math.MinInt64)
}

// origin is what times are counted from in windows. Only differences between
// them matter.
var origin = time.Now()

// Since is the time since origin, by the monotonic clock if now has a reading of
// it: steps of the wall clock do no harm then.
func Since(now time.Time) time.Duration { return now.Sub(origin) }

// Over reports whether the slot has ended: the owner is to call turn.
func (w *Window) Over(at time.Duration) bool { return int64(at) >= w.next.Load() }

// Turn begins a new slot if it is time for one.
func (w *Window) Turn(at time.Duration) {
	if !w.Over(at) {
		return
	}
	totals := w.Totals()
	if w.last < 0 || w.marks[w.last%windowMarks].totals != totals {
		w.last++
		w.oldest = max(w.oldest, w.last-windowMarks+1)
	}
	w.marks[w.last%windowMarks] = mark{at, totals}
	for w.begin = max(w.begin, w.oldest); w.begin < w.last && at-w.marks[w.begin%windowMarks].at > w.span; {
		w.begin++
	}
	for i, total := range w.marks[w.begin%windowMarks].totals {
		w.bases[i].Store(total)
	}
	w.next.Store(int64(at + w.width))
}

// Reset forgets everything counted before at.
func (w *Window) Reset(at time.Duration) {
	w.oldest, w.begin, w.last = 0, 0, -1
	w.next.Store(int64(at))
	w.Turn(at)
}

// Add counts an event.
func (w *Window) Add(kind int) { w.stripes[stripe()].counts[kind].Add(1) }

// Totals returns the totals.
func (w *Window) Totals() (totals [Kinds]int64) {
	for s := range w.stripes {
		for i := range totals {
			totals[i] += w.stripes[s].counts[i].Load()
		}
	}
	return totals
}

// Counts returns what the window holds. It is right if over is false.
func (w *Window) Counts() (counts [Kinds]int64) {
	for i := range counts {
		counts[i] = -w.bases[i].Load() // first: the total is never less
	}
	for i, total := range w.Totals() {
		counts[i] += total
	}
	return counts
}

// Of returns what the window holds of the totals.
func (w *Window) Of(totals [Kinds]int64) [Kinds]int64 {
	for i := range totals {
		totals[i] -= w.bases[i].Load()
	}
	return totals
}

// Untouched reports whether the window has never turned.
func (w *Window) Untouched() bool { return w.last < 0 }

// LooksBack reports whether slots before the window are remembered.
func (w *Window) LooksBack() bool { return w.oldest < w.begin }

// Before calls yield with the counts of the slots before the window, the youngest
// first, until it returns false.
func (w *Window) Before(yield func(counts [Kinds]int64) bool) {
	for i := w.begin - 1; i >= w.oldest; i-- {
		counts := w.marks[(i+1)%windowMarks].totals
		for kind := range counts {
			counts[kind] -= w.marks[i%windowMarks].totals[kind]
		}
		if !yield(counts) {
			return
		}
	}
}

// stackBits is the logarithm of the smallest distance of two goroutines' stacks.
const stackBits = 11

// stripe chooses one of the counters that share the load of a guard: mostly the
// same one for a goroutine, mostly another one for others, and without asking
// anybody. Any choice is right, since the counters are summed up; a good one
// keeps cores from waiting for each other. The address of the stack is what a
// goroutine has to itself; it is mixed as in the finalizer of MurmurHash3, since
// the distances of stacks are regular.
func stripe() int {
	var here byte
	x := uint64(uintptr(unsafe.Pointer(&here)) >> stackBits)
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return int(x >> (64 - stripeBits))
}
