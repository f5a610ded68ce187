package memory

import (
	"iter"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// lane returns a lane by its number, nil if there is none.
func (d *data) lane(number uint16) *lane {
	if int(number) >= len(d.lanes) {
		return nil
	}
	return d.lanes[number]
}

// change applies a change to a live row and keeps the indexes in step.
func (d *data) change(r *row, now time.Time, apply func(r *row)) {
	d.unindex(r)
	apply(r)
	r.UpdatedAt = now
	d.index(r)
}

// insert adds a live row.
func (d *data) insert(t task.Task) *row {
	r := &row{Task: t}
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
