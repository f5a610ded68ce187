package sim

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/targetname"
	"github.com/outlast-dev/outlast/retry"
)

// letter is what is read of a line: a task with its attempts, as `outlast task
// export` and `outlast dead export` write it.
type letter struct {
	Type     string `json:"type"`
	State    string `json:"state"`
	Target   place  `json:"target"`
	Attempts []struct {
		StartedAt time.Time `json:"started_at"`
		EndedAt   time.Time `json:"ended_at"`
		Outcome   string    `json:"outcome"`
		Category  string    `json:"category"`
		Effect    string    `json:"effect"`
	} `json:"attempts"`
}

// place is what a line says about the target: its name, or the request.
type place struct{ name string }

// UnmarshalJSON takes a name, or an object with a URL. The unit is then that of the
// engine: the host in lower case, with the port when it is not the scheme's own.
func (p *place) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &p.name)
	}
	var request struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(data, &request); err != nil {
		return err
	}
	u, err := url.Parse(request.URL)
	if err != nil || u.Hostname() == "" {
		return nil //nolint:nilerr // such a target has no place, and is known by its type
	}
	p.name = targetname.Of(u)
	return nil
}

const (
	// mostLine is the longest line that is read, in bytes.
	mostLine = 64 << 20
	// mostSpan is the longest time between two attempts of a history.
	mostSpan = 50 * 365 * 24 * time.Hour
)

// ReadHistory reads tasks with their attempts, one JSON object per line, in any
// order. It keeps a few words per attempt.
func ReadHistory(r io.Reader) (*History, error) {
	h := &historyReader{targets: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l letter
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d is no task with attempts: %w", number, err)
		}
		if err := h.add(&l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fmt.Errorf("a line of more than %d MiB: %w", mostLine>>20, err)
		}
		return nil, err
	}
	return h.history()
}

// historyReader gathers times as they stand; they become offsets at the end.
type historyReader struct {
	h           History
	targets     map[string]int
	zero        time.Time // the first time read: offsets count from it for now, and may be negative
	first, last time.Time // of all
}

func (r *historyReader) add(l *letter) error {
	task := recordedTask{target: -1, end: endOf(l.State)}
	for _, a := range l.Attempts {
		if a.StartedAt.IsZero() || a.EndedAt.Before(a.StartedAt) {
			continue // it never started, or has not ended
		}
		if !r.spans(a.StartedAt, a.EndedAt) {
			return fmt.Errorf("an attempt at %v lies more than 50 years from another", a.StartedAt)
		}
		if task.target < 0 {
			task.target, task.due = r.target(l), a.StartedAt.Sub(r.zero)
		}
		note := observation{at: a.StartedAt.Sub(r.zero), took: a.EndedAt.Sub(a.StartedAt)}
		v, says, err := verdictOf(a.Outcome, a.Category, a.Effect)
		switch {
		case err != nil:
			return err
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
		t := &r.h.targets[task.target]
		t.notes = append(t.notes, note)
	}
	if task.attempts == 0 {
		r.h.Skipped++
		return nil
	}
	if task.end == endWorked {
		task.doomed = nil
	}
	r.h.tasks = append(r.h.tasks, task)
	return nil
}

// spans takes a time into account; false when all would span too much.
func (r *historyReader) spans(from, to time.Time) bool {
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
func (r *historyReader) target(l *letter) int {
	name := cmp.Or(l.Target.name, l.Type)
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

// history puts everything in the order of time, from the first attempt on. The
// order of lines leaves no trace.
func (r *historyReader) history() (*History, error) {
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
	}
	r.sortTargets()
	slices.SortFunc(h.tasks, recordedTask.compare)
	return h, nil
}

// sortTargets orders targets by name.
func (r *historyReader) sortTargets() {
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
		compareVerdicts(t.doomed, other.doomed),
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
