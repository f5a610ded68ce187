package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Enqueue implements [store.Store].
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	results := make([]store.BatchResult, len(batches))
	var lanes []uint16
	for i, batch := range batches {
		p, err := d.plan(batch.Items, now)
		if err != nil {
			results[i].Err = err
			continue
		}
		results[i].Items = p.apply()
		for _, t := range p.insert {
			if t != nil {
				lanes = append(lanes, t.ID.Lane())
			}
		}
	}
	if len(lanes) > 0 {
		s.commit(lanes...)
	}
	return results, nil
}

// plan is a batch that was checked against the store and against itself, so
// that applying it cannot fail.
type plan struct {
	data     *data
	now      time.Time
	items    []store.Insert
	insert   []*task.Task // per item; nil where a task is there already
	existing []task.ID    // per item, where insert is nil
	ids      map[task.ID]*task.Task
	dedupe   map[dedupeKey]dedupeEntry
	members  grouped.Tally
}

// plan checks items without changing anything.
func (d *data) plan(items []store.Insert, now time.Time) (*plan, error) {
	p := &plan{data: d, now: now, items: items, ids: map[task.ID]*task.Task{}, dedupe: map[dedupeKey]dedupeEntry{}}
	for _, item := range items {
		insert, existing, err := p.item(item)
		if err != nil {
			return nil, err
		}
		p.insert = append(p.insert, insert)
		p.existing = append(p.existing, existing)
	}
	isNew := func(i int) bool { return p.insert[i] != nil }
	return p, p.members.Inserted(items, isNew, d.groups.standings(items))
}

func (p *plan) item(item store.Insert) (*task.Task, task.ID, error) {
	t := item.Task
	if err := p.data.acceptable(&item); err != nil {
		return nil, task.ID{}, err
	}
	if old := p.find(t.ID); old != nil {
		return nil, t.ID, check.Same(old, t)
	}
	if item.Dedupe != nil {
		key := dedupeKey{item.Dedupe.Lane, t.Queue, item.Dedupe.Key}
		if entry, alive := p.entry(key); alive {
			return nil, entry.id, check.SameKey(item.Dedupe, entry.id, entry.content)
		}
		p.dedupe[key] = dedupeEntry{t.ID, item.Dedupe.Content, p.now.Add(item.Dedupe.Window)}
	}
	fresh := p.fresh(item)
	p.ids[t.ID] = fresh
	return fresh, task.ID{}, nil
}

// acceptable checks what no store takes, and that the lane is one of the queue.
func (d *data) acceptable(item *store.Insert) error {
	if err := check.Insert(item); err != nil {
		return err
	}
	t := item.Task
	lane := d.lane(t.ID.Lane())
	if lane == nil || d.queues[t.Queue] == nil {
		return task.NotFound("queue", t.Queue)
	}
	if lane.Queue != t.Queue {
		return task.Invalid("id", "the lane of the id is not one of the queue "+task.Quote(t.Queue), "")
	}
	return nil
}

// fresh is the row to be: only what the caller may say, the rest set here.
func (p *plan) fresh(item store.Insert) *task.Task {
	given := item.Task
	runAt := micros(given.RunAt)
	if runAt.IsZero() {
		runAt = micros(p.now.Add(item.Delay))
	}
	return clone(&task.Task{
		ID: given.ID, Queue: given.Queue, Type: given.Type, Payload: given.Payload, State: task.Pending,
		Priority: given.Priority, RunAt: runAt, Key: given.Key, Target: given.Target, Policy: given.Policy,
		Spec: given.Spec, CreatedAt: p.now, UpdatedAt: p.now,
	})
}

func (p *plan) find(id task.ID) *task.Task {
	if t := p.ids[id]; t != nil {
		return t
	}
	return p.data.find(id)
}

// entry returns the dedupe entry of a key and whether it lives: until its
// window has passed and, after that, while its task is live.
func (p *plan) entry(key dedupeKey) (dedupeEntry, bool) {
	if entry, ok := p.dedupe[key]; ok {
		return entry, true
	}
	entry, ok := p.data.dedupe[key]
	return entry, ok && p.data.dedupeLives(entry, p.now)
}

func (d *data) dedupeLives(entry dedupeEntry, now time.Time) bool {
	return now.Before(entry.expires) || d.live[entry.id] != nil
}

// apply inserts what was planned and returns one result per item.
func (p *plan) apply() []store.Inserted {
	for _, t := range p.insert {
		if t == nil {
			continue
		}
		if t.Key != "" {
			p.data.seq++
			t.Seq = p.data.seq
		}
		p.data.insert(*t)
	}
	p.data.groups.add(p.members)
	results := p.preview()
	for key, entry := range p.dedupe {
		p.data.dedupe[key] = entry
	}
	return results
}

// preview is what apply would return, but for the seqs of keyed tasks.
func (p *plan) preview() []store.Inserted {
	results := make([]store.Inserted, len(p.insert))
	for i, t := range p.insert {
		if t != nil {
			results[i] = store.Inserted{Entry: stored.Entry(t), Created: t.CreatedAt}
			continue
		}
		old := p.find(p.existing[i])
		if old == nil {
			old = check.Forgotten(p.existing[i], p.items[i].Task.Queue)
		}
		results[i] = store.Inserted{Existing: clone(old), Created: old.CreatedAt}
	}
	return results
}

// made is how many tasks are new.
func (p *plan) made() int {
	n := 0
	for _, t := range p.insert {
		if t != nil {
			n++
		}
	}
	return n
}
