package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

type queue struct{ store.Queue }

type lane struct {
	store.Lane
	pending      map[int64]*ordered // by park mark: (rank, 0, id)
	running      map[string]*ordered
	keys         map[string]*key
	runningKeyed int
}

// key is what is known of one ordering key of one lane.
type key struct {
	pending ordered // (0 started before or 1, seq, id)
	running task.ID
	hold    *hold
}

type hold struct {
	holder task.ID
	mode   string
	since  time.Time
}

// row is a live task.
type row struct {
	task.Task
	lease     time.Time // until when a remote worker has it; zero for none
	unstarted int64     // the claim given back last without a history row, 0 for none
}

type dedupeKey struct {
	lane       uint16
	queue, key string
}

type dedupeEntry struct {
	id      task.ID
	content [16]byte
	expires time.Time
}

type node struct {
	store.Node
	killed bool      // its handle was killed
	ended  time.Time // when it left or was marked dead
}

type objectKey struct{ kind, name string }

// appliedChange is what is remembered of a change with an ID.
type appliedChange struct {
	at       time.Time
	versions string
}

// configuration is the objects, and what goes with them.
type configuration struct {
	objects  map[objectKey]store.Object
	versions map[objectKey][]store.Object // oldest first
	changes  map[string]appliedChange
	audit    []objects.Row // by key
	raised   int64         // Topology.Config
}

func newConfiguration() configuration {
	return configuration{
		objects: map[objectKey]store.Object{}, versions: map[objectKey][]store.Object{}, changes: map[string]appliedChange{},
	}
}

func newLane(number uint16, queue string) *lane {
	return &lane{
		Lane:    store.Lane{Number: number, Queue: queue},
		pending: map[int64]*ordered{},
		running: map[string]*ordered{},
		keys:    map[string]*key{},
	}
}

func (r *row) byRank() place { return place{first: task.Rank(r.RunAt, r.Priority), id: r.ID} }

func (r *row) byKey() place {
	p := place{first: 1, second: r.Seq, id: r.ID}
	if r.Attempt+r.Crashes > 0 {
		p.first = 0
	}
	return p
}

// tidy forgets a key about which there is nothing to know.
func (l *lane) tidy(name string) {
	k := l.keys[name]
	if k != nil && k.pending.length == 0 && k.running.IsZero() && k.hold == nil {
		delete(l.keys, name)
	}
}

// release removes the hold of a key, if holder has it; the zero id stands
// for any holder.
func (l *lane) release(name string, holder task.ID) bool {
	k := l.keys[name]
	if k == nil || k.hold == nil || !holder.IsZero() && k.hold.holder != holder {
		return false
	}
	k.hold = nil
	l.tidy(name)
	return true
}

func ensure[K comparable, V any](in map[K]*V, at K) *V {
	if in[at] == nil {
		in[at] = new(V)
	}
	return in[at]
}

func take[K comparable](from map[K]*ordered, at K, p place) {
	set := from[at]
	set.remove(p)
	if set.length == 0 {
		delete(from, at)
	}
}

// raise is the claim number after old.
func raise(old int64, now time.Time) int64 { return max(old+1, now.UnixMicro()) }

// clone copies a task so that nothing is shared.
func clone(t *task.Task) *task.Task {
	c := *t
	c.Payload = bytes.Clone(t.Payload)
	c.Result = bytes.Clone(t.Result)
	c.LastError = cloneFailure(t.LastError)
	c.Spec.Retry = bytes.Clone(t.Spec.Retry)
	c.Spec.Metadata = maps.Clone(t.Spec.Metadata)
	c.Spec.HTTP = cloneRequest(t.Spec.HTTP)
	c.Spec.Fallback = cloneFollow(t.Spec.Fallback)
	c.Spec.OnSuccess = cloneFollow(t.Spec.OnSuccess)
	c.Spec.OnDead = cloneFollow(t.Spec.OnDead)
	return &c
}

func cloneFailure(f *task.Failure) *task.Failure {
	if f == nil {
		return nil
	}
	c := *f
	return &c
}

func cloneRequest(r *task.Request) *task.Request {
	if r == nil {
		return nil
	}
	c := *r
	c.Headers = maps.Clone(r.Headers)
	return &c
}

func cloneFollow(f *task.Follow) *task.Follow {
	if f == nil {
		return nil
	}
	c := *f
	c.Payload = bytes.Clone(f.Payload)
	c.HTTP = cloneRequest(f.HTTP)
	return &c
}

func cloneAttempts(attempts []task.Attempt) []task.Attempt {
	out := slices.Clone(attempts)
	for i := range out {
		out[i].Failure = cloneFailure(out[i].Failure)
	}
	return out
}

func cloneServes(serves store.Serves) store.Serves {
	out := maps.Clone(serves)
	for queue, s := range out {
		s.Types, s.Wants = slices.Clone(s.Types), slices.Clone(s.Wants)
		out[queue] = s
	}
	return out
}

func cloneOperation(o store.Operation) store.Operation {
	o.Request = bytes.Clone(o.Request)
	return o
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
