package prove

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// promise is one of the things that are proved.
type promise string

const (
	lost      promise = "lost"
	unknown   promise = "unknown"
	repeated  promise = "repeated"
	disorder  promise = "order"
	doubled   promise = "dedupe"
	early     promise = "early"
	miscount  promise = "attempts"
	unhealthy promise = "nodes"
)

// promises are all of them, with what is broken when one is.
var promises = []struct {
	promise promise
	broken  string
}{
	{lost, "lost, or ended otherwise than planned"},
	{unknown, "run, and never handed in"},
	{repeated, "repeated without a fault to explain it"},
	{disorder, "out of the order of their key"},
	{doubled, "accepted twice under one dedupe key"},
	{early, "run too early"},
	{miscount, "wrong number of attempts"},
	{unhealthy, "wrong with nodes or store"},
}

// judgement is what a history comes to.
type judgement struct {
	*history
	byTask  map[int][]*call
	broken  map[promise][]string
	repeats map[mishap]*repeats
	cut     map[int]int           // calls that were cut off, by the trouble
	waited  map[int]time.Duration // of the work of each trouble, at most
	calm    []time.Duration       // from when a task was due to its start, before the first fault
	all     []time.Duration
}

// repeats are runs that were made again since a fault had taken the one before.
type repeats struct {
	Runs     int `json:"runs"`
	Answered int `json:"after_an_answer"` // the receiver had answered the one before, so that its effect happened again
}

// judge holds a history against what is promised.
func judge(h *history) *judgement {
	j := &judgement{history: h, byTask: map[int][]*call{}, broken: map[promise][]string{}, repeats: map[mishap]*repeats{},
		cut: map[int]int{}, waited: map[int]time.Duration{}}
	h.mu.Lock() // the last callers may not have gone
	defer h.mu.Unlock()
	slices.SortStableFunc(h.calls, func(a, b *call) int { return a.start.Compare(b.start) })
	for _, c := range h.calls {
		if o := h.order(c.n); o == nil || o.sent.IsZero() {
			j.breaks(unknown, "a call of task %d", c.n)
		}
		j.byTask[c.n] = append(j.byTask[c.n], c)
	}
	for n, rows := range h.rows {
		if h.order(n) == nil {
			j.breaks(unknown, "task %s", rows[0].ID)
		}
	}
	for _, o := range h.orders {
		if !o.sent.IsZero() {
			j.ordered(o)
		}
	}
	j.keys()
	for _, t := range h.troubles {
		for _, problem := range t.problems {
			j.breaks(unhealthy, "%s", problem)
		}
	}
	for _, problem := range h.unsound {
		j.breaks(unhealthy, "%s", problem)
	}
	return j
}

func (j *judgement) breaks(p promise, format string, args ...any) {
	j.broken[p] = append(j.broken[p], fmt.Sprintf(format, args...))
}

// ordered looks at one order.
func (j *judgement) ordered(o *order) {
	rows := j.rows[o.n]
	switch {
	case o.acked.IsZero():
		j.breaks(lost, "task %d was not accepted after the faults either", o.n)
	case len(rows) == 0:
		j.breaks(lost, "task %s was accepted and is not in the store", o.id)
	}
	if len(rows) == 0 {
		return
	}
	if o.draft.DedupeKey != "" && o.second != o.id || len(rows) > 1 {
		j.breaks(doubled, "task %d was accepted as %s and %s, and is there %d times", o.n, o.id, o.second, len(rows))
		return
	}
	r := &rows[0]
	if r.ID != o.id && !o.acked.IsZero() {
		j.breaks(lost, "task %d was accepted as %s and is %s", o.n, o.id, r.ID)
	}
	j.end(o, r)
	j.runs(o, r)
	j.starts(o)
}

// end looks at how a task has ended.
func (j *judgement) end(o *order, r *row) {
	want := task.Succeeded
	if o.dies {
		want = task.Dead
	}
	if r.State != want {
		j.breaks(lost, "task %s is %s and had to be %s", r.ID, r.State, want)
		return
	}
	spent, unseen := j.spent(o, r)
	most := o.spends()
	if !o.dies { // an attempt that the receiver would have answered by 200 may be among them
		most += unseen
	}
	if r.Attempt != spent || spent < o.spends() || spent > most {
		j.breaks(miscount, "task %s took %d attempts, of which %d are recorded, and had to take %d", r.ID, r.Attempt, spent, o.spends())
	}
}

// spent counts the attempts that a task has used, and those of them that failed on the
// way to the receiver or back, as they may on a node that stands still: such a call fails
// as any other.
func (j *judgement) spent(o *order, r *row) (spent, unseen int) {
	for i := range r.attempts {
		a := &r.attempts[i]
		answered := func(status int) bool {
			return slices.ContainsFunc(j.byTask[o.n], func(c *call) bool { return c.claim == a.Claim && c.status == status })
		}
		switch a.Outcome {
		case task.OutcomeSucceeded:
			spent++
			if !answered(http.StatusOK) {
				j.breaks(lost, "task %s: attempt %d succeeded, and its receiver did not say so", r.ID, a.Number)
			}
		case task.OutcomeFailed, task.OutcomeDead:
			spent++
			seen := answered(http.StatusInternalServerError)
			if !seen && j.trouble(j.nodes[a.Node], a.StartedAt, a.EndedAt) >= 0 {
				unseen++
			} else if !seen {
				j.breaks(miscount, "task %s: attempt %d failed, and its receiver did not say so", r.ID, a.Number)
			}
		}
	}
	return spent, unseen
}

// runs looks at why a task was called more than once.
func (j *judgement) runs(o *order, r *row) {
	recorded := map[int64]*task.Attempt{}
	for i := range r.attempts {
		recorded[r.attempts[i].Claim] = &r.attempts[i]
	}
	calls := j.byTask[o.n]
	for i, c := range calls {
		if c.start.Before(o.sent.Add(time.Duration(o.draft.Delay))) {
			j.breaks(early, "task %s", r.ID)
		}
		attempt := recorded[c.claim]
		if attempt == nil {
			j.breaks(repeated, "task %s ran under claim %d, of which the store knows nothing", r.ID, c.claim)
			continue
		}
		if i+1 == len(calls) {
			continue
		}
		next := calls[i+1]
		if slices.ContainsFunc(calls[:i+1], func(c *call) bool { return c.claim == next.claim }) {
			j.breaks(repeated, "task %s was called twice under claim %d", r.ID, next.claim)
			continue
		}
		if next.claim < c.claim { // it comes late, from a node that is not the owner any more
			j.again(r, next, next, j.cameLate(next))
			continue
		}
		if attempt.Outcome == task.OutcomeFailed && c.status == http.StatusInternalServerError {
			if next.start.Before(c.end.Add(attempt.NextDelay)) {
				j.breaks(early, "a retry of task %s", r.ID)
			}
			continue
		}
		until := c.end
		if until.IsZero() { // its caller was gone before
			until = c.start.Add(o.lasts)
		}
		if until = until.Add(settling); until.After(next.start) {
			until = next.start
		}
		j.again(r, c, next, j.trouble(j.nodeOf(c), c.start, until))
	}
}

// settling is how long after a call its node may be busy with storing the outcome.
const settling = 2 * time.Second

// again notes the fault that explains why a run was made again that had not failed, or
// that one came late, which is then both.
func (j *judgement) again(r *row, c, next *call, at int) {
	if at < 0 {
		j.breaks(repeated, "task %s ran under claim %d on %q, and again under claim %d", r.ID, c.claim, j.nodeOf(c), next.claim)
		return
	}
	t := &j.troubles[at]
	if j.repeats[t.fault.kind] == nil {
		j.repeats[t.fault.kind] = &repeats{}
	}
	j.repeats[t.fault.kind].Runs++
	if c.status != 0 {
		j.repeats[t.fault.kind].Answered++
	}
	j.cut[at]++
	j.waits(at, next.start.Sub(t.from))
}

// trouble is the last one of a node between two moments, -1 for none.
func (j *judgement) trouble(node string, from, to time.Time) int {
	for at := len(j.troubles) - 1; at >= 0; at-- {
		if t := &j.troubles[at]; t.node == node && !from.After(t.to) && !to.Before(t.from) {
			return at
		}
	}
	return -1
}

// cameLate is the trouble after which a node sent a call that was not its own any more,
// -1 for none. Nobody can keep such a call from being sent: it is told by its claim. A
// process that was started anew has none.
func (j *judgement) cameLate(c *call) int {
	at := j.trouble(j.nodeOf(c), c.start.Add(-longest-late), c.start)
	if at >= 0 && j.troubles[at].fault.ends() && c.start.After(j.troubles[at].to) {
		return -1
	}
	return at
}

func (j *judgement) waits(at int, d time.Duration) { j.waited[at] = max(j.waited[at], d) }

// starts measures how late a task began. One with a key waits for its turn besides, and
// those that measure the speed for each other.
func (j *judgement) starts(o *order) {
	if o.place > 0 || o.burst || len(j.byTask[o.n]) == 0 {
		return
	}
	due := o.due()
	waited := max(0, j.byTask[o.n][0].start.Sub(due))
	j.all = append(j.all, waited)
	if len(j.troubles) == 0 || due.Before(j.troubles[0].from.Add(-leastCalm/2)) {
		j.calm = append(j.calm, waited)
	}
	for at := range j.troubles {
		if t := &j.troubles[at]; !due.Before(t.from) && !due.After(t.over()) {
			j.waits(at, waited)
		}
	}
}

// keys looks at all calls in the order of their arrival: of one key one runs at a time,
// and places never fall.
func (j *judgement) keys() {
	last := map[string]*call{}
	for _, c := range j.calls {
		o := j.order(c.n)
		if o == nil || o.place == 0 {
			continue
		}
		key := o.draft.Key
		before := last[key]
		if before != nil && c.claim < before.claim && j.cameLate(c) >= 0 {
			continue // a receiver that remembers the largest claim refuses it
		}
		last[key] = c
		if before == nil {
			continue
		}
		if place := j.order(before.n).place; o.place < place {
			j.breaks(disorder, "key %s: number %d ran after number %d", key, o.place, place)
		}
		if open := before.end.IsZero() || before.end.After(c.start); open && j.trouble(j.nodeOf(before), before.start, c.start) < 0 {
			j.breaks(disorder, "key %s: numbers %d and %d ran beside each other", key, j.order(before.n).place, o.place)
		}
	}
}

// nodeOf is the node that made a call, "" if the store does not know it.
func (j *judgement) nodeOf(c *call) string {
	for _, r := range j.rows[c.n] {
		for i := range r.attempts {
			if r.attempts[i].Claim == c.claim {
				return j.nodes[r.attempts[i].Node]
			}
		}
	}
	return ""
}

// verdict is "kept" if nothing is broken.
func (j *judgement) verdict() string {
	if len(j.broken) > 0 {
		return "broken"
	}
	return "kept"
}

// lines are all violations, at most so many of each promise.
func (j *judgement) lines(most int) (lines []string) {
	for _, p := range promises {
		found := j.broken[p.promise]
		for _, line := range found[:min(most, len(found))] {
			lines = append(lines, string(p.promise)+": "+line)
		}
		if len(found) > most {
			lines = append(lines, fmt.Sprintf("%s: %d more", p.promise, len(found)-most))
		}
	}
	return lines
}

// quantile is what so large a share of waits is at most.
func quantile(waits []time.Duration, share float64) time.Duration {
	if len(waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(waits))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
