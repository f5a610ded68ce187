package storetest

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// dedupe wraps a task with a dedupe key whose entry is in the first lane.
func (h *harness) dedupe(t *task.Task, key string, window time.Duration, content byte) store.Insert {
	return store.Insert{Task: t, Dedupe: &store.Dedupe{Lane: h.lanes[0].Lane, Key: key, Window: window, Content: [16]byte{content}}}
}

// fresh fails the test unless the insert makes a new task.
func (h *harness) fresh(insert store.Insert) task.ID {
	h.Helper()
	result := h.enqueue(insert)[0]
	h.ok(result.Err)
	h.expect(result.Items[0].Existing == nil, "answered with the task %v", result.Items[0].Existing)
	return insert.Task.ID
}

// dup fails the test unless the insert answers with the given task.
func (h *harness) dup(insert store.Insert, want task.ID) {
	h.Helper()
	result := h.enqueue(insert)[0]
	h.ok(result.Err)
	existing := result.Items[0].Existing
	h.expect(existing != nil && existing.ID == want, "answered with %+v, want the task %s", existing, want)
	equal(h, "entry", result.Items[0].Entry, store.Entry{})
	if insert.Task.ID != want {
		h.absent(insert.Task.ID)
	}
}

func dedupeRules() []rule {
	return []rule{
		{"dedupe/same content answers with the task", "A live dedupe entry with the same content answers with its task, whatever has become of it.", func(h *harness) {
			first := h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
			h.dup(h.dedupe(h.task(), "k", time.Hour, 1), first)
			running := h.claimOne(first)
			h.dup(h.dedupe(h.task(), "k", time.Hour, 1), first)
			h.settle(settlement(running, task.OutcomeSucceeded))
			h.dup(h.dedupe(h.task(), "k", time.Hour, 1), first)
			dead := h.fresh(h.dedupe(h.task(), "dead", time.Hour, 1))
			h.die(dead)
			h.dup(h.dedupe(h.task(), "dead", time.Hour, 1), dead)
		}},
		{"dedupe/other content is refused", "A live dedupe entry with other content fails with dedupe_conflict, naming the task.", func(h *harness) {
			first := h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
			second := h.task()
			err := h.code(h.enqueue(h.dedupe(second, "k", time.Hour, 2))[0].Err, task.CodeDedupeConflict)
			equal(h, "the task in the way", err.Existing, first)
			h.absent(second.ID)
		}},
		{"dedupe/a repeat with the same id", "A repeated call with the same id and dedupe key answers with the task that it made.", func(h *harness) {
			insert := h.dedupe(h.task(), "k", time.Hour, 1)
			h.dup(insert, h.fresh(insert))
		}},
		{"dedupe/the key is of its queue", "Dedupe entries are per queue and key.", func(h *harness) {
			lane := h.queue("other", 1)[0].Lane
			h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
			h.fresh(h.dedupe(h.task(), "K", time.Hour, 2))
			h.fresh(h.dedupe(h.task(func(t *task.Task) { t.Queue, t.ID = "other", t.ID.WithLane(lane) }), "k", time.Hour, 2))
		}},
		{"dedupe/twice in one call", "The dedupe check sees items before it in the same call and in the same batch.", func(h *harness) {
			a, b := h.dedupe(h.task(), "k", time.Hour, 1), h.dedupe(h.task(), "k", time.Hour, 1)
			results := h.enqueue(a, b)
			h.ok(results[0].Err)
			h.ok(results[1].Err)
			h.expect(results[1].Items[0].Existing != nil && results[1].Items[0].Existing.ID == a.Task.ID, "got %+v", results[1])
			c, d := h.dedupe(h.task(), "l", time.Hour, 1), h.dedupe(h.task(), "l", time.Hour, 1)
			answers, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{c, d}}})
			h.ok(err)
			h.ok(answers[0].Err)
			h.expect(answers[0].Items[1].Existing != nil && answers[0].Items[1].Existing.ID == c.Task.ID, "got %+v", answers[0])
			equal(h, "tasks", len(h.find(store.Filter{}, 10)), 2)
		}},
		{"dedupe/known before it is offered", "Known tells which ids and live dedupe keys are there, whatever became of their tasks, and writes nothing.", func(h *harness) {
			waiting, running, dead := h.add(), h.add(), h.add()
			h.claimOne(running)
			h.die(dead)
			keyed := h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
			h.run(keyed, task.OutcomeSucceeded)
			h.fresh(h.dedupe(h.task(), "late", 40*time.Millisecond, 1))
			h.run(h.fresh(h.dedupe(h.task(), "over", 40*time.Millisecond, 1)), task.OutcomeSucceeded)
			h.pass(80 * time.Millisecond)
			with := func(id task.ID) store.Insert {
				return store.Insert{Task: h.task(func(t *task.Task) { t.ID = id })}
			}
			items := []store.Insert{{Task: h.task()}, with(waiting), with(running), with(dead), with(keyed), h.dedupe(h.task(), "k", time.Hour, 2),
				h.dedupe(h.task(), "late", time.Hour, 1), h.dedupe(h.task(), "over", time.Hour, 1), h.dedupe(h.task(), "none", time.Hour, 1)}
			known, err := h.s.Known(h.ctx, items)
			h.ok(err)
			want := []bool{false, true, true, true, true, true, true, false, false}
			h.expect(slices.Equal(known, want), "known are %v, want %v", known, want)
			many := make([]store.Insert, 1200)
			for i := range many {
				many[i] = h.dedupe(h.task(), "none", time.Hour, 1)
			}
			many[1100] = items[5]
			known, err = h.s.Known(h.ctx, many)
			h.ok(err)
			equal(h, "known of many", slices.Index(known, true), 1100)
			known, err = h.s.Known(h.ctx, nil)
			h.ok(err)
			equal(h, "known of none", len(known), 0)
			for _, i := range []int{0, 8} {
				h.absent(items[i].Task.ID)
			}
		}},
		{"dedupe/a refused batch leaves no entry", "A batch that is refused leaves no dedupe entry behind.", func(h *harness) {
			taken := h.add()
			clash := h.task(typed("other"))
			clash.ID = taken
			results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{h.dedupe(h.task(), "k", time.Hour, 1), {Task: clash}}}})
			h.ok(err)
			h.code(results[0].Err, task.CodeIDConflict)
			h.fresh(h.dedupe(h.task(), "k", time.Hour, 2))
		}},
		{"dedupe/of a purged task", "The entry of a purged dead letter lives on, also for a task with the letter's own id: it answers with that id, or refuses other content.", func(h *harness) {
			first := h.dedupe(h.task(), "k", time.Hour, 1)
			h.die(h.fresh(first))
			purged, err := h.s.Purge(h.ctx, store.Filter{}, 10)
			h.ok(err)
			h.expect(len(purged) == 1, "purged %d", len(purged))
			for _, insert := range []store.Insert{h.dedupe(first.Task, "k", time.Hour, 1), h.dedupe(h.task(), "k", time.Hour, 1)} {
				existing := h.enqueue(insert)[0].Items
				h.expect(len(existing) == 1 && existing[0].Existing != nil && existing[0].Existing.ID == first.Task.ID, "answered with %+v", existing)
				h.code(h.enqueue(h.dedupe(insert.Task, "k", time.Hour, 2))[0].Err, task.CodeDedupeConflict)
				h.absent(insert.Task.ID)
			}
		}},
		{"dedupe/ends with its window", "An entry whose window has passed and whose task has ended is free for any content.", func(h *harness) {
			first := h.fresh(h.dedupe(h.task(), "k", 40*time.Millisecond, 1))
			h.run(first, task.OutcomeSucceeded)
			h.pass(80 * time.Millisecond)
			second := h.fresh(h.dedupe(h.task(), "k", time.Hour, 2))
			h.dup(h.dedupe(h.task(), "k", time.Hour, 2), second)
		}},
		{"dedupe/outlasts its window while the task is live", "After its window an entry lives on while its task is pending or running, and no longer.", func(h *harness) {
			first := h.fresh(h.dedupe(h.task(), "k", 40*time.Millisecond, 1))
			h.pass(80 * time.Millisecond)
			h.dup(h.dedupe(h.task(), "k", time.Hour, 1), first)
			h.code(h.enqueue(h.dedupe(h.task(), "k", time.Hour, 2))[0].Err, task.CodeDedupeConflict)
			running := h.claimOne(first)
			h.dup(h.dedupe(h.task(), "k", time.Hour, 1), first)
			h.settle(settlement(running, task.OutcomeDead))
			h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
		}},
		{"dedupe/the window counts from acceptance", "A repeat does not prolong the window of the entry.", func(h *harness) {
			window := 1500 * time.Millisecond // longer than a slow store takes for the next lines
			if h.able.Advance != nil {
				window = time.Hour
			}
			first := h.fresh(h.dedupe(h.task(), "k", window, 1))
			h.run(first, task.OutcomeSucceeded)
			h.dup(h.dedupe(h.task(), "k", 24*time.Hour, 1), first)
			h.pass(window + 100*time.Millisecond)
			h.fresh(h.dedupe(h.task(), "k", time.Hour, 1))
		}},
	}
}
