package storetest

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func failureRules() []rule {
	return []rule{
		{"failures/last failed at", "A task has the time at which its last attempt that failed ended, or at which it died; a snooze, a release, a crash, a success and a redrive leave it as it is.", func(h *harness) {
			fails := h.add()
			at := failAt(h, fails, time.Minute)
			for _, outcome := range []task.Outcome{task.OutcomeSnoozed, task.OutcomeReleased} {
				h.run(fails, outcome)
				h.expect(h.get(fails).LastFailedAt.Equal(at), "after one that %s: %v, not %v", outcome, h.get(fails).LastFailedAt, at)
			}
			unstarted := settlement(h.claimOne(fails), task.OutcomeFailed)
			unstarted.Unstarted = true
			h.settle(unstarted)
			h.expect(h.get(fails).LastFailedAt.Equal(at), "an attempt that never started has failed")
			h.crash("n1", fails)
			h.expect(h.get(fails).LastFailedAt.Equal(at), "a crash counts as a failure")
		}},
		{"failures/last failed at, ended", "An ended task keeps the time of its last failure; that of a dead letter is its death, also once it was sent back; one that never failed has none.", func(h *harness) {
			fails, never := h.add(), h.add()
			at := failAt(h, fails, time.Minute)
			h.run(fails, task.OutcomeSucceeded)
			h.run(never, task.OutcomeSucceeded)
			h.expect(h.state(fails, task.Succeeded).LastFailedAt.Equal(at), "lost by the success")
			h.expect(h.state(never, task.Succeeded).LastFailedAt.IsZero(), "a success has failed")
			dies := h.add()
			failAt(h, dies, time.Hour)
			h.die(dies)
			dead := h.state(dies, task.Dead)
			h.expect(dead.LastFailedAt.Equal(dead.FinishedAt), "died at %v, failed at %v", dead.FinishedAt, dead.LastFailedAt)
			h.redrive(store.RedriveOptions{}, dies)
			h.expect(h.state(dies, task.Pending).LastFailedAt.Equal(dead.FinishedAt), "lost by the redrive")
			canceled := h.add()
			at = failAt(h, canceled, time.Minute)
			_, err := h.s.Cancel(h.ctx, canceled)
			h.ok(err)
			h.expect(h.state(canceled, task.Canceled).LastFailedAt.Equal(at), "lost by the cancel")
		}},
		{"failures/many together", "Failures that are settled together have their times each.", func(h *harness) {
			ids := h.addMany(120)
			var all []store.Settlement
			for i, t := range h.claim(ids...) {
				s := settlement(t, task.OutcomeFailed)
				s.EndedAt = time.Now().Add(-time.Duration(i) * time.Second)
				all = append(all, s)
			}
			h.settle(all...)
			for i := range all {
				want := all[i].EndedAt.Truncate(time.Microsecond)
				h.expect(h.get(all[i].Task.ID).LastFailedAt.Equal(want), "%v, not %v", h.get(all[i].Task.ID).LastFailedAt, want)
			}
		}},
		{"failures/find", "With FailedSince, FailedUntil or Failed, Find and Count see tasks that have failed, in every state, by the time of their last failure; Failed leaves out those that succeeded.", checkFailures},
		{"failures/old tasks", "A task is found by when it failed, however old it is and however many are younger.", func(h *harness) {
			old := h.add(func(t *task.Task) { t.ID = task.NewID(time.Now().Add(-24*time.Hour), h.random).WithLane(t.ID.Lane()) })
			h.addMany(50)
			at := failAt(h, old, 5*time.Minute)
			h.ids(h.find(store.Filter{FailedSince: at.Add(-time.Minute)}, 10), old)
			h.ids(h.find(store.Filter{FailedSince: at.Add(time.Minute)}, 10))
		}},
		{"failures/newest failure first", "A list of failures begins with the newest; paging neither loses nor doubles tasks, also of equal times and over tables.", checkFailurePages},
		{"failures/gone", "A letter that was purged is in no list of failures.", func(h *harness) {
			ids := h.addMany(3)
			for _, id := range ids {
				h.die(id)
			}
			_, err := h.s.Purge(h.ctx, store.Filter{FailedUntil: time.Now().Add(time.Hour)}, 2)
			h.ok(err)
			equal(h, "failures", len(h.find(store.Filter{Failed: true}, 10)), 1)
		}},
	}
}

// failAt lets the next attempt of a task fail so long ago, and returns when.
func failAt(h *harness, id task.ID, ago time.Duration) time.Time {
	h.Helper()
	s := settlement(h.claimOne(id), task.OutcomeFailed)
	s.EndedAt = time.Now().Add(-ago).Truncate(time.Microsecond)
	h.settle(s)
	got := h.get(id).LastFailedAt
	h.expect(got.Equal(s.EndedAt), "failed at %v, says %v", s.EndedAt, got)
	return s.EndedAt
}

func checkFailures(h *harness) {
	h.add()
	never := h.add()
	h.run(never, task.OutcomeSucceeded)
	waits, runs, recovered, sms := h.add(), h.add(), h.add(), h.add(typed("sms"))
	failAt(h, waits, 3*time.Hour)
	failAt(h, runs, 2*time.Hour)
	h.claim(runs)
	failAt(h, recovered, time.Hour)
	h.run(recovered, task.OutcomeSucceeded)
	failAt(h, sms, 30*time.Minute)
	dead := h.add(typed("sms"))
	h.die(dead)
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	soon := time.Now().Add(time.Hour)
	for _, c := range []struct {
		what   string
		filter store.Filter
		want   []task.ID
	}{
		{"failed", store.Filter{Failed: true}, []task.ID{waits, runs, sms, dead}},
		{"failed since", store.Filter{FailedSince: ago(90 * time.Minute)}, []task.ID{recovered, sms, dead}},
		{"failed until", store.Filter{FailedUntil: ago(90 * time.Minute)}, []task.ID{waits, runs}},
		{"failed between", store.Filter{FailedSince: ago(150 * time.Minute), FailedUntil: ago(45 * time.Minute)}, []task.ID{runs, recovered}},
		{"failed and not recovered between", store.Filter{FailedSince: ago(150 * time.Minute), FailedUntil: ago(45 * time.Minute), Failed: true}, []task.ID{runs}},
		{"pending", store.Filter{Failed: true, State: task.Pending}, []task.ID{waits, sms}},
		{"running", store.Filter{Failed: true, State: task.Running}, []task.ID{runs}},
		{"succeeded", store.Filter{FailedUntil: soon, State: task.Succeeded}, []task.ID{recovered}},
		{"dead", store.Filter{FailedUntil: soon, State: task.Dead}, []task.ID{dead}},
		{"live", store.Filter{Failed: true, Live: true}, []task.ID{waits, runs, sms}},
		{"of a type", store.Filter{Failed: true, Type: "sms"}, []task.ID{sms, dead}},
		{"dead of a reason", store.Filter{Failed: true, Reason: task.Exhausted}, []task.ID{dead}},
		{"of ids", store.Filter{Failed: true, IDs: []task.ID{waits, never, dead}}, []task.ID{waits, dead}},
		{"of queues", store.Filter{Failed: true, Queues: []string{"other", "q"}}, []task.ID{waits, runs, sms, dead}},
		{"of other queues", store.Filter{Failed: true, Queues: []string{"other"}}, nil},
		{"none", store.Filter{FailedSince: soon}, nil},
	} {
		for _, limit := range []int{500, 1} {
			got := h.find(c.filter, limit)
			h.Logf("%s: %d tasks", c.what, len(got))
			h.ids(got, c.want...)
		}
		n, err := h.s.Count(h.ctx, c.filter, 1000)
		h.ok(err)
		equal(h, "count of "+c.what, n, len(c.want))
	}
}

func checkFailurePages(h *harness) {
	at := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	ids := h.addMany(40)
	var all []store.Settlement
	for i, t := range h.claim(ids...) {
		s := settlement(t, task.OutcomeFailed)
		s.EndedAt = at.Add(time.Duration(i*7%40/4) * time.Minute) // four at a time fail together
		all = append(all, s)
	}
	h.settle(all...)
	for i, id := range ids {
		switch i % 4 {
		case 1:
			h.run(id, task.OutcomeSucceeded)
		case 2:
			h.die(id)
		case 3:
			h.claim(id)
		}
	}
	for _, limit := range []int{1, 7, 40, 41} {
		tasks := h.find(store.Filter{FailedSince: at}, limit)
		h.ids(tasks, ids...)
		h.expect(slices.IsSortedFunc(tasks, func(a, b *task.Task) int {
			if c := b.LastFailedAt.Compare(a.LastFailedAt); c != 0 {
				return c
			}
			return b.ID.Compare(a.ID)
		}), "not the newest failure first")
	}
}
