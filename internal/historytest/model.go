package historytest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/outlast-dev/outlast/task"
)

// kind is what a client asked.
type kind string

const (
	enqueues    kind = "enqueue"
	claims      kind = "claim"
	settles     kind = "settle"
	beats       kind = "beat"
	cancels     kind = "cancel"
	reschedules kind = "reschedule"
	redrives    kind = "redrive"
	recovers    kind = "recover"
	reads       kind = "read"
)

// call is what a client asked of one task.
type call struct {
	kind      kind
	node      string       // of a claim or beat
	claim     int64        // of a settle; the claim that a recovery took away
	outcome   task.Outcome // of a settle
	unstarted bool         // the same: its attempt never started, and is not counted
	keep      bool         // attempts, of a redrive
}

// verdict is how a call ended for one task.
type verdict string

const (
	done     verdict = "done"
	unknown  verdict = "unknown" // an error without a type: done or not
	existing verdict = "existing"
	gone     verdict = "gone"    // a claim of what is not pending
	refused  verdict = "refused" // a claim refused for another reason: due later, or the lane has another owner
	stale    verdict = "stale"
	missing  verdict = "missing"
	conflict verdict = "conflict"
	asked    verdict = "asked" // a beat says that a cancel was requested
	quiet    verdict = "quiet" // a beat does not
)

// answer is what a client was told of one task.
type answer struct {
	verdict verdict
	row     row // as told; of a settle only its state
}

// row is what can be seen of a task.
type row struct {
	state   task.State
	claim   int64
	attempt int
	cancel  bool
	node    string
}

// state is a task in the model. It is comparable.
type state struct {
	row
	// exact says that row.claim is the claim number. Otherwise the number is
	// larger, and was not told to anybody yet.
	exact bool
	// settled are recorded outcomes, as "claim=outcome;". Those of before a
	// redrive may or may not be kept: they follow a "?".
	settled string
}

const absent task.State = ""

// step returns the states that a task may be in after a call with an answer:
// none if the answer cannot be.
func step(s state, c call, a answer) []state {
	switch c.kind {
	case enqueues:
		return enqueued(s, a)
	case claims:
		return claimed(s, c, a)
	case settles:
		return settledAs(s, c, a)
	case beats:
		heard := s.state == task.Running && s.cancel && s.node == c.node
		return only(heard == (a.verdict == asked), s)
	case cancels:
		return canceled(s, a)
	case reschedules:
		return rescheduled(s, a)
	case redrives:
		return redriven(s, c, a)
	case recovers:
		return recovered(s, c, a)
	case reads:
		if a.verdict == missing {
			return only(s.state == absent, s)
		}
		seen, ok := s.seen(a.row)
		return only(ok && s.state != absent, seen)
	}
	return nil
}

// only is the state if it may be.
func only(ok bool, s state) []state {
	if !ok {
		return nil
	}
	return []state{s}
}

// perhaps is what a call of unknown outcome leaves: what it found, or what it
// was to do.
func perhaps(before state, after []state) []state { return append(after, before) }

// seen compares what was told with the state, and learns the claim number.
func (s state) seen(told row) (state, bool) {
	if !s.exact && told.claim > s.claim {
		s.claim, s.exact = told.claim, true
	}
	return s, s.exact && s.row == told
}

func enqueued(s state, a answer) []state {
	fresh := state{row: row{state: task.Pending}, exact: true}
	switch a.verdict {
	case done:
		return only(s.state == absent, fresh)
	case existing:
		seen, ok := s.seen(a.row)
		return only(ok && s.state != absent, seen)
	default:
		if s.state == absent {
			return perhaps(s, []state{fresh})
		}
		return []state{s}
	}
}

func claimed(s state, c call, a answer) []state {
	var after []state
	if s.state == task.Pending {
		next := s
		next.state, next.node, next.attempt = task.Running, c.node, s.attempt+1
		next.exact = false // until it is told; it is larger than the last one
		after = []state{next}
	}
	switch a.verdict {
	case done:
		if after == nil {
			return nil
		}
		seen, ok := after[0].seen(a.row)
		return only(ok, seen)
	case gone:
		return only(s.state != task.Pending, s)
	case refused:
		return []state{s}
	default:
		return perhaps(s, after)
	}
}

// record is one recorded outcome in the form of state.settled.
func record(claim int64, outcome task.Outcome) string {
	return strconv.FormatInt(claim, 10) + "=" + string(outcome) + ";"
}

// repeats reports whether a settle repeats a recorded one, for certain or
// perhaps. A cancel stands also for failures, which a request turns into it.
func (s state) repeats(c call) (certain, possible bool) {
	asCanceled := again(c.outcome)
	kept, old, _ := cutLast(s.settled)
	in := func(records string) bool {
		return strings.Contains(";"+records, ";"+record(c.claim, c.outcome)) ||
			asCanceled && strings.Contains(";"+records, ";"+record(c.claim, task.OutcomeCanceled))
	}
	return in(kept), in(kept) || in(old)
}

// cutLast parts what is recorded since the last redrive from what was before.
func cutLast(settled string) (kept, old string, found bool) {
	i := strings.LastIndexByte(settled, '?')
	if i < 0 {
		return settled, "", false
	}
	return settled[i+1:], strings.ReplaceAll(settled[:i], "?", ""), true
}

func again(outcome task.Outcome) bool {
	return outcome == task.OutcomeFailed || outcome == task.OutcomeSnoozed || outcome == task.OutcomeReleased
}

func settledAs(s state, c call, a answer) []state {
	fits := s.state == task.Running && (s.exact && s.claim == c.claim || !s.exact && c.claim > s.claim)
	certain, possible := s.repeats(c)
	switch a.verdict {
	case done:
		var after []state
		if fits {
			after = append(after, settle(s, c))
		}
		if possible {
			after = append(after, s)
		}
		var all []state
		for _, next := range after {
			if next.state == a.row.state {
				all = append(all, next)
			}
		}
		return all
	case stale:
		accepted := fits && s.exact || certain
		return only(s.state != absent && !accepted, s)
	case missing:
		return only(s.state == absent, s)
	default:
		if fits {
			return perhaps(s, []state{settle(s, c)})
		}
		return []state{s}
	}
}

// settle ends the running attempt.
func settle(s state, c call) state {
	s.claim, s.exact = c.claim, true
	outcome := c.outcome
	if s.cancel && again(outcome) {
		outcome = task.OutcomeCanceled
	}
	s.settled += record(c.claim, outcome)
	s.node = ""
	switch outcome {
	case task.OutcomeSucceeded:
		s.state = task.Succeeded
	case task.OutcomeDead:
		s.state = task.Dead
	case task.OutcomeCanceled:
		s.state = task.Canceled
	default:
		s.state = task.Pending
		c.unstarted = c.unstarted || outcome != task.OutcomeFailed
		s.exact = outcome != task.OutcomeReleased
	}
	if c.unstarted {
		s.attempt--
	}
	return s
}

func canceled(s state, a answer) []state {
	next := s
	switch s.state {
	case task.Pending:
		next.state = task.Canceled
	case task.Running:
		next.cancel = true
	default:
		next.state = absent
	}
	possible := next.state != absent
	switch a.verdict {
	case done:
		seen, ok := next.seen(a.row)
		return only(possible && ok, seen)
	case conflict:
		return only(!possible && s.state == a.row.state, s)
	case missing:
		return only(s.state == absent, s)
	default:
		if possible {
			return perhaps(s, []state{next})
		}
		return []state{s}
	}
}

// rescheduled: when a task runs is not in the model, so that only the answer
// counts.
func rescheduled(s state, a answer) []state {
	switch a.verdict {
	case done:
		seen, ok := s.seen(a.row)
		return only(ok && s.state == task.Pending, seen)
	case conflict:
		return only(s.state != task.Pending && s.state == a.row.state, s)
	case missing:
		return only(s.state == absent, s)
	}
	return []state{s}
}

func redriven(s state, c call, a answer) []state {
	next := s
	next.state, next.cancel = task.Pending, false
	if !c.keep {
		next.attempt = 0
		if s.settled != "" {
			next.settled += "?"
		}
	}
	switch a.verdict {
	case done:
		return only(s.state == task.Dead, next)
	case missing:
		return only(s.state != task.Dead, s)
	default:
		if s.state == task.Dead {
			return perhaps(s, []state{next})
		}
		return []state{s}
	}
}

// recovered takes a running task from a node that ended. The claim that it
// takes away is never accepted again.
func recovered(s state, c call, a answer) []state {
	if a.verdict != done {
		return nil // recoveries are done where no answer is lost
	}
	s, ok := s.seen(row{state: task.Running, claim: c.claim, attempt: s.attempt, cancel: s.cancel, node: c.node})
	if !ok || a.row.claim <= c.claim {
		return nil
	}
	s.state, s.node, s.claim = task.Pending, "", a.row.claim
	s.attempt--
	if s.cancel {
		s.state = task.Canceled
	}
	return only(s.state == a.row.state, s)
}

// model is the state machine of one task for the checker.
var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{exact: true}} },
	Step: func(s, c, a any) []any {
		var out []any
		for _, next := range step(s.(state), c.(call), a.(answer)) {
			out = append(out, next)
		}
		return out
	},
}).ToModel()

func (c call) String() string {
	text := string(c.kind)
	for _, part := range []struct {
		name  string
		shown bool
		value any
	}{
		{"as", c.node != "", c.node}, {"claim", c.claim != 0, c.claim}, {"outcome", c.outcome != "", c.outcome}, {"keep", c.keep, c.keep},
	} {
		if part.shown {
			text += fmt.Sprintf(" %s=%v", part.name, part.value)
		}
	}
	return text
}

func (a answer) String() string {
	if a.row == (row{}) {
		return string(a.verdict)
	}
	return fmt.Sprintf("%s %+v", a.verdict, a.row)
}
