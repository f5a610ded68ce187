package stats

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// KindSeries is the kind of the objects that hold what happened in each minute; their
// names are the beginnings of windows of ten minutes.
const KindSeries = "stats.series"

const (
	windowOf   = 10 * time.Minute
	windowName = "2006-01-02T15:04Z"
	mostQueues = 40 // with counts of their own, of a node
	otherQueue = "(other)"
)

// tally is what happened in one queue.
type tally struct {
	Succeeded int   `json:"s,omitempty"`
	Dead      int   `json:"d,omitempty"`
	Canceled  int   `json:"c,omitempty"`
	Attempts  int   `json:"a,omitempty"`
	Failed    int   `json:"f,omitempty"`
	Retries   int   `json:"t,omitempty"`
	Run       times `json:"r,omitempty"`
	Wait      times `json:"w,omitempty"`
	Due       int   `json:"u,omitempty"`
	// Pending and OldestDue (in ms) are of one node that asked the store; nil if none did.
	Pending   *int   `json:"p,omitempty"`
	OldestDue *int64 `json:"o,omitempty"`
}

func (t *tally) add(other *tally) {
	t.happened(other)
	t.Due += other.Due
	t.Pending, t.OldestDue = larger(t.Pending, other.Pending), larger(t.OldestDue, other.OldestDue)
}

// happened adds what is counted, and nothing of what is measured.
func (t *tally) happened(other *tally) {
	t.Succeeded += other.Succeeded
	t.Dead += other.Dead
	t.Canceled += other.Canceled
	t.Attempts += other.Attempts
	t.Failed += other.Failed
	t.Retries += other.Retries
	t.Run, t.Wait = t.Run.with(other.Run), t.Wait.with(other.Wait)
}

// beside adds the tally of another queue.
func (t *tally) beside(other *tally) {
	t.happened(other)
	t.Due += other.Due
	t.OldestDue = larger(t.OldestDue, other.OldestDue)
	if other.Pending != nil {
		sum := *other.Pending
		if t.Pending != nil {
			sum += *t.Pending
		}
		t.Pending = &sum
	}
}

func larger[N cmp.Ordered](a, b *N) *N {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// minute is what happened in one on all nodes that have told.
type minute struct {
	Nodes  int               `json:"n"`
	Queues map[string]*tally `json:"q,omitempty"`
}

// span is what is kept of a window: its minutes, by the first minute's seconds since
// 1970.
type span struct {
	Minutes map[int64]*minute `json:"m"`
}

func readSpan(body []byte) *span {
	s := &span{}
	if json.Unmarshal(body, s) != nil {
		*s = span{} // of a later program: it begins anew
	}
	return s
}

func (s *span) add(other *span) {
	if s.Minutes == nil {
		s.Minutes = map[int64]*minute{}
	}
	for at, m := range other.Minutes {
		known := s.Minutes[at]
		if known == nil {
			known = &minute{}
			s.Minutes[at] = known
		}
		known.Nodes += m.Nodes
		known.add(m.Queues)
	}
}

func (m *minute) add(queues map[string]*tally) {
	if m.Queues == nil {
		m.Queues = make(map[string]*tally, len(queues))
	}
	for name, t := range queues {
		if m.Queues[name] == nil {
			m.Queues[name] = &tally{}
		}
		m.Queues[name].add(t)
	}
}

// body counts the queues with the fewest attempts together where there are too many.
func (s *span) body() ([]byte, error) {
	for most := 2 * mostQueues; ; most /= 2 {
		s.fold(most)
		body, err := json.Marshal(s)
		if err != nil || len(body) <= store.MaxObject || most == 0 {
			return body, err
		}
	}
}

func (s *span) fold(most int) {
	attempts := map[string]int{}
	for _, m := range s.Minutes {
		for name, t := range m.Queues {
			if name != otherQueue {
				attempts[name] += t.Attempts
			}
		}
	}
	if len(attempts) <= most {
		return
	}
	names := slices.SortedFunc(maps.Keys(attempts), func(a, b string) int {
		return cmp.Or(cmp.Compare(attempts[b], attempts[a]), cmp.Compare(a, b))
	})
	for _, m := range s.Minutes {
		for _, name := range names[most:] {
			if t := m.Queues[name]; t != nil {
				delete(m.Queues, name)
				other := m.Queues[otherQueue]
				if other == nil {
					other = &tally{}
					m.Queues[otherQueue] = other
				}
				other.beside(t)
			}
		}
	}
}
