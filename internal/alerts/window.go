package alerts

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/buckets"
)

// window is the time that rates are of; what they are compared with are the
// five of it before.
const (
	window   = time.Minute
	Step     = 15 * time.Second // between two calls of [Windows.Turn]
	nowSteps = int(window / Step)
	steps    = 6 * nowSteps
	// mostSeries bounds the targets and types that are counted; further ones
	// count as one.
	mostSeries  = 100
	otherSeries = "(other)"
	// leastBefore is how many attempts the time before must have had for its
	// p99 to say something.
	leastBefore = 20
)

// Windows count how attempts of one node have ended lately. [Windows.Add] is
// on the path of every attempt: it takes no lock and allocates nothing after
// the first attempt of a target and type.
type Windows struct{ targets, types, categories *dimension }

// dimension is one way to tell attempts apart.
type dimension = buckets.Names[string, series]

// NewWindows makes empty windows.
func NewWindows() *Windows {
	made := func() *dimension { return buckets.NewNames[string, series](mostSeries, otherSeries) }
	return &Windows{targets: made(), types: made(), categories: made()}
}

// Add counts an attempt. Category is "" for a success.
func (w *Windows) Add(taskType, target, category string, retry bool, took time.Duration) {
	i := buckets.Of(took, sizes)
	w.types.Of(taskType).add(category != "", retry, i)
	if target != "" {
		w.targets.Of(target).add(category != "", retry, i)
	}
	if category != "" {
		w.categories.Of(category).add(true, retry, i)
	}
}

// Turn ends a step of [Step]. One goroutine calls it.
func (w *Windows) Turn() {
	w.targets.Visit(endStep)
	w.types.Visit(endStep)
	w.categories.Visit(endStep)
}

// Rates are the counts of one node in a form that others can add to theirs.
func (w *Windows) Rates() *Rates {
	return &Rates{Targets: countsOf(w.targets), Types: countsOf(w.types), Categories: countsOf(w.categories)}
}

// endStep ends a step of a series, and forgets one without attempts.
func endStep(_ string, s *series) (keep bool) {
	s.turn()
	return !s.idle()
}

func countsOf(d *dimension) map[string]Counts {
	out := map[string]Counts{}
	d.Visit(func(name string, s *series) bool {
		out[name] = s.counts()
		return true
	})
	return out
}

// sizes is how many buckets of times there are: up to an hour.
const sizes = 128

// series is one target, type or category. The counters are of the step that
// runs; the ring has those before, the last one first.
type series struct {
	attempts, failures, retries atomic.Uint32
	took                        [sizes]atomic.Uint32
	ring                        [steps]slot
}

type slot struct {
	attempts, failures, retries uint32
	took                        map[int]uint32
}

func (s *series) add(failed, retry bool, bucket int) {
	s.attempts.Add(1)
	if failed {
		s.failures.Add(1)
	}
	if retry {
		s.retries.Add(1)
	}
	s.took[bucket].Add(1)
}

func (s *series) turn() {
	copy(s.ring[1:], s.ring[:steps-1])
	now := slot{attempts: s.attempts.Swap(0), failures: s.failures.Swap(0), retries: s.retries.Swap(0)}
	if now.attempts > 0 {
		now.took = map[int]uint32{}
	}
	for i := range s.took {
		if n := s.took[i].Load(); n > 0 {
			s.took[i].Add(-n)
			if now.took == nil {
				now.took = map[int]uint32{}
			}
			now.took[i] = n
		}
	}
	s.ring[0] = now
}

func (s *series) idle() bool {
	for i := range s.ring {
		if s.ring[i].attempts > 0 {
			return false
		}
	}
	return s.attempts.Load() == 0
}

func (s *series) counts() (c Counts) {
	for i := range s.ring {
		if i < nowSteps {
			c.Now.add(&s.ring[i])
		} else {
			c.Before.add(&s.ring[i])
		}
	}
	return c
}

// Rates are counts by name.
type Rates struct {
	Targets    map[string]Counts `json:"targets,omitempty"`
	Types      map[string]Counts `json:"types,omitempty"`
	Categories map[string]Counts `json:"categories,omitempty"`
}

// Counts are what happened in the last minute and in the five before.
type Counts struct {
	Now    Count `json:"n"`
	Before Count `json:"b,omitzero"`
}

// Count is what happened in some time.
type Count struct {
	Attempts int         `json:"a,omitempty"`
	Failures int         `json:"f,omitempty"`
	Retries  int         `json:"r,omitempty"`
	Took     map[int]int `json:"t,omitempty"` // attempts by bucket of time
}

func (c *Count) add(s *slot) {
	c.Attempts += int(s.attempts)
	c.Failures += int(s.failures)
	c.Retries += int(s.retries)
	for i, n := range s.took {
		c.time(i, int(n))
	}
}

func (c *Count) time(bucket, n int) {
	if c.Took == nil {
		c.Took = map[int]int{}
	}
	c.Took[bucket] += n
}

func (c *Count) merge(other *Count) {
	c.Attempts += other.Attempts
	c.Failures += other.Failures
	c.Retries += other.Retries
	for i, n := range other.Took {
		c.time(i, n)
	}
}

// p99 is a time that 99 of 100 attempts did not exceed, 0 without attempts.
func (c *Count) p99() time.Duration {
	total := 0
	for _, n := range c.Took {
		total += n
	}
	left := total / 100 // attempts that may be slower
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(c.Took))) {
		if left -= c.Took[i]; left < 0 {
			return buckets.End(i)
		}
	}
	return 0
}

// Merge adds up the counts of all nodes.
func Merge(nodes []*Rates) (targets, types, categories []RateSample) {
	var all Rates
	for _, node := range nodes {
		all.Targets = mergeInto(all.Targets, node.Targets)
		all.Types = mergeInto(all.Types, node.Types)
		all.Categories = mergeInto(all.Categories, node.Categories)
	}
	return samples(all.Targets), samples(all.Types), samples(all.Categories)
}

func mergeInto(into, from map[string]Counts) map[string]Counts {
	if into == nil {
		into = map[string]Counts{}
	}
	for name, counts := range from {
		sum := into[name]
		sum.Now.merge(&counts.Now)
		sum.Before.merge(&counts.Before)
		into[name] = sum
	}
	return into
}

func samples(all map[string]Counts) (out []RateSample) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		counts := all[name]
		sample := RateSample{
			Name: name, Attempts: counts.Now.Attempts, Failures: counts.Now.Failures, Retries: counts.Now.Retries,
			P99: counts.Now.p99(), P99Growth: 1,
		}
		usual := max(float64(counts.Before.Retries)/float64(steps/nowSteps-1), 1)
		sample.RetryGrowth = float64(counts.Now.Retries) / usual
		if before := counts.Before.p99(); before > 0 && counts.Before.Attempts >= leastBefore && sample.P99 > 0 {
			sample.P99Growth = float64(sample.P99) / float64(before)
		}
		out = append(out, sample)
	}
	return out
}

// largest are the names with the largest counts, the largest first.
func largest(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(len(names), mostListed)]
}
