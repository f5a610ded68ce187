package inspector

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	usualUpcoming = 10
	mostUpcoming  = 100

	// What is read, however much waits: so many parts of lanes, marks (but one of each
	// lane), and rows (but a few of each part).
	mostParts = 1024
	mostMarks = 256
	mostRows  = 2048
	leastRows = 4
)

func (ts *Tasks) Upcoming(ctx context.Context, queues []string, limit int) (tasks []*inspect.View, complete bool, err error) {
	if limit < 0 || limit > mostUpcoming {
		return nil, false, task.Invalid("limit", "is outside 1 to 100", "0 means 10")
	}
	limit = cmp.Or(limit, usualUpcoming)
	u := upcoming{why: whyWaiting{node: ts.node, now: time.Now(), rough: true}, queues: map[uint16]string{}, unseen: math.MaxInt64}
	if err := u.why.readTopology(ctx); err != nil {
		return nil, false, err
	}
	if err := u.look(ctx, u.lanes(queues)); err != nil || len(u.found) == 0 {
		return nil, u.unseen == math.MaxInt64, err
	}
	slices.SortFunc(u.found, coming.compare)
	some := u.found[:min(len(u.found), limit+limit/2+5)] // a few may have gone, or wait for what only the database can tell
	views, err := ts.again(ctx, some)
	if err != nil {
		return nil, false, err
	}
	if len(views) < limit {
		return views, u.unseen == math.MaxInt64 && len(some) == len(u.found), nil
	}
	last := comingOf(views[limit-1])
	return views[:limit], u.unseen == math.MaxInt64 || !last.at.IsZero() && last.at.UnixMicro() <= u.unseen, nil
}

// again reads tasks whole, leaves out those that have begun meanwhile, and puts the
// others in order.
func (ts *Tasks) again(ctx context.Context, found []coming) ([]*inspect.View, error) {
	ids := make([]task.ID, len(found))
	for n := range found {
		ids[n] = found[n].ID
	}
	var tasks []*task.Task
	for page := (store.Page{Limit: len(ids)}); ; { // pages of large tasks are short
		some, next, err := ts.node.Backend.Find(ctx, store.Filter{IDs: ids}, page)
		if err != nil {
			return nil, err
		}
		for _, t := range some {
			if t.State == task.Pending && t.Attempt+t.Crashes > 0 {
				tasks = append(tasks, t)
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	views, err := ts.View(ctx, tasks...)
	slices.SortFunc(views, func(a, b *inspect.View) int { return comingOf(a).compare(comingOf(b)) })
	return views, err
}

// coming is a task that waits, and when it is tried again: zero where something else
// than time must happen first.
type coming struct {
	*task.Task
	at time.Time
}

func comingOf(v *inspect.View) coming {
	return coming{v.Task, comes(v.Task, v.Waiting, v.NextCheck)}
}

// comes is when a waiting task is tried again, as far as that is a matter of time.
func comes(t *task.Task, why task.Waiting, next time.Time) time.Time {
	switch {
	case !next.IsZero():
		return next
	case slices.Contains([]task.Waiting{"", task.NoSlot, task.AtConcurrency, task.RateLimited}, why):
		return t.RunAt // which has come
	}
	return time.Time{}
}

func (c coming) compare(to coming) int {
	if c.at.IsZero() != to.at.IsZero() {
		return to.at.Compare(c.at)
	}
	return cmp.Or(c.at.Compare(to.at), c.RunAt.Compare(to.RunAt), c.ID.Compare(to.ID))
}

// upcoming looks for what is tried again next where it may stand.
type upcoming struct {
	why    whyWaiting
	queues map[uint16]string // by lane
	parts  []store.Range
	found  []coming
	unseen int64 // µs: what was not looked at runs no earlier; the largest number where that is nothing
}

// lanes are those of the queues, or of all: as many of each queue as of the others
// where there are too many.
func (u *upcoming) lanes(queues []string) (lanes []uint16) {
	count, place := map[string]int{}, map[uint16]int{}
	for _, lane := range u.why.view.Topology.Lanes {
		if !shownQueue(lane.Queue, queues) {
			continue
		}
		u.queues[lane.Number], place[lane.Number] = lane.Queue, count[lane.Queue]
		count[lane.Queue]++
		lanes = append(lanes, lane.Number)
	}
	slices.SortStableFunc(lanes, func(a, b uint16) int { return cmp.Compare(place[a], place[b]) })
	if most := mostParts / 2; len(lanes) > most {
		lanes, u.unseen = lanes[:most], math.MinInt64
	}
	return lanes
}

// look reads the front of each part of the lanes.
func (u *upcoming) look(ctx context.Context, lanes []uint16) error {
	if len(lanes) == 0 {
		return nil
	}
	if err := u.split(ctx, lanes); err != nil {
		return err
	}
	rows, seen := max(leastRows, mostRows/len(u.parts)), map[task.ID]bool{}
	for n := range u.parts {
		u.parts[n].Limit = rows
	}
	pages, err := u.why.node.Backend.Scan(ctx, u.parts)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if len(page) == rows {
			u.unseen = min(u.unseen, page[rows-1].Rank) // which is no later than when a task runs
		}
		for n := range page {
			if row := &page[n]; row.Attempt+row.Crashes > 0 && !seen[row.ID] {
				seen[row.ID] = true
				if err := u.add(ctx, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// split divides what waits in the lanes into parts by where a task stands whose time is
// now: at each priority where there are few lanes, at the usual one in any case.
func (u *upcoming) split(ctx context.Context, lanes []uint16) error {
	most := max(1, mostMarks/len(lanes))
	marked, err := u.why.node.Backend.Marks(ctx, lanes, most)
	if err != nil {
		return err
	}
	usual := []int{task.DefaultPriority, 0, 9, 7, 3, 8, 2, 6, 4, 1}
	priorities := usual[:min(len(usual), mostParts/len(lanes)-1)]
	slices.SortFunc(priorities, func(a, b int) int { return b - a })
	for _, lane := range lanes {
		u.divide(lane, 0, priorities)
	}
	count := map[uint16]int{}
	for n := range marked {
		lane := marked[n].ID.Lane()
		if u.divide(lane, marked[n].Park, []int{task.DefaultPriority}); count[lane]+1 == most {
			u.unseen = math.MinInt64
		}
		count[lane]++
	}
	return nil
}

func (u *upcoming) divide(lane uint16, mark int64, priorities []int) {
	after := int64(math.MinInt64)
	for _, priority := range priorities {
		now := task.Rank(u.why.now, priority)
		u.parts = append(u.parts, store.Range{Lane: lane, Park: mark, After: after, Until: now - 1})
		after = now
	}
	u.parts = append(u.parts, store.Range{Lane: lane, Park: mark, After: after, Until: math.MaxInt64})
}

// add notes a task and when it is tried again, as far as its row and this node tell.
func (u *upcoming) add(ctx context.Context, row *store.Entry) error {
	t := &task.Task{
		ID: row.ID, Queue: u.queues[row.ID.Lane()], State: task.Pending, Type: row.Type, Target: row.Target, Key: row.Key,
		RunAt: time.UnixMicro(row.RunAt), Attempt: row.Attempt, Crashes: row.Crashes,
	}
	if agenda.Capability(row) == agenda.Push {
		t.Spec.HTTP = &task.Request{}
	}
	why, err := u.why.of(ctx, t)
	if err == nil {
		u.found = append(u.found, coming{t, comes(t, why.Why, why.Until)})
	}
	return err
}
