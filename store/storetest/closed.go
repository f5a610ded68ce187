package storetest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func closedRules() []rule {
	return []rule{
		{"closed/every call is refused", "What is called of a store that was closed fails with ErrClosed, soon and without a panic, and changes nothing; Close may be called again.", checkClosed},
		{"closed/what listens ends", "A Watch or Spot that is under way ends soon when its store is closed, with ErrClosed.", checkClosedListening},
	}
}

// call is one call of a store.
type call = func(ctx context.Context) error

// judged drops the answer of a call.
func judged[T any](_ T, err error) error { return err }

// checkClosed calls each method of a handle that was closed beside one that was not.
func checkClosed(h *harness) {
	running, fresh := h.claimOne(h.add()), h.task()
	closed := h.reopen()
	calls := callsOf(closed, h.lanes, running, fresh)
	maps.Copy(calls, optionalCalls(closed, running))
	h.ok(closed.Close())
	h.ok(closed.Close())
	contract := reflect.TypeFor[store.Backend]()
	for i := range contract.NumMethod() {
		name := contract.Method(i).Name
		h.expect(name == "Close" || calls[name] != nil, "nothing calls %s", name)
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		ctx, cancel := context.WithTimeout(h.ctx, time.Minute)
		err := calls[name](ctx)
		ended := ctx.Err()
		cancel()
		h.expect(ended == nil, "%s does not come back from a store that was closed", name)
		if !errors.Is(err, store.ErrClosed) {
			h.Errorf("%s of a store that was closed: %v", name, err)
		}
	}
	h.absent(fresh.ID)
	equal(h, "claim", h.state(running.ID, task.Running).Claim, running.Claim)
	equal(h, "nodes", len(h.topology().Nodes), 1)
}

// checkClosedListening closes a handle that has just told of a commit of another.
func checkClosedListening(h *harness) {
	closed := h.reopen()
	heard, ended := make(chan struct{}, 1), make(chan error, 1)
	hear := func() {
		select {
		case heard <- struct{}{}:
		default:
		}
	}
	waker, wakes := store.As[store.Waker](closed)
	spotter, spots := store.As[store.Spotter](closed)
	switch {
	case wakes && !h.able.Deaf:
		go func() { ended <- waker.Watch(h.ctx, func([]store.ChangedLane) { hear() }) }()
	case spots:
		go func() { ended <- spotter.Spot(h.ctx, func([]uint16) { hear() }) }()
	default:
		h.Skip("needs a store that hears others")
	}
	timeout := time.After(20 * time.Second)
	for begun := false; !begun; {
		lane := h.add().Lane()
		if notifier, ok := store.As[store.Notifier](h.s); ok {
			h.ok(notifier.Notify(h.ctx, []store.ChangedLane{{Lane: lane, From: store.AnyRank}}))
		}
		select {
		case <-heard:
			begun = true
		case <-time.After(20 * time.Millisecond):
		case <-timeout:
			h.Fatal("nothing is heard within 20 s")
		}
	}
	h.ok(closed.Close())
	select {
	case err := <-ended:
		h.expect(errors.Is(err, store.ErrClosed), "it ended with %v", err)
	case <-time.After(20 * time.Second):
		h.Fatal("it goes on in a store that was closed")
	}
}

// callsOf calls every method of the contract but Close, each with what it would take.
func callsOf(s store.Backend, lanes []store.LaneEpoch, running, fresh *task.Task) map[string]call {
	all := workCalls(s, lanes, running, fresh)
	for _, more := range []map[string]call{readCalls(s, lanes, running, fresh), adminCalls(s, running), configCalls(s)} {
		maps.Copy(all, more)
	}
	return all
}

func workCalls(s store.Backend, lanes []store.LaneEpoch, running, fresh *task.Task) map[string]call {
	numbers := []uint16{lanes[0].Lane}
	return map[string]call{
		"Join":      func(ctx context.Context) error { return s.Join(ctx, store.Node{ID: "late"}) },
		"Beat":      func(ctx context.Context) error { return judged(s.Beat(ctx, "n1", store.Report{})) },
		"Leave":     func(ctx context.Context) error { return s.Leave(ctx, "n1") },
		"Bury":      func(ctx context.Context) error { return judged(s.Bury(ctx, "n1", 0)) },
		"Topology":  func(ctx context.Context) error { return judged(s.Topology(ctx)) },
		"TakeLanes": func(ctx context.Context) error { return judged(s.TakeLanes(ctx, "n1", lanes)) },
		"FreeLanes": func(ctx context.Context) error { return judged(s.FreeLanes(ctx, "n1", lanes)) },
		"Enqueue": func(ctx context.Context) error {
			return judged(s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: fresh}}}}))
		},
		"Scan": func(ctx context.Context) error {
			return judged(s.Scan(ctx, []store.Range{{Lane: numbers[0], Limit: 1}}))
		},
		"Claim": func(ctx context.Context) error {
			return judged(s.Claim(ctx, store.Claim{Node: "n1", Lanes: lanes, Items: items(running.ID)}))
		},
		"Running": func(ctx context.Context) error { return judged(s.Running(ctx, "n1", nil)) },
		"Settle": func(ctx context.Context) error {
			return judged(s.Settle(ctx, []store.Settlement{settlement(running, task.OutcomeSucceeded)}))
		},
		"Recover": func(ctx context.Context) error { return judged(s.Recover(ctx, numbers, 1)) },
		"Mark":    func(ctx context.Context) error { return s.Mark(ctx, []store.Marking{{ID: running.ID, Mark: 1}}) },
		"Marks":   func(ctx context.Context) error { return judged(s.Marks(ctx, numbers, 0)) },
		"Extend": func(ctx context.Context) error {
			return judged(s.Extend(ctx, []store.LeaseItem{{ID: running.ID, Claim: running.Claim}}, time.Minute))
		},
		"FinishGroup": func(ctx context.Context) error {
			return judged(s.FinishGroup(ctx, running.ID, task.GroupCounts{}, store.Insert{Task: fresh}))
		},
		"AddSteps": func(ctx context.Context) error { return judged(s.AddSteps(ctx, []task.Step{step(running, 1, "a")})) },
		"Signal":   func(ctx context.Context) error { return judged(s.Signal(ctx, signal(running.ID, "a", "1"))) },
		"StepsOf":  func(ctx context.Context) error { return judged(s.StepsOf(ctx, []task.ID{running.ID})) },
	}
}

// judgedPage drops the answer of a call that has two.
func judgedPage[T, U any](_ T, _ U, err error) error { return err }

func readCalls(s store.Backend, lanes []store.LaneEpoch, running, fresh *task.Task) map[string]call {
	lane := lanes[0].Lane
	return map[string]call{
		"Get":        func(ctx context.Context) error { return judged(s.Get(ctx, running.ID)) },
		"Attempts":   func(ctx context.Context) error { return judged(s.Attempts(ctx, running.ID)) },
		"Known":      func(ctx context.Context) error { return judged(s.Known(ctx, []store.Insert{{Task: fresh}})) },
		"Find":       func(ctx context.Context) error { return judgedPage(s.Find(ctx, store.Filter{}, store.Page{})) },
		"Count":      func(ctx context.Context) error { return judged(s.Count(ctx, store.Filter{}, 1)) },
		"Letters":    func(ctx context.Context) error { return judged(s.Letters(ctx, store.Filter{}, task.ID{}, 1)) },
		"DeadStats":  func(ctx context.Context) error { return judged(s.DeadStats(ctx)) },
		"DeadGroups": func(ctx context.Context) error { return judged(s.DeadGroups(ctx, store.Filter{}, 1)) },
		"DeadTrend":  func(ctx context.Context) error { return judged(s.DeadTrend(ctx, store.Filter{}, time.Now())) },
		"Key":        func(ctx context.Context) error { return judged(s.Key(ctx, lane, "k")) },
		"Check":      func(ctx context.Context) error { return judged(s.Check(ctx)) },
		"Holds": func(ctx context.Context) error {
			return judged(s.Holds(ctx, store.HoldFilter{Lanes: []uint16{lane}, Limit: 1}))
		},
		"Group":          func(ctx context.Context) error { return judged(s.Group(ctx, running.ID)) },
		"Groups":         func(ctx context.Context) error { return judged(s.Groups(ctx, "", task.ID{}, 1)) },
		"Backlog":        func(ctx context.Context) error { return judged(s.Backlog(ctx, []uint16{lane}, 1)) },
		"Queues":         func(ctx context.Context) error { return judged(s.Queues(ctx)) },
		"Operation":      func(ctx context.Context) error { return judged(s.Operation(ctx, "op")) },
		"Operations":     func(ctx context.Context) error { return judged(s.Operations(ctx, "", 1)) },
		"Objects":        func(ctx context.Context) error { return judged(s.Objects(ctx, "")) },
		"Object":         func(ctx context.Context) error { return judged(s.Object(ctx, "policy", "p")) },
		"ObjectVersions": func(ctx context.Context) error { return judged(s.ObjectVersions(ctx, "policy", "p", 1)) },
		"Audit":          func(ctx context.Context) error { return judgedPage(s.Audit(ctx, store.AuditFilter{}, store.Page{})) },
	}
}

func adminCalls(s store.Backend, running *task.Task) map[string]call {
	ids := []task.ID{running.ID}
	return map[string]call{
		"Cancel":     func(ctx context.Context) error { return judged(s.Cancel(ctx, running.ID)) },
		"Reschedule": func(ctx context.Context) error { return judged(s.Reschedule(ctx, running.ID, time.Time{})) },
		"Steer": func(ctx context.Context) error {
			return judgedPage(s.Steer(ctx, store.Steering{IDs: ids, Event: task.Cancel}))
		},
		"PutGroup": func(ctx context.Context) error {
			return judged(s.PutGroup(ctx, task.Group{ID: running.ID, Callback: task.Follow{Type: "x"}}))
		},
		"CloseGroup": func(ctx context.Context) error { return judged(s.CloseGroup(ctx, running.ID)) },
		"Redrive":    func(ctx context.Context) error { return judgedPage(s.Redrive(ctx, ids, store.RedriveOptions{})) },
		"Purge":      func(ctx context.Context) error { return judged(s.Purge(ctx, store.Filter{}, 1)) },
		"ReleaseKey": func(ctx context.Context) error { return judged(s.ReleaseKey(ctx, "q", "k")) },
		"Cleanup":    func(ctx context.Context) error { return judged(s.Cleanup(ctx, time.Now(), 1)) },
		"TrimAudit":  func(ctx context.Context) error { return judged(s.TrimAudit(ctx, time.Now(), 1)) },
	}
}

func configCalls(s store.Backend) map[string]call {
	return map[string]call{
		"PutQueue":   func(ctx context.Context) error { return judged(s.PutQueue(ctx, store.Queue{Name: "late"})) },
		"PauseQueue": func(ctx context.Context) error { return judged(s.PauseQueue(ctx, "q", true)) },
		"PutTargetOrder": func(ctx context.Context) error {
			return judged(s.PutTargetOrder(ctx, store.TargetOrder{Target: "t", Action: store.TargetOpen}))
		},
		"PutOperation": func(ctx context.Context) error {
			return judged(s.PutOperation(ctx, store.Operation{ID: "op", Kind: "redrive", State: store.OperationRunning}))
		},
		"Change": func(ctx context.Context) error {
			return judged(s.Change(ctx, store.Change{Put: []store.Object{{Kind: "policy", Name: "p", Body: []byte(`{}`)}}}))
		},
	}
}

// optionalCalls are those of what the store can do beyond the contract.
func optionalCalls(s store.Backend, running *task.Task) map[string]call {
	calls := map[string]call{}
	if waker, ok := store.As[store.Waker](s); ok {
		calls["Watch"] = func(ctx context.Context) error { return waker.Watch(ctx, func([]store.ChangedLane) {}) }
	}
	if spotter, ok := store.As[store.Spotter](s); ok {
		calls["Spot"] = func(ctx context.Context) error { return spotter.Spot(ctx, func([]uint16) {}) }
	}
	if notifier, ok := store.As[store.Notifier](s); ok {
		calls["Notify"] = func(ctx context.Context) error {
			return notifier.Notify(ctx, []store.ChangedLane{{Lane: running.ID.Lane()}})
		}
	}
	if arrivals, ok := store.As[store.Arrivals](s); ok {
		calls["Arrived"] = func(ctx context.Context) error { return judged(arrivals.Arrived(ctx, []uint16{running.ID.Lane()}, "")) }
	}
	if prober, ok := store.As[store.Prober](s); ok {
		calls["Probe"] = func(ctx context.Context) error { return judged(prober.Probe(ctx)) }
	}
	if migrator, ok := store.As[store.Migrator](s); ok {
		calls["Migrations"] = func(ctx context.Context) error { return judged(migrator.Migrations(ctx)) }
		calls["Migrate"] = migrator.Migrate
	}
	return calls
}
