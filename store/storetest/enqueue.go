package storetest

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func enqueueRules() []rule {
	return []rule{
		{"enqueue/inserts the whole task", "Enqueue stores the task as given, pending, and returns its entry; Get returns all of it.", func(h *harness) {
			t := h.task(keyed("order-1"), func(t *task.Task) { t.Priority, t.Policy, t.Spec = 7, "slow", fullSpec(h) })
			entry := h.insert(t)[0]
			got := h.state(t.ID, task.Pending)
			h.sameSpec(got.Spec, t.Spec)
			h.expect(string(got.Payload) == string(t.Payload), "payload %q", got.Payload)
			h.expect(got.Queue == "q" && got.Type == "mail" && got.Target == "mail" && got.Policy == "slow" && got.Priority == 7 && got.Key == "order-1",
				"got %+v", got)
			h.expect(got.RunAt.Equal(t.RunAt.Truncate(time.Microsecond)), "run at %v, want %v with microseconds", got.RunAt, t.RunAt)
			h.expect(got.Attempt == 0 && got.Crashes == 0 && got.Node == "" && got.Park == 0 && !got.CancelRequested && got.LastError == nil, "got %+v", got)
			h.expect(got.Seq > 0 && got.Seq == entry.Seq, "seq %d, entry %d", got.Seq, entry.Seq)
			equal(h, "entry", entry, h.entryOf(got))
			h.expect(!got.CreatedAt.IsZero() && time.Since(got.CreatedAt) < 24*time.Hour, "created at %v", got.CreatedAt)
			for _, at := range []time.Time{got.CreatedAt, got.RunAt, got.UpdatedAt} {
				h.expect(at.Location() == time.UTC && at.Equal(at.Truncate(time.Microsecond)), "%v is not UTC with microseconds", at)
			}
		}},
		{"enqueue/a zero run time is the store's now", "A zero RunAt means the store's now plus Delay.", func(h *harness) {
			now, later := h.task(due(time.Time{})), h.task(due(time.Time{}))
			results := h.enqueue(store.Insert{Task: now}, store.Insert{Task: later, Delay: time.Hour})
			h.ok(results[0].Err)
			h.ok(results[1].Err)
			got := h.get(now.ID)
			h.expect(got.RunAt.Equal(got.CreatedAt), "run at %v, created %v", got.RunAt, got.CreatedAt)
			got = h.get(later.ID)
			h.expect(got.RunAt.Equal(got.CreatedAt.Add(time.Hour)), "run at %v, created %v", got.RunAt, got.CreatedAt)
			h.expect(results[0].Items[0].Created.Equal(h.get(now.ID).CreatedAt), "Created differs from the row")
		}},
		{"enqueue/seq grows in the order of the call", "Keyed rows get their seq in the order of the call, and a later call gets later ones; rows without key have 0.", func(h *harness) {
			var last int64
			for range 3 {
				var tasks []*task.Task
				for range 5 {
					tasks = append(tasks, h.task(keyed("k")))
				}
				for _, entry := range h.insert(tasks...) {
					h.expect(entry.Seq > last, "seq %d after %d", entry.Seq, last)
					last = entry.Seq
				}
			}
			batch := store.Batch{Items: []store.Insert{{Task: h.task(keyed("k"))}, {Task: h.task()}, {Task: h.task(keyed("k"))}}}
			results, err := h.s.Enqueue(h.ctx, []store.Batch{batch})
			h.ok(err)
			h.ok(results[0].Err)
			items := results[0].Items
			equal(h, "seq without key", items[1].Entry.Seq, 0)
			h.expect(items[0].Entry.Seq > last && items[2].Entry.Seq > items[0].Entry.Seq, "seqs %d, %d after %d", items[0].Entry.Seq, items[2].Entry.Seq, last)
		}},
		{"enqueue/a batch is all or nothing", "A batch is inserted as a whole or not at all, and does not share the fate of another.", func(h *harness) {
			taken := h.task()
			h.insert(taken)
			clash := h.task(typed("other"))
			clash.ID = taken.ID
			first, last, alone := h.task(), h.task(), h.task()
			results, err := h.s.Enqueue(h.ctx, []store.Batch{
				{Items: []store.Insert{{Task: first}, {Task: clash}, {Task: last}}},
				{Items: []store.Insert{{Task: alone}}},
			})
			h.ok(err)
			equal(h, "results", len(results), 2)
			h.code(results[0].Err, task.CodeIDConflict)
			h.ok(results[1].Err)
			h.absent(first.ID)
			h.absent(last.ID)
			h.state(alone.ID, task.Pending)
			equal(h, "type of the task in the way", h.get(taken.ID).Type, "mail")
		}},
		{"enqueue/a large batch with ids that are there", "A batch of many is still inserted as a whole: what is there answers, what is new is inserted; with other content under one id, nothing is.", func(h *harness) {
			const many, known = 1300, 1200 // of which one is there
			batch := store.Batch{Items: make([]store.Insert, many)}
			for i := range batch.Items {
				batch.Items[i].Task = h.task()
			}
			clash := h.task(typed("other"))
			clash.ID = batch.Items[known].Task.ID
			h.insert(clash)
			send := func() store.BatchResult {
				results, err := h.s.Enqueue(h.ctx, []store.Batch{batch})
				h.ok(err)
				return results[0]
			}
			h.code(send().Err, task.CodeIDConflict)
			h.absent(batch.Items[0].Task.ID)
			h.absent(batch.Items[many-1].Task.ID)
			batch.Items[known].Task = clash
			for there := 1; there <= many; there += many - 1 { // then all of it
				result := send()
				h.ok(result.Err)
				for i := range result.Items {
					h.expect((result.Items[i].Existing != nil) == (there == many || i == known), "%d were there: item %d is %+v", there, i, result.Items[i])
				}
			}
		}},
		{"enqueue/keeps nothing it was given", "Methods keep none of the slices and tasks that they are given, and return copies.", func(h *harness) {
			t := h.task(func(t *task.Task) { t.Spec.Metadata = map[string]string{"a": "1"} })
			want := string(t.Payload)
			h.insert(t)
			t.Payload[0], t.Spec.Metadata["a"] = 'X', "2"
			got := h.get(t.ID)
			h.expect(string(got.Payload) == want && got.Spec.Metadata["a"] == "1", "the stored task changed with the caller's")
			got.Payload[0], got.Spec.Metadata["a"] = 'Y', "3"
			got = h.get(t.ID)
			h.expect(string(got.Payload) == want && got.Spec.Metadata["a"] == "1", "the stored task changed with a returned one")
		}},
		{"enqueue/a queue that is not there", "A store that refuses a task of a queue that is not there says not found, and inserts nothing of the batch.", checkUnknownQueue},
		{"enqueue/nothing", "A call without batches, and a batch without items, do nothing.", func(h *harness) {
			results, err := h.s.Enqueue(h.ctx, nil)
			h.ok(err)
			equal(h, "results", len(results), 0)
			results, err = h.s.Enqueue(h.ctx, []store.Batch{{}})
			h.ok(err)
			h.expect(len(results) == 1 && results[0].Err == nil && len(results[0].Items) == 0, "got %+v", results)
		}},
		{"enqueue/a repeat answers with the task", "An id that is already there with the same content answers with that task, whatever its state.", checkRepeats},
		{"enqueue/a repeat inside one call", "The same id twice in one call is one task.", func(h *harness) {
			t := h.task(keyed("k"))
			results := h.enqueue(store.Insert{Task: t}, store.Insert{Task: t})
			h.ok(results[0].Err)
			h.ok(results[1].Err)
			h.expect(results[0].Items[0].Existing == nil && results[1].Items[0].Existing != nil, "got %+v", results)
			batch := store.Batch{Items: []store.Insert{{Task: h.task()}, {Task: t}}}
			answers, err := h.s.Enqueue(h.ctx, []store.Batch{batch})
			h.ok(err)
			h.ok(answers[0].Err)
			h.expect(answers[0].Items[0].Existing == nil && answers[0].Items[1].Existing != nil, "got %+v", answers)
			equal(h, "tasks", len(h.find(store.Filter{}, 100)), 2)
		}},
		{"enqueue/other content under an id is refused", "An id that is already there with another queue, type, payload, key or target fails with id_conflict, live or ended.", checkConflicts},
		{"enqueue/a target is known by its URL", "A task of the same URL is the same, even if its target was named by the rules of an earlier version; another URL is not.", func(h *harness) {
			t := h.task(func(t *task.Task) {
				t.Target, t.Spec.HTTP = "api.example.com", &task.Request{URL: "https://api.example.com:8443/a"}
			})
			h.insert(t)
			again := *t
			again.Target = "api.example.com:8443"
			result := h.enqueue(store.Insert{Task: &again})[0]
			h.ok(result.Err)
			h.expect(result.Items[0].Existing != nil, "a second task was inserted")
			equal(h, "target", h.get(t.ID).Target, "api.example.com")
			again.Spec.HTTP = &task.Request{URL: "https://api.example.com:9443/a"}
			h.code(h.enqueue(store.Insert{Task: &again})[0].Err, task.CodeIDConflict)
		}},
		{"enqueue/the rest is not content", "Other run time, priority, policy or spec under the same id is a repeat, and does not change the task.", func(h *harness) {
			t := h.task()
			h.insert(t)
			again := *t
			again.RunAt, again.Priority, again.Policy, again.Spec = t.RunAt.Add(time.Hour), 1, "p", task.Spec{MaxAttempts: 3}
			result := h.enqueue(store.Insert{Task: &again})[0]
			h.ok(result.Err)
			h.expect(result.Items[0].Existing != nil, "a second task was inserted")
			equal(h, "priority", h.get(t.ID).Priority, task.DefaultPriority)
		}},
	}
}

func checkUnknownQueue(h *harness) {
	first, lost := h.task(), h.task(func(t *task.Task) { t.Queue = "absent" })
	results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: first}, {Task: lost}}}})
	h.ok(err)
	if results[0].Err != nil { // those that do not look leave it to who calls
		h.code(results[0].Err, task.CodeNotFound)
		h.absent(first.ID)
		h.absent(lost.ID)
	}
}

func checkRepeats(h *harness) {
	ids := h.addMany(5)
	h.claim(ids[1])
	h.run(ids[2], task.OutcomeSucceeded)
	h.die(ids[3])
	_, err := h.s.Cancel(h.ctx, ids[4])
	h.ok(err)
	for i, want := range []task.State{task.Pending, task.Running, task.Succeeded, task.Dead, task.Canceled} {
		result := h.enqueue(store.Insert{Task: h.task(func(t *task.Task) { t.ID = ids[i] })})[0]
		h.ok(result.Err)
		existing := result.Items[0].Existing
		h.expect(existing != nil && existing.ID == ids[i], "%s: existing %+v", want, existing)
		equal(h, "state", existing.State, want)
		equal(h, "entry", result.Items[0].Entry, store.Entry{})
		h.expect(result.Items[0].Created.Equal(existing.CreatedAt), "%s: created %v, the task %v", want, result.Items[0].Created, existing.CreatedAt)
	}
	equal(h, "tasks", len(h.find(store.Filter{}, 100)), 5)
}

func checkConflicts(h *harness) {
	h.queue("other", 1)
	ids := h.addMany(3, keyed("k"))
	h.run(ids[0], task.OutcomeSucceeded)
	h.die(ids[1], func(s *store.Settlement) { s.OrderOnDead = "skip" })
	changes := map[string]func(*task.Task){
		"type":    func(t *task.Task) { t.Type = "sms" },
		"payload": func(t *task.Task) { t.Payload = append(t.Payload, ' ') },
		"key":     func(t *task.Task) { t.Key = "K" },
		"target":  func(t *task.Task) { t.Target = "sms" },
	}
	for _, id := range ids {
		for what, change := range changes {
			result := h.enqueue(store.Insert{Task: h.task(keyed("k"), func(t *task.Task) { t.ID = id }, change)})[0]
			if result.Err == nil {
				h.Fatalf("other %s: no error", what)
			}
			err := h.code(result.Err, task.CodeIDConflict)
			equal(h, "the task in the way", err.Existing, id)
		}
	}
	equal(h, "tasks", len(h.find(store.Filter{}, 100)), 3)
}

// fullSpec uses every field of a spec.
func fullSpec(h *harness) task.Spec {
	request := &task.Request{URL: "https://example.com/x", Method: "PUT", Success: "body.ok && \"é\" != \"\\u0000\"", Headers: map[string]string{"X-A": "é"}}
	return task.Spec{
		Retry: json.RawMessage(`{"max_attempts":3}`), MaxAttempts: 4, Timeout: time.Second, Deadline: time.Now().UTC().Add(time.Hour).Truncate(time.Microsecond),
		Metadata: map[string]string{"tenant": "ä", "b": ""}, HTTP: request, DedupeKey: "d", DedupeWindow: time.Minute,
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ShareKey: "acme",
		Fallback:  &task.Follow{Type: "f", Queue: "q", Policy: "p", Payload: json.RawMessage(`{"a": 1}`), HTTP: request},
		OnSuccess: &task.Follow{Type: "s"}, OnDead: &task.Follow{Type: "d"}, Parent: task.NewID(time.Now(), h.random), Depth: 2, Follows: task.FollowFallback,
		Alert: json.RawMessage(`{"when":"attempt > 3"}`), Redrive: "op", Undone: 7, Group: h.newGroup(), RedrivenAt: time.Now().UTC().Add(-time.Hour).Truncate(time.Microsecond),
	}
}

func (h *harness) sameSpec(got, want task.Spec) {
	h.Helper()
	a, err := json.Marshal(got)
	h.ok(err)
	b, err := json.Marshal(want)
	h.ok(err)
	equal(h, "spec", string(a), string(b))
}
