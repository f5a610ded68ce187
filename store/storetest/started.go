package storetest

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// checkStarts ends tasks in every way and looks when they began.
func checkStarts(h *harness) {
	for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead, task.OutcomeCanceled} {
		id := h.add()
		h.run(id, task.OutcomeFailed)
		s := settlement(h.claimOne(id), outcome)
		s.StartedAt = time.Now().Add(-10 * time.Minute)
		h.settle(s)
		h.near("start of a task that "+string(outcome), h.get(id).StartedAt, s.StartedAt)

		s = settlement(h.claimOne(h.add()), outcome)
		s.StartedAt = time.Time{}
		h.settle(s)
		h.near("start as claimed of a task that "+string(outcome), h.get(s.Task.ID).StartedAt, s.Task.StartedAt)
	}
	requested := h.claimOne(h.add())
	_, err := h.s.Cancel(h.ctx, requested.ID)
	h.ok(err)
	s := settlement(requested, task.OutcomeFailed)
	h.settle(s)
	h.near("start of a task whose cancel met a failure", h.get(requested.ID).StartedAt, s.StartedAt)

	h.expect(h.canceled(h.add()).StartedAt.IsZero(), "a task that was never claimed has a start")
	waited := h.claimOne(h.add())
	h.settle(settlement(waited, task.OutcomeFailed))
	if started := h.canceled(waited.ID).StartedAt; !started.IsZero() { // some keep none of what waits
		h.near("start of a task that was canceled while it waited", started, waited.StartedAt)
	}

	h.join("n2")
	lost := h.claimFor("n2", h.add())[0]
	_, err = h.s.Cancel(h.ctx, lost.ID)
	h.ok(err)
	h.bury("n2")
	h.recoverAll()
	h.near("start of a task that was canceled when it was lost", h.state(lost.ID, task.Canceled).StartedAt, lost.StartedAt)
}

// canceled cancels a pending task.
func (h *harness) canceled(id task.ID) *task.Task {
	h.Helper()
	_, err := h.s.Cancel(h.ctx, id)
	h.ok(err)
	return h.state(id, task.Canceled)
}
