package postgres

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// recalled are rows of a claim that the store knows.
type recalled struct {
	items    []store.ClaimItem
	ids      []task.ID
	tasks    []knownTask
	places   []place
	versions []version
	bytes    int // of the payloads

	// The answer:
	now     int64
	claimed map[task.ID]place // of their rows in outlast_run
}

// recall parts the items of a claim whose rows are known from the rest. Rows
// that are too large together are all looked up.
func (c *claiming) recall() (found recalled, rest []store.ClaimItem) {
	shared, scratch := names{}, row(nil)
	for _, item := range c.items {
		kept, known := c.store.memory.tasks.take(item.ID)
		scratch = kept.unpack(scratch)
		if !known || item.Mark != 0 {
			rest = append(rest, item)
			continue
		}
		one, err := scanKnown(scratch, shared)
		if err != nil {
			rest = append(rest, item) // who looks it up says so
			continue
		}
		found.items, found.ids, found.tasks = append(found.items, item), append(found.ids, item.ID), append(found.tasks, one)
		found.places, found.versions = append(found.places, one.place), append(found.versions, one.version)
		found.bytes += len(one.task.Payload)
	}
	if found.bytes >= c.claim.MaxBytes {
		return recalled{}, c.items
	}
	return found, rest
}

// call is the batch of what is known.
func (k *recalled) call(c *claiming) *claimBatch {
	owned, epochs := laneEpochs(c.claim.Lanes)
	batch := &claimBatch{items: k.items}
	batch.call = call{
		query: claimKnown,
		args:  []any{c.store.offset(), c.claim.Node, owned, epochs, k.ids, k.places, k.versions},
		scan: func(r row) error {
			claimed := k.ids
			if int(r.int(1)) < len(k.ids) {
				claimed = r.ids(3)
			}
			k.now, k.claimed = r.int(0), make(map[task.ID]place, len(claimed))
			for i, run := range r.places(2) {
				k.claimed[claimed[i]] = run
			}
			return nil
		},
	}
	batch.done = func() []*task.Task { return k.handOut(c) }
	return batch
}

// handOut makes the tasks that were claimed, and remembers where their rows are.
func (k *recalled) handOut(c *claiming) []*task.Task {
	tasks, at := make([]*task.Task, 0, len(k.claimed)), time.Now()
	for i := range k.tasks {
		run, claimed := k.claimed[k.ids[i]]
		if !claimed {
			continue
		}
		t := k.tasks[i].claimed(c.claim.Node, k.now)
		c.store.memory.runs.put(at, t.ID, knownRun{t.Claim, k.places[i], run}, runWeight)
		tasks = append(tasks, t)
	}
	return tasks
}
