package sim

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// tasksOfNodes lets nodes of the engine go through an outage: their tasks are not
// given up, so that a minute of them is waiting when the server is back.
func tasksOfNodes() *Scenario {
	return &Scenario{
		ID:     "T1",
		Name:   "Tasks behind an outage",
		Shows:  "Guards hold the tasks of an outage back with a few probes, and none dies. Their price is time: the end is noticed late, and the limits of the nodes share the server unevenly.",
		Source: "retry.md §6; the agenda and the guards are the engine's own",
		Parameters: []Parameter{
			{"load", "200 tasks/s in the mean, 5 nodes, 420 s; the default policy, attempts 1 s"},
			{"server", "FIFO, 300 requests/s in the mean, exponential; does not know whose caller has gone"},
			{"outage", "from 20 s to 80 s; refused: answered with an error after 5 ms; held: its packets arrive when it ends; lost: they never do; half: half the capacity"},
			{"drained", "from the end of the outage until no more than 200 tasks have not ended; what the server has to spare takes 120 s for those of a minute"},
		},
		own:      plain("guards of the default policy", retry.PerAttempt(time.Second)).with("guards of the default policy", asTasks),
		contrast: unguardedTasks(),
		storm:    tasksStorm(refuses),
		play:     playTasks,
		tabled:   []string{"drained", "most at the server", "dead"},
	}
}

func unguardedTasks() kit {
	return plain("no guards", retry.PerAttempt(time.Second), retry.TaskBreaker(nil), retry.TaskBudget(nil)).with("no guards", asTasks)
}

const (
	tasksFrom = 20 * time.Second
	tasksTo   = 80 * time.Second
	tasksEnd  = 420 * time.Second
	tasksRate = 200
)

func tasksStorm(kind ill) storm {
	return func(w *world, k kit) {
		s := &server{rate: 300, random: true}
		s.faults.add(&fault{from: tasksFrom, to: tasksTo, ill: kind, verdict: &unavailable, latency: 5 * time.Millisecond, share: 0.5})
		w.meter.trigger = trigger{tasksFrom, tasksTo}
		w.end = tasksEnd
		(&stream{clients: fleet(w, 5, k, s.start(w)), rate: tasksRate, until: w.end}).start(w)
	}
}

// drained is when the backlog of the outage is gone, in seconds after it; infinite for
// never.
func (r *run) drained() float64 {
	waiting := int32(0)
	for i, b := range r.bins {
		waiting += b.offered - b.good - b.failed
		if at := time.Duration(i+1) * r.width; at > tasksTo && waiting <= tasksRate {
			return (at - tasksTo).Seconds()
		}
	}
	return math.Inf(1)
}

func (t *trial) tasks(k kit, kind ill) *run {
	r := t.run(k, tasksStorm(kind))
	r.noteTime("drained", r.drained())
	r.note("most at the server", float64(r.mostInFlight), "")
	r.note("dead", float64(r.total(0, 0).failed), "")
	return r
}

func playTasks(t *trial) {
	for _, storm := range []struct {
		name    string
		kind    ill
		most    float64 // attempts during the outage, by task offered
		drained float64
	}{{"refused", refuses, 0.1, 300}, {"held", holds, 0.1, 300}, {"lost", hangs, 0.1, 300}, {"half the capacity", limps, 1, 60}} {
		r := t.tasks(t.own.with(storm.name+", "+t.own.name), storm.kind)
		t.atMost(storm.name+": attempts during the outage, by task", r.amplification(tasksFrom, tasksTo), storm.most, "")
		t.atMost(storm.name+": drained", r.drained(), storm.drained, "s")
		t.atMost(storm.name+": dead tasks", float64(r.total(0, 0).failed), 0, "")
	}
	none := t.tasks(unguardedTasks().with("refused, no guards"), refuses)
	t.report.Variants[none.index].Control = true
	t.atLeast("control, no guards: attempts during the outage, by task", none.amplification(tasksFrom, tasksTo), 2, "")
	t.atLeast("control, no guards: dead tasks", float64(none.total(0, 0).failed), 100, "")
}
