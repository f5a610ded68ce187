package memory

import (
	"iter"
	"time"

	"github.com/outlast-dev/outlast/store"
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
	rank  int64
	lease time.Time // until when a remote worker has it; zero for none
}

func newLane(number uint16, queue string) *lane {
	return &lane{
		Lane:    store.Lane{Number: number, Queue: queue},
		pending: map[int64]*ordered{},
		running: map[string]*ordered{},
		keys:    map[string]*key{},
	}
}

// lane returns a lane by its number, nil if there is none.
func (d *data) lane(number uint16) *lane {
	if int(number) >= len(d.lanes) {
		return nil
	}
	return d.lanes[number]
}

func (r *row) byRank() place { return place{first: r.rank, id: r.ID} }

func (r *row) byKey() place {
	p := place{first: 1, second: r.Seq, id: r.ID}
	if r.Attempt+r.Crashes > 0 {
		p.first = 0
	}
	return p
}

// change applies a change to a live row and keeps the indexes in step.
func (d *data) change(r *row, now time.Time, apply func(r *row)) {
	d.unindex(r)
	apply(r)
	r.UpdatedAt = now
	r.rank = task.Rank(r.RunAt, r.Priority)
	d.index(r)
}

// insert adds a live row.
func (d *data) insert(t task.Task) *row {
	r := &row{Task: t, rank: task.Rank(t.RunAt, t.Priority)}
	d.live[t.ID] = r
	d.byID.add(place{id: t.ID})
	d.index(r)
	return r
}

// end takes a row out of the live ones. The caller puts it elsewhere.
func (d *data) end(r *row) {
	d.unindex(r)
	delete(d.live, r.ID)
}

func (d *data) index(r *row) {
	lane := d.lanes[r.ID.Lane()]
	if r.State == task.Running {
		ensure(lane.running, r.Node).add(place{id: r.ID})
		if r.Key != "" {
			ensure(lane.keys, r.Key).running = r.ID
			lane.runningKeyed++
		}
		return
	}
	ensure(lane.pending, r.Park).add(r.byRank())
	if r.Key != "" {
		ensure(lane.keys, r.Key).pending.add(r.byKey())
	}
}

func (d *data) unindex(r *row) {
	lane := d.lanes[r.ID.Lane()]
	if r.State == task.Running {
		take(lane.running, r.Node, place{id: r.ID})
		if r.Key != "" {
			lane.keys[r.Key].running = task.ID{}
			lane.runningKeyed--
			lane.tidy(r.Key)
		}
		return
	}
	take(lane.pending, r.Park, r.byRank())
	if r.Key != "" {
		lane.keys[r.Key].pending.remove(r.byKey())
		lane.tidy(r.Key)
	}
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

func (r *row) entry() store.Entry {
	return store.Entry{
		ID: r.ID, RunAt: r.RunAt.UnixMicro(), Rank: r.rank, Seq: r.Seq, Park: r.Park, Key: r.Key, Type: r.Type,
		Target: r.Target, Attempt: r.Attempt, Crashes: r.Crashes, Size: len(r.Payload),
	}
}

// find returns a task of any table, nil if there is none. It is the store's
// own: copy before it leaves.
func (d *data) find(id task.ID) *task.Task {
	if r := d.live[id]; r != nil {
		return &r.Task
	}
	if t := d.done[id]; t != nil {
		return t
	}
	return d.dead[id]
}

// running yields the running rows of a node over all lanes.
func (d *data) running(node string) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		for _, lane := range d.lanes {
			set := lane.running[node]
			if set == nil {
				continue
			}
			for p := range set.all() {
				if !yield(d.live[p.id]) {
					return
				}
			}
		}
	}
}

// raise is the claim number after old.
func raise(old int64, now time.Time) int64 { return max(old+1, now.UnixMicro()) }
