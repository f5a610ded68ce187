package sealed

import (
	"maps"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
)

// seen is the greatest version of each object that steers, of those that somebody has
// vouched for: an earlier one that is read later was put back by somebody who can write
// to the database. A process that starts knows nothing yet.
type seen struct {
	mu       sync.Mutex
	versions map[objectName]int64 // replaced, never changed
}

type objectName struct{ kind, name string }

// mostSeen bounds the memory; no more are watched.
const mostSeen = 20000

// before is what was known before a reading began. What is written meanwhile may be
// newer than what it finds.
func (s *seen) before() map[objectName]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions
}

// add notes the versions of objects.
func (s *seen) add(objects []store.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next map[objectName]int64
	for i := range objects {
		o := &objects[i]
		if o.Doubt != nil || len(o.Body) == 0 || !slices.Contains(steering, o.Kind) {
			continue
		}
		id := objectName{o.Kind, o.Name}
		if known, there := s.versions[id]; there && known >= o.Version || !there && len(s.versions)+len(next) >= mostSeen {
			continue
		}
		if next == nil {
			next = make(map[objectName]int64)
		}
		next[id] = o.Version
	}
	if next == nil {
		return
	}
	all := maps.Clone(s.versions)
	if all == nil {
		all = make(map[objectName]int64, len(next))
	}
	maps.Copy(all, next)
	s.versions = all
}

// policies are the names that queues had when somebody vouched for them: they go on to
// hold here.
type policies struct {
	mu    sync.Mutex
	known map[string]string
}

func (p *policies) keep(queue, policy string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[string]string)
	}
	p.known[queue] = policy
}

func (p *policies) of(queue string) (policy string, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	policy, known = p.known[queue]
	return policy, known
}
