package memory

import (
	"context"
	"fmt"
	"maps"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Check implements [store.Query]: every index against a recount.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	c := checker{data: s.data}
	c.tables()
	c.rows()
	c.keys()
	c.counters()
	c.groups()
	return c.wrong, nil
}

type checker struct {
	data  *data
	wrong []string
}

func (c *checker) expect(ok bool, format string, values ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Sprintf(format, values...))
	}
}

// tables checks that every task is in one table and in the order by id.
func (c *checker) tables() {
	d := c.data
	for id := range d.live {
		c.expect(d.done[id] == nil && d.dead[id] == nil, "task %s is live and has ended", id)
		c.expect(d.byID.has(place{id: id}), "live task %s is not in the order by id", id)
	}
	for id, t := range d.done {
		c.expect(d.dead[id] == nil, "task %s is done and dead", id)
		c.expect(d.doneByEnd.has(byEnd(t)), "done task %s is not in the order of ends", id)
		c.expect(t.State == task.Succeeded || t.State == task.Canceled, "done task %s is %s", id, t.State)
	}
	for id, t := range d.dead {
		c.expect(d.deadByEnd.has(byEnd(t)), "dead task %s is not in the order of ends", id)
		c.expect(t.State == task.Dead, "dead task %s is %s", id, t.State)
	}
	total := len(d.live) + len(d.done) + len(d.dead)
	c.expect(d.byID.length == total, "the order by id has %d of %d tasks", d.byID.length, total)
	c.expect(d.doneByEnd.length == len(d.done), "the order of ends has %d of %d done tasks", d.doneByEnd.length, len(d.done))
	c.expect(d.deadByEnd.length == len(d.dead), "the order of ends has %d of %d dead tasks", d.deadByEnd.length, len(d.dead))
	for p := range d.byFailure.all() {
		t := d.find(p.id)
		c.expect(t != nil && byFailure(t) == p, "the order by failure has a place that is no task's: %s", p.id)
	}
	for id := range d.attempts {
		c.expect(d.find(id) != nil, "there is a history of the absent task %s", id)
	}
	for id := range d.steps {
		c.expect(d.find(id) != nil, "there are steps of the absent task %s", id)
	}
}

// rows checks the live rows against the indexes of their lanes.
func (c *checker) rows() {
	d := c.data
	running := 0
	for id, r := range d.live {
		lane := d.lanes[id.Lane()]
		c.expect(lane.Queue == r.Queue, "task %s is in lane %d of another queue", id, lane.Number)
		if r.State == task.Running {
			running++
			c.expect(r.Node != "", "running task %s has no node", id)
			c.expect(lane.running[r.Node] != nil && lane.running[r.Node].has(place{id: id}), "running task %s is not indexed", id)
			continue
		}
		c.expect(r.State == task.Pending && r.Node == "", "live task %s is %s on node %q", id, r.State, r.Node)
		c.expect(lane.pending[r.Park] != nil && lane.pending[r.Park].has(r.byRank()), "pending task %s is not indexed", id)
	}
	total := len(d.live)
	for _, lane := range d.lanes {
		for _, set := range lane.pending {
			total -= set.length
		}
		for _, set := range lane.running {
			total -= set.length
		}
	}
	c.expect(total == 0, "the lanes index %d rows too few", total)
}

// keys checks running rows and holds of ordering keys.
func (c *checker) keys() {
	d := c.data
	keyed := map[*key]int{}
	for id, r := range d.live {
		if r.Key == "" {
			continue
		}
		k := d.lanes[id.Lane()].keys[r.Key]
		if k == nil {
			c.expect(false, "the key of task %s is not known", id)
			continue
		}
		if r.State == task.Running {
			c.expect(k.running == id, "task %s runs beside another of its key", id)
			continue
		}
		keyed[k]++
		c.expect(k.pending.has(r.byKey()), "task %s is not in the order of its key", id)
	}
	for _, lane := range d.lanes {
		running := 0
		for name, k := range lane.keys {
			if !k.running.IsZero() {
				running++
				c.expect(d.live[k.running] != nil, "the running task of key %q is absent", name)
			}
			c.expect(k.pending.length == keyed[k], "key %q orders %d of %d tasks", name, k.pending.length, keyed[k])
			c.expect(k.hold == nil || d.dead[k.hold.holder] != nil, "key %q is held by an absent dead letter", name)
		}
		c.expect(running == lane.runningKeyed, "lane %d counts %d running keyed tasks of %d", lane.Number, lane.runningKeyed, running)
	}
}

func (c *checker) counters() {
	recount := stored.NewStats()
	for _, t := range c.data.dead {
		count(recount, t, 1)
	}
	have := c.data.stats
	c.expect(have.Total == recount.Total && maps.Equal(have.ByType, recount.ByType) && maps.Equal(have.ByReason, recount.ByReason) &&
		maps.Equal(have.ByCategory, recount.ByCategory), "the counters of dead letters are %v, a recount gives %v", have, recount)
}

// groups checks the counts of groups that are not done: a member that is purged leaves no trace.
func (c *checker) groups() {
	live := map[task.ID]int{}
	for _, r := range c.data.live {
		live[r.Spec.Group]++
	}
	for id, group := range c.data.groups {
		c.expect(group.Counts.Live() == live[id], "group %s counts %d live members of %d", id, group.Counts.Live(), live[id])
	}
}
