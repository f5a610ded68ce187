// Package buckets counts attempts: their times by size, in buckets that are the quarters
// between two powers of two, from 1 µs on, so that a time read from them is at most a
// quarter too long; and whatever else by name, see [Names].
package buckets

import (
	"maps"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// Of is the bucket of a time, of a number of buckets.
func Of(took time.Duration, buckets int) int {
	us := took.Microseconds()
	if us < 1 {
		return 0
	}
	power := bits.Len64(uint64(us)) - 1
	return min(4*power+int(uint64(us)<<2>>power&3), buckets-1)
}

// End is the upper end of a bucket.
func End(i int) time.Duration {
	return time.Duration(5+i%4) * time.Microsecond << (i / 4) / 4
}

// Names are the counters of many names. [Names.Of] is on the path of every attempt: it
// takes no lock and allocates nothing after the first attempt of a name.
type Names[K comparable, V any] struct {
	most   int // names that are counted; further ones count together, as others
	others K
	mu     sync.Mutex // held by changes
	all    atomic.Pointer[map[K]*V]
}

// NewNames makes counters of at most so many names, and of all others together.
func NewNames[K comparable, V any](most int, others K) *Names[K, V] {
	n := &Names[K, V]{most: most, others: others}
	n.all.Store(&map[K]*V{})
	return n
}

// Of are the counters of a name.
func (n *Names[K, V]) Of(name K) *V {
	counted := *n.all.Load()
	if known := counted[name]; known != nil {
		return known
	}
	if others := counted[n.others]; others != nil && len(counted) >= n.most {
		return others
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	all := *n.all.Load()
	if all[name] == nil && len(all) >= n.most {
		name = n.others
	}
	if known := all[name]; known != nil {
		return known
	}
	made := new(V)
	all = maps.Clone(all)
	all[name] = made
	n.all.Store(&all)
	return made
}

// All are the counters by name, which callers must not change.
func (n *Names[K, V]) All() map[K]*V { return *n.all.Load() }

// Visit shows all counters, one visitor at a time, and forgets those for which it returns
// false.
func (n *Names[K, V]) Visit(visit func(name K, counters *V) (keep bool)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all, kept := *n.all.Load(), map[K]*V{}
	for name, counters := range all {
		if visit(name, counters) {
			kept[name] = counters
		}
	}
	if len(kept) < len(all) {
		n.all.Store(&kept)
	}
}
