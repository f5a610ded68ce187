package retry

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Target joins what protects one thing that is called: a host, a database, a
// type of task. Nil parts are left out. A Target is used through the policy
// option and call option [For], or by itself.
type Target struct {
	Name     string
	Budget   *Budget
	Breaker  *Breaker
	Throttle *Throttle
	Limit    *Limit
	Rate     *Rate
}

// kept reports whether forgetting the target would lose something.
func (t *Target) kept() bool { return t.Breaker != nil && !t.Breaker.settledClosed() }

const (
	// DefaultTargets and DefaultTargetIdle are the bounds of a registry.
	DefaultTargets    = 10_000
	DefaultTargetIdle = 10 * time.Minute

	// targetShards keeps the maps small, of which one is copied for a new name.
	targetShards = 64
	// evictionPart is the part of a full registry that one search for the least
	// recently used finds, so that a flood of new names does not search for each.
	evictionPart = 16
)

// Targets is a bounded registry of targets by name. It is safe for concurrent
// use; a known name is found without a lock.
type Targets struct {
	most int
	idle time.Duration
	make func(name string) *Target

	seed   maphash.Seed
	shards [targetShards]atomic.Pointer[shard]

	mu     sync.Mutex // of those who add names
	count  int
	swept  time.Time // when idle targets were last forgotten
	oldest []use     // to be evicted, the least recently used first
}

// shard is a part of the registry. It is never changed but replaced.
type shard map[string]*registered

// registered is a target and the second in which it was last asked for.
type registered struct {
	target *Target
	used   atomic.Int64
}

// use is a target and when it had been used, at the time of a search.
type use struct {
	name  string
	entry *registered
	used  int64
}

// NewTargets makes a registry that holds at most most targets (default 10 000)
// and forgets those that nobody asked for within idle (default 10 minutes),
// unless their breaker is not closed or is forced. They are forgotten when a new
// name is added.
//
// When it is full, the least recently used one with a closed breaker gives way.
// When none is closed, a new name gets a target that is not kept: those that are
// known to fail come first.
//
// Make is called outside locks for every new name, in a race more than once for
// the same; it must not return nil.
func NewTargets(most int, idle time.Duration, make func(name string) *Target) *Targets {
	if most <= 0 {
		most = DefaultTargets
	}
	if idle <= 0 {
		idle = DefaultTargetIdle
	}
	t := &Targets{most: most, idle: idle, make: make, seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].Store(&shard{})
	}
	return t
}

// Get returns the target of that name, new if need be. It does not allocate for
// a name that is known.
func (t *Targets) Get(name string, now time.Time) *Target {
	entry := (*t.shard(name).Load())[name]
	if entry == nil {
		return t.add(strings.Clone(name), now)
	}
	if second := now.Unix(); entry.used.Load() < second {
		entry.used.Store(second)
	}
	return entry.target
}

// All returns the targets by name. The caller owns the slice.
func (t *Targets) All() []*Target {
	var all []*Target
	for i := range t.shards {
		for _, entry := range *t.shards[i].Load() {
			all = append(all, entry.target)
		}
	}
	slices.SortFunc(all, func(a, b *Target) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (t *Targets) shard(name string) *atomic.Pointer[shard] {
	return &t.shards[maphash.String(t.seed, name)%targetShards]
}

// add registers a new name, if it still is new when the target has been made.
func (t *Targets) add(name string, now time.Time) *Target {
	target := t.make(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if entry := (*t.shard(name).Load())[name]; entry != nil {
		return entry.target
	}
	t.sweep(now)
	if t.count >= t.most && !t.evict() {
		return target
	}
	entry := &registered{target: target}
	entry.used.Store(now.Unix())
	t.change(name, func(s shard) { s[name] = entry })
	t.count++
	return target
}

// change replaces the shard of a name by a changed copy.
func (t *Targets) change(name string, change func(shard)) {
	at := t.shard(name)
	changed := maps.Clone(*at.Load())
	change(changed)
	at.Store(&changed)
}

// sweep forgets idle targets, twice in the time after which they are idle.
func (t *Targets) sweep(now time.Time) {
	if now.Sub(t.swept) < t.idle/2 && !now.Before(t.swept) {
		return
	}
	t.swept = now
	before := now.Add(-t.idle).Unix()
	for i := range t.shards {
		at := &t.shards[i]
		var idle []string
		for name, entry := range *at.Load() {
			if entry.used.Load() < before && !entry.target.kept() {
				idle = append(idle, name)
			}
		}
		if len(idle) == 0 {
			continue
		}
		left := maps.Clone(*at.Load())
		for _, name := range idle {
			delete(left, name)
		}
		at.Store(&left)
		t.count -= len(idle)
	}
}

// evict forgets the least recently used target and reports whether there was
// one. Those that were used since the last search, or are not closed any more,
// are passed over.
func (t *Targets) evict() bool {
	for fresh := false; ; fresh = true {
		for len(t.oldest) > 0 {
			one := t.oldest[0]
			t.oldest = t.oldest[1:]
			known := (*t.shard(one.name).Load())[one.name] == one.entry
			if !known || one.entry.used.Load() != one.used || one.entry.target.kept() {
				continue
			}
			t.change(one.name, func(s shard) { delete(s, one.name) })
			t.count--
			return true
		}
		if fresh {
			return false
		}
		t.search()
	}
}

// search finds the least recently used targets that may be forgotten.
func (t *Targets) search() {
	var all []use
	for i := range t.shards {
		for name, entry := range *t.shards[i].Load() {
			if !entry.target.kept() {
				all = append(all, use{name, entry, entry.used.Load()})
			}
		}
	}
	slices.SortFunc(all, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.name, b.name))
	})
	t.oldest = slices.Clone(all[:min(len(all), max(1, t.most/evictionPart))])
}
