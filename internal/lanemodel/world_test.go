package lanemodel

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
)

// world is one run: everything in it is drawn from the seed.
type world struct {
	*database
	t       testing.TB
	random  *rand.Rand
	mutant  map[string]bool
	fibers  []*fiber
	engines []*engine
	lost    []fact // what a standby does not know
	ids     int64
	coarse  bool // the clock hardly goes on, and may go back a little
	broken  string
}

// fiber is something that goes on a step at a time: a transaction, or a node's part
// around it.
type fiber struct {
	next    func() (struct{}, bool)
	stop    func()
	ready   func() bool
	session *session
	engine  *engine // nil: of the server, or an operator's
}

type stopped struct{}

// begin starts a fiber; its body gets the function with which it waits.
func (w *world) begin(e *engine, s *session, body func(turn func(ready func() bool))) {
	f := &fiber{engine: e, session: s}
	f.next, f.stop = iter.Pull(iter.Seq[struct{}](func(yield func(struct{}) bool) {
		defer func() {
			if p := recover(); p != nil && p != (stopped{}) {
				panic(p)
			}
		}()
		body(func(ready func() bool) {
			f.ready = ready
			if !yield(struct{}{}) {
				panic(stopped{})
			}
			f.ready = nil
			if s != nil && s.aborted {
				panic(abort{})
			}
		})
	}))
	w.fibers = append(w.fibers, f)
}

// answer is what a caller knows of a transaction.
type answer struct {
	known     bool // false: it may commit, now or later
	committed bool
}

// call does a transaction on the server for a node or, without one, for an operator.
// Who called may get no answer, or give up waiting while it goes on.
func (w *world) call(turn func(func() bool), body func(s *session)) answer {
	s := &session{database: w.database, mine: make(map[key]any)}
	committed := false
	w.begin(nil, s, func(turn func(func() bool)) {
		s.turn = turn
		committed = s.run(func() { body(s) })
	})
	patience := 1 << 20
	if w.random.IntN(6) == 0 {
		patience = w.random.IntN(12)
	}
	turn(func() bool { patience--; return s.finished || patience <= 0 })
	if !s.finished || w.random.IntN(10) == 0 {
		return answer{}
	}
	return answer{true, committed}
}

// step lets one fiber go on that can. Where none can, they wait for one another: the
// server ends one of them.
func (w *world) step() bool {
	var can []*fiber
	for _, f := range w.fibers {
		if f.ready == nil || f.ready() {
			can = append(can, f)
		}
	}
	if len(can) == 0 {
		for _, f := range w.fibers {
			if f.session != nil && !f.session.aborted {
				f.session.aborted = true
				return true
			}
		}
		return false
	}
	f := can[w.random.IntN(len(can))]
	if _, more := f.next(); !more {
		w.fibers = slices.DeleteFunc(w.fibers, func(other *fiber) bool { return other == f })
	}
	return true
}

// kill ends a node's process. What it has sent to the server goes on there.
func (w *world) kill(e *engine) {
	e.gone = true
	for _, f := range w.fibers {
		if f.engine == e {
			f.stop()
		}
	}
	w.fibers = slices.DeleteFunc(w.fibers, func(f *fiber) bool { return f.engine == e })
}

func (w *world) fault(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
	}
}

// check looks at one thing that has just committed.
func (w *world) check(f fact) {
	var open []fact    // claims of the id that nothing has resolved
	var dropped []fact // of which the log row has gone, unless somebody has set it apart meanwhile
	asked := false
	for _, old := range w.facts[:len(w.facts)-1] {
		if old.id != f.id {
			continue
		}
		switch old.what {
		case "claimed":
			open, dropped = append(open, old), nil
		case "dropped":
			dropped = slices.DeleteFunc(slices.Clone(open), func(o fact) bool { return o.claim != old.claim })
			open = slices.DeleteFunc(open, func(o fact) bool { return o.claim == old.claim })
		case "resolved":
			open = slices.DeleteFunc(open, func(o fact) bool { return o.claim == old.claim })
		case "asked":
			asked = asked || old.claim == f.claim
		case "enqueued":
			open = nil
		}
	}
	switch f.what {
	case "claimed":
		if len(open) > 0 {
			w.fault("%d was claimed under %d while it ran under %d", f.id, f.claim, open[0].claim)
		}
		if now, there := w.rows[key{"task", f.id, 0}].(row); f.as != nil && (!there || now != *f.as) {
			w.fault("%d was claimed as %+v, and is %+v", f.id, *f.as, now)
		}
		w.inOrder(f)
	case "resolved":
		if f.outcome == "let go" && w.alive(f.node) && slices.ContainsFunc(w.engines[f.node-1].attempts, func(a attempt) bool { return a.id == f.id && a.claim == f.claim }) {
			w.fault("%d was let go while its node runs it under %d", f.id, f.claim)
		}
		if open = append(open, dropped...); len(open) == 0 || open[len(open)-1].claim != f.claim {
			w.fault("%s of %d under %d, which does not run: %v", f.outcome, f.id, f.claim, open)
		}
		if len(open) > 0 && f.node != 0 && open[len(open)-1].node != f.node {
			w.fault("%s of %d under %d by node %d, which does not hold it: %v", f.outcome, f.id, f.claim, f.node, open)
		}
		if asked && f.outcome != "succeeded" && f.outcome != "canceled" {
			w.fault("%d was asked to be canceled, and %s", f.id, f.outcome)
		}
	case "dropped":
		if slices.ContainsFunc(w.engines[f.node-1].attempts, func(a attempt) bool { return a.id == f.id && a.claim == f.claim }) && !w.engines[f.node-1].gone {
			w.fault("the log row of %d under %d was deleted while it ran", f.id, f.claim)
		}
	case "canceled":
		if len(open) > 0 {
			w.fault("%d was canceled as pending while it ran under %d", f.id, open[0].claim)
		}
	}
}

func (w *world) alive(of int64) bool {
	n, _ := w.rows[key{"node", of, 0}].(node)
	return n.state == "alive" && !w.engines[of-1].gone
}

// inOrder holds a key to one task in flight, and that the first.
func (w *world) inOrder(f fact) {
	own, ok := w.rows[key{"task", f.id, 0}].(row)
	if !ok || own.key == 0 {
		return
	}
	for k, value := range w.rows {
		other, ok := value.(row)
		if !ok || other.key != own.key || other.lane != own.lane || k.a == f.id {
			continue
		}
		if own.attempts+own.crashes == 0 && other.seq < own.seq {
			w.fault("%d was claimed before %d of its key", f.id, k.a)
		}
		if w.runs(k.a, other) {
			w.fault("%d was claimed beside %d of its key", f.id, k.a)
		}
	}
}

// atRest looks at all rows after each commit: none runs twice.
func (w *world) atRest() {
	times := map[int64]int{}
	for _, value := range w.rows {
		switch v := value.(type) {
		case logRow:
			for _, id := range v.ids {
				if r, ok := w.rows[key{"task", id, 0}].(row); ok && w.past(r) < v.claim {
					times[id]++
				}
			}
		case runRow:
			times[v.id]++
			if _, ok := w.rows[key{"task", v.id, 0}].(row); !ok {
				w.fault("%d runs and is not there", v.id)
			}
		}
	}
	for id, n := range times {
		if n > 1 {
			w.fault("%d runs %d times", id, n)
		}
	}
}

// runs is the rule of the protocol: a row of its own says so, or one of the log that has
// it, under a number above what is past.
func (w *world) runs(id int64, r row) bool {
	for _, value := range w.rows {
		switch v := value.(type) {
		case logRow:
			if v.claim > w.past(r) && slices.Contains(v.ids, id) {
				return true
			}
		case runRow:
			if v.id == id {
				return true
			}
		}
	}
	return false
}
