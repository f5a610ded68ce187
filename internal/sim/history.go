package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
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

	begin    time.Time
	targets  []observed
	tasks    []recordedTask
	policies []*retry.Policy // that tasks have of their own
	waits    world.Histogram // between attempts
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
	end      recordedEnd
	done     time.Duration // when it succeeded, if it did

	policy   int           // its own, -1 for none
	name     string        // of that
	most     int           // attempts, whatever the policy says; 0 for none
	timeout  time.Duration // of an attempt; 0 for none
	deadline time.Duration // since the beginning of the history
	limited  bool          // there is a deadline
}

// recordedEnd is how far a task had come when it was recorded.
type recordedEnd uint8

const (
	endFailed   recordedEnd = iota
	endWorked               // it succeeded
	endCanceled             // somebody did not want it any more
	endOpen                 // it was pending or running
)

// Tasks is how many tasks can be replayed.
func (h *History) Tasks() int { return len(h.tasks) }

// Targets is how many targets they call.
func (h *History) Targets() int { return len(h.targets) }

// Begin is when the first attempt began.
func (h *History) Begin() time.Time { return h.begin.UTC() }

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
