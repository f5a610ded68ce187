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

	"github.com/outlast-dev/outlast/retry"
)

// History is what a server recorded: when tasks were due first, and how each
// target answered over time.
//
// An observation speaks for the time around it: an attempt that was not made is
// taken to end like the recorded one of the same target that is nearest in time.
// Outages and brownouts come out of that by themselves. Beyond [HistoryReach] of
// any observation nothing is known, and the target is taken to be well.
type History struct {
	// Skipped is how many tasks had no attempt.
	Skipped int

	begin   time.Time
	targets []observed
	tasks   []recordedTask
}

// HistoryReach is how far from an observation it still speaks.
const HistoryReach = 10 * time.Minute

// observed is what is known about one target, in the order of time.
type observed struct {
	name  string
	notes []observation
}

// observation is how one attempt ended.
type observation struct {
	at      time.Duration // since the beginning of the history
	took    time.Duration
	verdict *retry.Verdict // nil when the target did its part
}

// recordedTask is one task of the history.
type recordedTask struct {
	due      time.Duration
	target   int
	doomed   *retry.Verdict // its own fault: it fails whenever the target is well
	attempts int
	failed   int
	done     time.Duration // when it succeeded; -1 if it did not
}

// letter is what is read of a line: a task with its attempts, as `outlast task
// export` and `outlast dead export` write it.
type letter struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Target *struct {
		URL string `json:"url"`
	} `json:"target"`
	Attempts []struct {
		StartedAt time.Time `json:"started_at"`
		EndedAt   time.Time `json:"ended_at"`
		Outcome   string    `json:"outcome"`
		Category  string    `json:"category"`
		Effect    string    `json:"effect"`
	} `json:"attempts"`
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
	h       History
	targets map[string]int
	zero    time.Time // the first time read: offsets count from it for now
}

func (r *historyReader) add(l *letter) error {
	task := recordedTask{target: -1, done: -1}
	for _, a := range l.Attempts {
		if a.StartedAt.IsZero() || a.EndedAt.Before(a.StartedAt) {
			continue // it never started, or has not ended
		}
		if r.zero.IsZero() {
			r.zero = a.StartedAt
		}
		if a.StartedAt.Sub(r.zero) < -mostSpan || a.EndedAt.Sub(r.zero) > mostSpan {
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
			task.done = a.EndedAt.Sub(r.zero)
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
	if task.done >= 0 {
		task.doomed = nil
	}
	r.h.tasks = append(r.h.tasks, task)
	return nil
}

// target is the place of the letter's target: the host of its URL, else its type.
func (r *historyReader) target(l *letter) int {
	name := l.Type
	if l.Target != nil {
		if u, err := url.Parse(l.Target.URL); err == nil && u.Host != "" {
			name = u.Host
		}
	}
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

// history puts everything in the order of time, from the first attempt on.
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
		slices.SortStableFunc(notes, func(a, b observation) int { return cmp.Compare(a.at, b.at) })
	}
	for i := range h.tasks {
		t := &h.tasks[i]
		t.due -= first
		if t.done >= 0 {
			t.done -= first
		}
	}
	slices.SortStableFunc(h.tasks, func(a, b recordedTask) int { return cmp.Compare(a.due, b.due) })
	return h, nil
}

// Tasks is how many tasks can be replayed.
func (h *History) Tasks() int { return len(h.tasks) }

// Outage is a time in which all recorded attempts to a target failed.
type Outage struct {
	Target   string    `json:"target"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"` // of the first attempt after it that worked; of the last failure when none did
	Ended    bool      `json:"ended"`
	Attempts int       `json:"attempts"` // that failed in it
}

// Outages returns the times in which a target answered nothing, those of at least
// the given length, in the order of targets and time.
func (h *History) Outages(least time.Duration) []Outage {
	var all []Outage
	for i := range h.targets {
		t := &h.targets[i]
		for from := 0; from < len(t.notes); {
			if t.notes[from].verdict == nil {
				from++
				continue
			}
			to := from
			for to < len(t.notes) && t.notes[to].verdict != nil {
				to++
			}
			ended := to < len(t.notes)
			end := t.notes[min(to, len(t.notes)-1)].at
			if end-t.notes[from].at >= least {
				all = append(all, Outage{t.name, h.begin.Add(t.notes[from].at), h.begin.Add(end), ended, to - from})
			}
			from = to
		}
	}
	return all
}

// at is the observation that speaks for a time; nil when none does.
func (o *observed) at(t time.Duration) *observation {
	i, _ := slices.BinarySearchFunc(o.notes, t, func(n observation, t time.Duration) int { return cmp.Compare(n.at, t) })
	var best *observation
	for _, j := range []int{i - 1, i} {
		if j < 0 || j >= len(o.notes) {
			continue
		}
		n := &o.notes[j]
		if distance(n.at, t) <= HistoryReach && (best == nil || distance(n.at, t) < distance(best.at, t)) {
			best = n
		}
	}
	return best
}

// distance is how far two times are apart. They must not be more than a century.
func distance(a, b time.Duration) time.Duration { return max(a-b, b-a) }
