package storetest

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func redriveOperationRules() []rule {
	return []rule{
		{"redrive/an operation sends no letter twice", "A letter keeps the operation that sent it back, also when it dies again; the same operation finds it missing then, another and none do not.", func(h *harness) {
			ids := h.addMany(2)
			h.die(ids[0])
			h.die(ids[1])
			first := store.RedriveOptions{Operation: "op1"}
			done, missing := h.redrive(first, ids[0])
			h.expect(slices.Equal(done, ids[:1]) && len(missing) == 0, "done %v, missing %v", done, missing)
			equal(h, "operation", h.state(ids[0], task.Pending).Spec.Redrive, "op1")
			h.die(ids[0])
			equal(h, "operation of the letter", h.state(ids[0], task.Dead).Spec.Redrive, "op1")
			done, missing = h.redrive(first, ids...)
			h.expect(slices.Equal(done, ids[1:]) && slices.Equal(missing, ids[:1]), "done %v, missing %v", done, missing)
			h.state(ids[0], task.Dead)
			h.redrive(store.RedriveOptions{Operation: "op2"}, ids[0])
			equal(h, "operation", h.state(ids[0], task.Pending).Spec.Redrive, "op2")
			h.die(ids[0])
			h.redrive(store.RedriveOptions{}, ids[0])
			equal(h, "operation", h.state(ids[0], task.Pending).Spec.Redrive, "")
			equal(h, "dead letters", h.stats().Total, 0)
		}},
		{"redrive/audit", "A redrive that sent something back writes its audit rows once, in its transaction; one that found nothing, or was refused, writes none.", func(h *harness) {
			ids := h.addMany(2)
			h.die(ids[0])
			h.die(ids[1])
			options := store.RedriveOptions{Audit: []store.Audit{{Actor: "a", Action: "dead.redrive", Subject: "dead", After: []byte(`{}`)}}}
			h.redrive(options, ids...)
			h.redrive(options, ids...)
			rows := h.audit(store.AuditFilter{}, 10)
			h.expect(len(rows) == 1 && rows[0].Actor == "a" && rows[0].Action == "dead.redrive" && rows[0].ID != "" && !rows[0].At.IsZero(), "rows %+v", rows)
		}},
		{"redrive/in the order of keys", "Letters of a key that come back in one call run in the order of Seq, whatever the order of the ids and their run times.", func(h *harness) {
			ids := h.addMany(3, keyed("k"))
			for _, id := range ids {
				h.die(id, func(s *store.Settlement) { s.OrderOnDead = "skip" })
			}
			now := h.get(ids[0]).FinishedAt
			h.redrive(store.RedriveOptions{RunAt: []time.Time{now.Add(-time.Second), now.Add(-2 * time.Second), now.Add(-3 * time.Second)}}, ids[2], ids[0], ids[1])
			h.refuseOne(ids[2], store.ReasonBehindKey)
			for _, id := range ids {
				h.run(id, task.OutcomeSucceeded)
			}
		}},
		{"redrive/before what waits behind it", "Under block and under park a letter that comes back is again the head of its key, before the tasks that waited; one that died since holds the key on.", func(h *harness) {
			for _, mode := range []string{"block", "park"} {
				ids := h.addMany(3, keyed(mode))
				held := func(s *store.Settlement) { s.OrderOnDead = mode }
				h.die(ids[0], held)
				equal(h, "mode", h.keyState(mode).Mode, mode)
				h.redrive(store.RedriveOptions{Operation: "op"}, ids[0])
				h.refuseOne(ids[1], store.ReasonBehindKey)
				h.die(ids[0], held) // dies again: the key is held anew
				h.refuseOne(ids[1], store.ReasonKeyHeld)
				_, err := h.s.ReleaseKey(h.ctx, "q", mode)
				h.ok(err)
				h.die(ids[1], held)
				h.redrive(store.RedriveOptions{}, ids[0])
				equal(h, "holder", h.keyState(mode).Holder, ids[1])
				h.refuseOne(ids[0], store.ReasonKeyHeld)
				h.redrive(store.RedriveOptions{}, ids[1])
				for _, id := range ids {
					h.run(id, task.OutcomeSucceeded)
				}
			}
		}},
		{"purge/audit", "A purge that deleted something writes its audit rows in its transaction; one that found nothing writes none.", func(h *harness) {
			h.die(h.add())
			for _, want := range []int{1, 0} {
				purged, err := h.s.Purge(h.ctx, store.Filter{}, 10, store.Audit{Actor: "a", Action: "dead.purge"})
				h.ok(err)
				equal(h, "purged", len(purged), want)
				equal(h, "rows", len(h.audit(store.AuditFilter{Action: "dead.purge"}, 10)), 1)
			}
		}},
		{"operation/audit", "PutOperation writes its audit rows with the operation, and none with a conflict.", func(h *harness) {
			row := store.Audit{Actor: "a", Action: "operation.pause", Subject: "operation/op1"}
			stored, err := h.s.PutOperation(h.ctx, store.Operation{ID: "op1", Kind: "redrive", State: store.OperationRunning}, row)
			h.ok(err)
			_, err = h.s.PutOperation(h.ctx, store.Operation{ID: "op1", Kind: "redrive", Version: stored.Version + 1}, row)
			h.code(err, task.CodeConflict)
			rows := h.audit(store.AuditFilter{}, 10)
			h.expect(len(rows) == 1 && rows[0].Subject == "operation/op1", "rows %+v", rows)
		}},
		{"letters/oldest first, from an id on", "Letters lists dead letters by id with key and Seq, those above an id, at most limit, and only those that match.", func(h *harness) {
			var ids []task.ID
			for i := range 5 {
				ids = append(ids, h.add(keyed("k"), func(t *task.Task) {
					t.ID = task.NewID(time.Now().Add(time.Duration(-i)*time.Second), h.random).WithLane(t.ID.Lane())
				}))
			}
			for _, id := range ids {
				h.die(id, func(s *store.Settlement) { s.OrderOnDead = "skip" })
			}
			h.die(h.add(typed("sms")))
			h.add()
			slices.Reverse(ids) // now by id
			var got []store.Letter
			for after := (task.ID{}); ; {
				page, err := h.s.Letters(h.ctx, store.Filter{Type: "mail"}, after, 2)
				h.ok(err)
				if len(page) == 0 {
					break
				}
				h.expect(len(page) <= 2, "a page has %d letters", len(page))
				got, after = append(got, page...), page[len(page)-1].ID
			}
			equal(h, "letters", len(got), len(ids))
			for i, l := range got {
				h.expect(l == store.Letter{ID: ids[i], Key: "k", Seq: h.get(ids[i]).Seq}, "letter %d is %+v", i, l)
			}
			page, err := h.s.Letters(h.ctx, store.Filter{IDs: ids[1:3], DiedBefore: time.Now().Add(time.Hour)}, task.ID{}, 10)
			h.ok(err)
			h.expect(len(page) == 2 && page[0].ID == ids[1] && page[1].ID == ids[2], "got %+v", page)
			page, err = h.s.Letters(h.ctx, store.Filter{}, task.ID{}, 0)
			h.ok(err)
			equal(h, "letters with limit 0", len(page), 0)
		}},
	}
}
