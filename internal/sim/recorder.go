package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Recorded is a task with its attempts, the oldest first, as a server has recorded
// them.
type Recorded struct {
	Type   string
	Target string // its name, "" for that of the type
	State  string // "" for dead
	// Policy is the task's own, for replays in which each task has that. Policies of
	// the same name are the same.
	Policy     *retry.Policy
	PolicyName string
	// MaxAttempts, Timeout and Deadline hold for the task whatever its policy says;
	// 0 for none.
	MaxAttempts int
	Timeout     time.Duration
	Deadline    time.Time
	Attempts    []RecordedAttempt
}

// RecordedAttempt is how one attempt went, in the words of the API.
type RecordedAttempt struct {
	StartedAt, EndedAt time.Time
	Outcome            string
	Category           string
	Effect             string
}

// mostSpan is the longest time between two attempts of a history.
const mostSpan = 50 * 365 * 24 * time.Hour

// Recorder makes a history of tasks in any order, with a few words per attempt. Times
// are gathered as they stand; they become offsets at the end.
type Recorder struct {
	h           History
	targets     map[string]int
	policies    map[string]int
	zero        time.Time // the first time read: offsets count from it for now, and may be negative
	first, last time.Time // of all
}

// NewRecorder makes one that knows nothing yet.
func NewRecorder() *Recorder {
	return &Recorder{targets: map[string]int{}, policies: map[string]int{}}
}

// Add takes a task, and tells how many of its attempts say something; a task without
// any is left out. It fails for what no server records.
func (r *Recorder) Add(l *Recorded) (attempts int, err error) {
	task := recordedTask{target: -1, end: endOf(l.State), policy: r.policy(l), name: l.PolicyName, most: l.MaxAttempts, timeout: l.Timeout}
	var before time.Time // the end of the attempt before
	for _, a := range l.Attempts {
		if a.StartedAt.IsZero() || a.EndedAt.Before(a.StartedAt) {
			continue // it never started, or has not ended
		}
		if !r.spans(a.StartedAt, a.EndedAt) {
			return 0, fmt.Errorf("an attempt at %v lies more than 50 years from another", a.StartedAt)
		}
		if task.target < 0 {
			task.target, task.due = r.target(l), a.StartedAt.Sub(r.zero)
		}
		note := observation{at: a.StartedAt.Sub(r.zero), took: a.EndedAt.Sub(a.StartedAt)}
		v, says, err := verdictOf(a.Outcome, a.Category, a.Effect)
		switch {
		case err != nil:
			return 0, err
		case !says:
			continue
		case v == nil:
			task.end, task.done = endWorked, a.EndedAt.Sub(r.zero)
		case ofTheTask(v.Category):
			task.doomed = v
		default:
			note.verdict = v
		}
		task.attempts++
		if v != nil {
			task.failed++
		}
		if before != (time.Time{}) {
			r.h.waits.Add(a.StartedAt.Sub(before))
		}
		before = a.EndedAt
		t := &r.h.targets[task.target]
		t.notes = append(t.notes, note)
	}
	if task.attempts == 0 {
		r.h.Skipped++
		return 0, nil
	}
	if task.end == endWorked {
		task.doomed = nil
	}
	if until := l.Deadline.Sub(r.zero); !l.Deadline.IsZero() && distance(until, task.due) <= mostSpan {
		task.deadline, task.limited = until, true
	}
	r.h.tasks = append(r.h.tasks, task)
	return task.attempts, nil
}

// policy is the place in the list of the task's own policy, -1 for none.
func (r *Recorder) policy(l *Recorded) int {
	if l.Policy == nil {
		return -1
	}
	i, known := r.policies[l.PolicyName]
	if !known {
		i = len(r.h.policies)
		r.policies[l.PolicyName] = i
		r.h.policies = append(r.h.policies, l.Policy)
	}
	return i
}

// spans takes a time into account; false when all would span too much.
func (r *Recorder) spans(from, to time.Time) bool {
	if r.zero.IsZero() {
		r.zero, r.first, r.last = from, from, to
	}
	if from.Before(r.first) {
		r.first = from
	}
	if to.After(r.last) {
		r.last = to
	}
	return r.last.Sub(r.first) <= mostSpan
}

// endOf is how far a task in that state is, unless an attempt succeeded. Without a
// state, as in a list of dead letters, it has failed.
func endOf(state string) recordedEnd {
	switch state {
	case "pending", "running":
		return endOpen
	case "canceled":
		return endCanceled
	}
	return endFailed
}

// target is the place in the list of the letter's target, which has the name of its
// type when it has none of its own.
func (r *Recorder) target(l *Recorded) int {
	name := cmp.Or(l.Target, l.Type)
	i, known := r.targets[name]
	if !known {
		i = len(r.h.targets)
		r.targets[name] = i
		r.h.targets = append(r.h.targets, observed{name: name})
	}
	return i
}

// verdictOf translates an attempt; false when it says nothing about the target.
func verdictOf(outcome, category, effect string) (v *retry.Verdict, says bool, err error) {
	switch outcome {
	case "succeeded":
		return nil, true, nil
	case "failed", "dead":
		c := cmp.Or(retry.Category(category), retry.Unknown)
		if !c.Valid() {
			return nil, false, fmt.Errorf("category %.60q is not known", category)
		}
		return &retry.Verdict{Category: c, Effect: cmp.Or(retry.Effect(effect), retry.Maybe)}, true, nil
	case "snoozed", "released", "canceled", "crashed":
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("outcome %.60q is not known", outcome)
}

// ofTheTask reports whether failures of the category are the task's own: the
// target has answered.
func ofTheTask(c retry.Category) bool {
	switch c {
	case retry.Permanent, retry.Bug, retry.Local, retry.Deadline, retry.Canceled:
		return true
	}
	return false
}

// History puts everything in the order of time, from the first attempt on: the order
// in which tasks came leaves no trace. The recorder is done then.
func (r *Recorder) History() (*History, error) {
	h := &r.h
	if len(h.tasks) == 0 {
		return nil, errors.New("there is no task with an attempt")
	}
	first := h.tasks[0].due
	for i := range h.targets {
		for _, n := range h.targets[i].notes {
			first = min(first, n.at)
		}
	}
	h.begin = r.zero.Add(first)
	for i := range h.targets {
		notes := h.targets[i].notes
		for j := range notes {
			notes[j].at -= first
		}
		slices.SortFunc(notes, observation.compare)
	}
	for i := range h.tasks {
		t := &h.tasks[i]
		t.due -= first
		if t.end == endWorked {
			t.done -= first
		}
		if t.limited {
			t.deadline -= first
		}
	}
	r.sortTargets()
	slices.SortFunc(h.tasks, recordedTask.compare)
	return h, nil
}

// sortTargets orders targets by name.
func (r *Recorder) sortTargets() {
	slices.SortFunc(r.h.targets, func(a, b observed) int { return cmp.Compare(a.name, b.name) })
	places := make([]int, len(r.h.targets))
	for i := range r.h.targets {
		places[r.targets[r.h.targets[i].name]] = i
	}
	for i := range r.h.tasks {
		r.h.tasks[i].target = places[r.h.tasks[i].target]
	}
}

// compare orders observations by time. Those that it calls equal are equal.
func (n observation) compare(other observation) int {
	return cmp.Or(cmp.Compare(n.at, other.at), cmp.Compare(n.took, other.took), compareVerdicts(n.verdict, other.verdict))
}

// compare orders tasks by time. Those that it calls equal are equal.
func (t recordedTask) compare(other recordedTask) int {
	return cmp.Or(
		cmp.Compare(t.due, other.due), cmp.Compare(t.target, other.target), cmp.Compare(t.end, other.end),
		cmp.Compare(t.done, other.done), cmp.Compare(t.attempts, other.attempts), cmp.Compare(t.failed, other.failed),
		compareVerdicts(t.doomed, other.doomed), cmp.Compare(t.name, other.name), cmp.Compare(t.most, other.most),
		cmp.Compare(t.timeout, other.timeout), cmp.Compare(t.deadline, other.deadline),
	)
}

// compareVerdicts orders what is read of verdicts, none first.
func compareVerdicts(a, b *retry.Verdict) int {
	if a == nil || b == nil {
		return cmp.Compare(present(a), present(b))
	}
	return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Effect, b.Effect))
}

func present(v *retry.Verdict) int {
	if v == nil {
		return 0
	}
	return 1
}
