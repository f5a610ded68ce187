package storetest

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func shareRules() []rule {
	return []rule{
		{"share/in every entry", "The entry of a task has its share key, whatever the task has gone through: from the insert, alone or among many, to a redrive.", checkShares},
		{"share/of many", "Tasks that come in together have each its own share key or none, in a transaction of the caller's too.", checkSharesOfMany},
	}
}

func shared(key string) func(*task.Task) { return func(t *task.Task) { t.Spec.ShareKey = key } }

// shareOf is the share key in the entry that a scan finds of a task with a mark.
func (h *harness) shareOf(id task.ID, mark int64) string {
	h.Helper()
	for _, entry := range h.scan(id.Lane(), mark) {
		if entry.ID == id {
			return entry.Share
		}
	}
	h.Fatalf("%s is not there", id)
	return ""
}

func checkShares(h *harness) {
	for _, key := range []string{"", "k"} {
		t := h.task(keyed(key), shared("acme"))
		equal(h, "inserted", h.insert(t)[0].Share, "acme")
		equal(h, "scanned", h.shareOf(t.ID, 0), "acme")
		h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: t.ID, Mark: 7}}))
		marks, err := h.s.Marks(h.ctx, []uint16{t.ID.Lane()}, 0)
		h.ok(err)
		h.expect(len(marks) == 1 && marks[0].Share == "acme", "marked %+v", marks)
		equal(h, "refused", h.refuseOne(t.ID, store.ReasonParked).Entry.Share, "acme")
		h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: t.ID}}))
		claimed := h.claimOne(t.ID)
		equal(h, "claimed", claimed.Spec.ShareKey, "acme")
		equal(h, "put back", h.settle(settlement(claimed, task.OutcomeFailed))[0].Entry.Share, "acme")
		equal(h, "recovered", h.crash("crashed"+key, t.ID)[t.ID].Entry.Share, "acme")
		if key != "" {
			behind := h.add(keyed(key))
			equal(h, "head", h.refuseOne(behind, store.ReasonBehindKey).Head.Share, "acme")
			_, err := h.s.Cancel(h.ctx, behind)
			h.ok(err)
		}
		h.die(t.ID)
		h.redrive(store.RedriveOptions{}, t.ID)
		equal(h, "sent back", h.shareOf(t.ID, 0), "acme")
		h.run(t.ID, task.OutcomeSucceeded)
		equal(h, "ended", h.get(t.ID).Spec.ShareKey, "acme")
	}
	h.code(h.enqueue(store.Insert{Task: h.task(shared("a\x00"))})[0].Err, task.CodeInvalid)
}

func checkSharesOfMany(h *harness) {
	keys := []string{"", "a", "", "b"}
	var tasks []*task.Task
	for i := range 300 {
		tasks = append(tasks, h.task(shared(keys[i%len(keys)])))
	}
	inserted, scanned := h.insert(tasks...), map[task.ID]string{}
	for _, entry := range h.scan(tasks[0].ID.Lane(), 0) {
		scanned[entry.ID] = entry.Share
	}
	for i, entry := range inserted {
		equal(h, "inserted", entry.Share, keys[i%len(keys)])
		equal(h, "scanned", scanned[tasks[i].ID], keys[i%len(keys)])
	}
	enqueuer, ok := store.As[store.TxEnqueuer](h.s)
	if !ok || h.able.Tx == nil {
		return
	}
	tx, commit, _ := h.begin()
	t := h.task(shared("mine"))
	_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: t}})
	h.ok(err)
	h.ok(commit())
	equal(h, "in a transaction", h.shareOf(t.ID, 0), "mine")
}
