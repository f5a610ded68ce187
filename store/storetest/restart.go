package storetest

import (
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func restartRules() []rule {
	return []rule{
		{"restart/everything is there", "What was written is there for who opens the store when all that had it open have closed it: tasks in every state with their histories, marks, holds, dedupe entries, nodes, lanes, queues, orders, operations, objects with their versions, and the audit log.", checkRestart},
	}
}

// restart closes the store and opens it again.
func (h *harness) restart() {
	h.Helper()
	if h.able.Reopen == nil {
		h.Skip("needs a store that can be opened again")
	}
	h.ok(h.s.Close())
	closed := h.s
	h.s = h.able.Reopen(h.T, closed)
	h.Cleanup(func() {
		if err := h.s.Close(); err != nil {
			h.Errorf("closing the store that was opened again: %v", err)
		}
	})
}

func checkRestart(h *harness) {
	dedupe := h.dedupe(h.task(), "once", time.Hour, 1)
	first := h.fresh(dedupe)
	running := h.fillStates()
	h.fillConfig()
	seq := h.insert(h.task(keyed("seq")))[0].Seq
	before := h.everythingOf()
	h.restart()
	after := h.everythingOf()
	for name, was := range before {
		h.expect(reflect.DeepEqual(was, after[name]), "%s:\nbefore %+v\nafter  %+v", name, was, after[name])
	}
	h.dup(h.dedupe(h.task(), "once", time.Hour, 1), first)
	next := h.insert(h.task(keyed("seq")))[0].Seq
	h.expect(next > seq, "seq %d after %d", next, seq)
	h.settle(settlement(running, task.OutcomeSucceeded))
	h.beat("n1")
	h.claimOne(h.add())
}

// fillStates makes tasks of every state, and returns one that runs.
func (h *harness) fillStates() *task.Task {
	h.Helper()
	h.join("gone")
	h.leave("gone")
	ids := h.addMany(6, func(t *task.Task) { t.Spec = fullSpec(h) })
	h.run(ids[0], task.OutcomeFailed)
	h.run(ids[0], task.OutcomeSnoozed)
	h.run(ids[1], task.OutcomeFailed)
	h.run(ids[1], task.OutcomeSucceeded)
	h.run(ids[2], task.OutcomeFailed)
	h.die(ids[2])
	h.run(ids[3], task.OutcomeCanceled)
	h.crash("lost", ids[4])
	h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[4], Mark: 7}}))
	h.die(h.add(keyed("held")))
	h.add(keyed("held"))
	h.die(h.add())
	running := h.claim(ids[5], h.add(keyed("busy")))
	_, err := h.s.Cancel(h.ctx, running[1].ID)
	h.ok(err)
	return running[0]
}

func (h *harness) fillConfig() {
	h.Helper()
	row := store.Audit{Actor: "a", Action: "x", Subject: "y"}
	_, err := h.s.PutQueue(h.ctx, store.Queue{Name: "other", Lanes: 3, Policy: "p", Concurrency: 4, Weight: 2, UnknownType: "dead"}, row)
	h.ok(err)
	_, err = h.s.PauseQueue(h.ctx, "other", true, row)
	h.ok(err)
	_, err = h.s.PutTargetOrder(h.ctx, store.TargetOrder{Target: "t", Action: store.TargetOpen}, row)
	h.ok(err)
	_, err = h.s.PutOperation(h.ctx, store.Operation{ID: "op", Kind: "redrive", State: store.OperationPaused, Request: []byte(`{}`), Node: "n1", Matched: 3})
	h.ok(err)
	for version := range int64(2) {
		_, err = h.s.Change(h.ctx, store.Change{Put: []store.Object{{Kind: "policy", Name: "p", Body: []byte(`{"a":1}`), Version: version}}, Audit: []store.Audit{row}})
		h.ok(err)
	}
}

// everythingOf is all that the store tells of what it has.
func (h *harness) everythingOf() map[string]any {
	h.Helper()
	topology := h.topology()
	for i := range topology.Nodes {
		topology.Nodes[i].Gone = false // whose process has ended
	}
	all := map[string]any{"topology": topology, "dead letters": h.stats()}
	tasks := h.find(store.Filter{}, 100)
	all["tasks"] = tasks
	for _, t := range tasks {
		all["history of "+t.ID.String()] = h.attempts(t.ID)
	}
	lanes := []uint16{h.lanes[0].Lane, h.lanes[1].Lane}
	for what, read := range map[string]func() (any, error){
		"running": func() (any, error) {
			tasks, err := h.s.Running(h.ctx, "n1", nil)
			sortTasks(tasks)
			return tasks, err
		},
		"pending":    func() (any, error) { return h.s.Scan(h.ctx, h.everything()) },
		"marks":      func() (any, error) { return h.s.Marks(h.ctx, lanes, 0) },
		"holds":      func() (any, error) { return h.s.Holds(h.ctx, store.HoldFilter{Lanes: lanes, Limit: 10, Count: 10}) },
		"busy key":   func() (any, error) { return h.s.Key(h.ctx, lanes[0], "busy") },
		"groups":     func() (any, error) { return h.s.DeadGroups(h.ctx, store.Filter{}, 10) },
		"queues":     func() (any, error) { return h.s.Queues(h.ctx) },
		"operations": func() (any, error) { return h.s.Operations(h.ctx, "", 10) },
		"objects":    func() (any, error) { return h.s.Objects(h.ctx, "") },
		"versions":   func() (any, error) { return h.s.ObjectVersions(h.ctx, "policy", "p", 10) },
	} {
		answer, err := read()
		h.ok(err)
		all[what] = answer
	}
	all["audit log"] = h.audit(store.AuditFilter{}, 100)
	return all
}
