package faulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// onDisk is a task in the store with its history.
type onDisk struct {
	*task.Task
	attempts []task.Attempt
}

// readAll reads every task of the store by the number of its order, but for those
// of alerts, which the program hands in itself.
func readAll(ctx context.Context, backend store.Backend) (map[int][]onDisk, error) {
	all := map[int][]onDisk{}
	page := store.Page{Limit: 500}
	for {
		tasks, next, err := backend.Find(ctx, store.Filter{}, page)
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			if t.Queue == alerts.Queue {
				continue
			}
			var w work
			if err := json.Unmarshal(t.Payload, &w); err != nil {
				return nil, fmt.Errorf("task %s has a payload that nobody handed in: %w", t.ID, err)
			}
			attempts, err := backend.Attempts(ctx, t.ID)
			if err != nil {
				return nil, err
			}
			all[w.N] = append(all[w.N], onDisk{t, attempts})
		}
		if page.Cursor = next; next == "" {
			return all, nil
		}
	}
}

// checker compares the ledger with what is on disk while no process lives,
// or while those that live do nothing.
type checker struct {
	*ledger
	disk  map[int][]onDisk
	final bool // everything must have ended
	found []string

	crashLoops int // innocent tasks that were in flight at three kills
}

func (c *checker) bad(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// check applies every rule and returns what is broken.
func (l *ledger) check(disk map[int][]onDisk, final bool) *checker {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &checker{ledger: l, disk: disk, final: final}
	c.nothingUnknown()
	for _, o := range l.orders {
		rows := disk[o.N]
		switch {
		case len(rows) > 1:
			c.bad("I9: order %d is there %d times: %s and %s", o.N, len(rows), rows[0].ID, rows[1].ID)
		case len(rows) == 1:
			c.oneTask(o, &rows[0])
		case !o.acked.IsZero() && !o.odd:
			c.bad("I1: order %d was acknowledged as %s and is lost", o.N, o.id)
		case len(l.byTask[o.N]) > 0 && !o.odd:
			c.bad("I2: order %d ran and is not on disk", o.N)
		}
	}
	c.keysInOrder()
	return c
}

func (c *checker) nothingUnknown() {
	for n, rows := range c.disk {
		if n < 1 || n > len(c.orders) || c.orders[n-1].sent.IsZero() {
			c.bad("I2: task %s (order %d) was never handed in", rows[0].ID, n)
		}
	}
	for _, one := range c.calls {
		if one.n < 1 || one.n > len(c.orders) || c.orders[one.n-1].sent.IsZero() {
			c.bad("I2: a call of order %d, which was never handed in", one.n)
		}
	}
}

func (c *checker) oneTask(o *order, t *onDisk) {
	if !o.acked.IsZero() && o.id != t.ID {
		c.bad("I9: order %d was acknowledged as %s and is %s", o.N, o.id, t.ID)
	}
	if !bytes.Equal(t.Payload, o.draft.Payload) {
		c.bad("I1: order %d has another payload: %q", o.N, t.Payload)
	}
	calls := c.byTask[o.N]
	c.claims(o, t, calls)
	if o.odd {
		return
	}
	c.history(o, t)
	c.never(o, t, calls)
	c.end(o, t)
}

// claims checks that every call had a claim of its own, that claims grow,
// and that the store knows of each.
func (c *checker) claims(o *order, t *onDisk, calls []*call) {
	recorded := map[int64]*task.Attempt{}
	for i := range t.attempts {
		recorded[t.attempts[i].Claim] = &t.attempts[i]
	}
	var last *call
	for _, one := range calls {
		row, passed := recorded[one.claim], last != nil && one.claim < last.claim
		switch {
		case last != nil && one.claim == last.claim:
			c.bad("I3: order %d was handed out twice under claim %d", o.N, one.claim)
		case passed && !c.late(one):
			c.bad("I3: order %d was called under claim %d after %d", o.N, one.claim, last.claim)
		case row == nil && (t.State != task.Running || t.Claim != one.claim):
			c.bad("I4: order %d ran under claim %d without a trace: it is %s with claim %d, attempts %s", o.N, one.claim, t.State, t.Claim, brief(t.attempts))
		case row != nil:
			c.outcome(o, one, row)
		}
		if one.id != t.ID.String() {
			c.bad("I2: order %d ran as %s and is %s", o.N, one.id, t.ID)
		}
		if last != nil && !passed && c.atOnce(last, one) {
			c.bad("I3: order %d ran twice at once, under claims %d and %d", o.N, last.claim, one.claim)
		}
		if !passed {
			last = one
		}
	}
	if t.Claim > 0 && last != nil && last.claim > t.Claim {
		c.bad("I3: order %d ran under claim %d, the task has %d", o.N, last.claim, t.Claim)
	}
}

// outcome compares what a call was answered with what was recorded of it.
func (c *checker) outcome(o *order, one *call, row *task.Attempt) {
	if one.attempt != row.Number {
		c.bad("I6: order %d, claim %d: called as attempt %d, recorded as %d", o.N, one.claim, one.attempt, row.Number)
	}
	good := true
	switch row.Outcome {
	case task.OutcomeSucceeded:
		good = one.status == http.StatusOK
	case task.OutcomeFailed, task.OutcomeDead:
		good = one.status != http.StatusOK && one.status != 0
	}
	if !good {
		c.bad("I3: order %d, claim %d: answered by %d (0: never), recorded as %s", o.N, one.claim, one.status, row.Outcome)
	}
}

// history checks that crashes are real and cost nothing.
func (c *checker) history(o *order, t *onDisk) {
	spent, crashed := 0, 0
	called := map[int64]bool{}
	for _, one := range c.byTask[o.N] {
		called[one.claim] = true
	}
	for _, row := range t.attempts {
		switch row.Outcome {
		case task.OutcomeCrashed:
			crashed++
			began := row.StartedAt
			if !called[row.Claim] { // the server may get to the claim of a process that has died since
				began = began.Add(-5 * time.Second)
			}
			if !c.trouble("*", began, row.EndedAt) {
				c.bad("I4: order %d, claim %d: recovered as crashed while its process lived", o.N, row.Claim)
			}
			if t.Claim <= row.Claim {
				c.bad("I3: order %d was recovered from claim %d without raising it (now %d)", o.N, row.Claim, t.Claim)
			}
		case task.OutcomeReleased, task.OutcomeSnoozed:
			if row.Outcome == task.OutcomeReleased && t.Claim <= row.Claim {
				c.bad("I3: order %d was released from claim %d without raising it (now %d)", o.N, row.Claim, t.Claim)
			}
		default:
			spent++
			if row.Number != spent {
				c.bad("I6: order %d: the attempt that counts as number %d has number %d: %s", o.N, spent, row.Number, brief(t.attempts))
			}
			if !called[row.Claim] {
				c.bad("I2: order %d: %s under claim %d without a call", o.N, row.Outcome, row.Claim)
			}
		}
	}
	if o.attempts > 0 && spent > o.attempts {
		c.bad("I6: order %d spent %d attempts of %d", o.N, spent, o.attempts)
	}
	if t.State == task.Running {
		spent++
	}
	if t.Attempt != spent {
		c.bad("I6: order %d has spent %d attempts, the task says %d (%s): %s", o.N, spent, t.Attempt, t.State, brief(t.attempts))
	}
	if t.Crashes > crashed {
		c.bad("I4: order %d has %d crashes of which %d are recorded", o.N, t.Crashes, crashed)
	}
}

// never checks that nothing was early.
func (c *checker) never(o *order, t *onDisk, calls []*call) {
	for _, one := range calls {
		if one.start.Before(o.due) {
			c.bad("I5: order %d ran %s before it was due", o.N, o.due.Sub(one.start))
		}
		if o.moved {
			continue
		}
		for _, row := range t.attempts {
			next := row.EndedAt.Add(row.NextDelay)
			if row.Claim < one.claim && row.Outcome == task.OutcomeFailed && one.start.Before(next) {
				c.bad("I5: order %d, claim %d: ran %s before its retry was due", o.N, one.claim, next.Sub(one.start))
			}
		}
	}
}

// end checks the final state, where there is to be one.
func (c *checker) end(o *order, t *onDisk) {
	if c.final && !t.State.Final() {
		c.bad("I8: order %d is %s at the end (id %s, node %s, claim %d, crashes %d): %s; calls %s", o.N, t.State, t.ID, t.Node, t.Claim, t.Crashes, brief(t.attempts), seen(c.byTask[o.N]))
		return
	}
	if !t.State.Final() {
		return
	}
	want, failing := task.Succeeded, max(o.Fail, len(o.Failed))
	if o.attempts > 0 && failing >= o.attempts {
		want = task.Dead
	}
	switch {
	case t.State == task.Dead && t.DeadReason == task.CrashLoop && t.Crashes >= 3:
		c.crashLoops++
	case t.State != want:
		c.bad("I1: order %d (%d failures, %d attempts) ended as %s %s: %s", o.N, failing, o.attempts, t.State, t.DeadReason, brief(t.attempts))
	case want == task.Succeeded && t.Attempt != failing+1:
		c.bad("I6: order %d succeeded with attempt %d after %d failures: %s", o.N, t.Attempt, failing, brief(t.attempts))
	}
}

// keysInOrder checks, over all calls in the order of their arrival, that one
// call of a key runs at a time and that places within the key never fall.
func (c *checker) keysInOrder() {
	last := map[string]*call{}
	for _, one := range c.calls {
		if one.n < 1 || one.n > len(c.orders) {
			continue
		}
		o := c.orders[one.n-1]
		if o.draft.Key == "" {
			continue
		}
		before := last[o.draft.Key]
		if before == nil {
			last[o.draft.Key] = one
			continue
		}
		if one.claim < before.claim && c.late(one) {
			continue
		}
		if place := c.orders[before.n-1].place; o.place < place {
			c.bad("I7: key %s: place %d ran after place %d", o.draft.Key, o.place, place)
		}
		if c.atOnce(before, one) {
			c.bad("I7: key %s: places %d and %d ran at once", o.draft.Key, c.orders[before.n-1].place, o.place)
		}
		last[o.draft.Key] = one
	}
}

// late reports whether the process of a call stood still, or was cut off, between its claim
// and its arrival. Nobody can keep such a call from being sent: it is told by its claim.
func (c *checker) late(one *call) bool {
	return c.trouble(one.node, time.UnixMicro(one.claim), one.start)
}

// atOnce reports whether a call arrived while an earlier one was answered.
// One that was given up by its caller does not count: the receiver learns of
// that later than the caller knows it. Nor does one whose process was gone.
func (c *checker) atOnce(before, one *call) bool {
	if c.trouble(before.node, before.start, one.start) {
		return false
	}
	return before.end.IsZero() || before.status != 0 && one.start.Before(before.end)
}

// seen are the calls of a task in one line.
func seen(calls []*call) string {
	text := "["
	for i, one := range calls {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s by %s under %d: %d", one.start.Format("05.000"), one.node, one.claim, one.status)
	}
	return text + "]"
}

// brief is a history in one line.
func brief(attempts []task.Attempt) string {
	text := "["
	for i, a := range attempts {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d %s under %d", a.Number, a.Outcome, a.Claim)
	}
	return text + "]"
}
