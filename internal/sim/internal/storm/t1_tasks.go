package storm

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
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
		Parameters: []parameter{
			{"load", "200 tasks/s in the mean, 5 nodes, 420 s; the default policy, attempts 1 s"},
			{"server", "FIFO, 300 requests/s in the mean, exponential; does not know whose caller has gone"},
			{"outage", "from 20 s to 80 s; refused: answered with an error after 5 ms; held: its packets arrive when it ends; lost: they never do; half: half the capacity"},
			{"drained", "from the end of the outage until no more than 200 tasks have not ended; what the server has to spare takes 120 s for those of a minute"},
		},
		Own:      world.Plain("guards of the default policy", retry.PerAttempt(time.Second)).With("guards of the default policy", world.AsTasks),
		Contrast: unguardedTasks(),
		Storm:    tasksStorm(world.Refuses),
		play:     playTasks,
		Tabled:   []string{"drained", "most at the server", "dead"},
	}
}

func unguardedTasks() world.Kit {
	return world.Plain("no guards", retry.PerAttempt(time.Second), retry.TaskBreaker(nil), retry.TaskBudget(nil)).With("no guards", world.AsTasks)
}

const (
	tasksFrom = 20 * time.Second
	tasksTo   = 80 * time.Second
	tasksEnd  = 420 * time.Second
	tasksRate = 200
)

func tasksStorm(kind world.Ill) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Rate: 300, Random: true}
		s.Faults.Add(&world.Fault{From: tasksFrom, To: tasksTo, Ill: kind, Verdict: &world.Unavailable, Latency: 5 * time.Millisecond, Share: 0.5})
		w.Meter.Trigger = world.Trigger{From: tasksFrom, To: tasksTo}
		w.End = tasksEnd
		(&world.Stream{Clients: world.Fleet(w, 5, k, s.Start(w)), Rate: tasksRate, Until: w.End}).Start(w)
	}
}

// drained is when the backlog of the outage is gone, in seconds after it; infinite for
// never.
func (r *run) drained() float64 {
	waiting := int32(0)
	for i, b := range r.Bins {
		waiting += b.Offered - b.Good - b.Failed
		if at := time.Duration(i+1) * r.Width; at > tasksTo && waiting <= tasksRate {
			return (at - tasksTo).Seconds()
		}
	}
	return math.Inf(1)
}

func (t *trial) tasks(k world.Kit, kind world.Ill) *run {
	r := t.run(k, tasksStorm(kind))
	r.noteTime("drained", r.drained())
	r.note("most at the server", float64(r.MostInFlight), "")
	r.note("dead", float64(r.Total(0, 0).Failed), "")
	return r
}

func playTasks(t *trial) {
	for _, storm := range []struct {
		name    string
		kind    world.Ill
		most    float64 // attempts during the outage, by task offered
		drained float64
	}{{"refused", world.Refuses, 0.1, 300}, {"held", world.Holds, 0.1, 300}, {"lost", world.Hangs, 0.1, 300}, {"half the capacity", world.Limps, 1, 60}} {
		r := t.tasks(t.own.With(storm.name+", "+t.own.Name), storm.kind)
		t.atMost(storm.name+": attempts during the outage, by task", r.Amplification(tasksFrom, tasksTo), storm.most, "")
		t.atMost(storm.name+": drained", r.drained(), storm.drained, "s")
		t.atMost(storm.name+": dead tasks", float64(r.Total(0, 0).Failed), 0, "")
	}
	none := t.tasks(unguardedTasks().With("refused, no guards"), world.Refuses)
	t.report.Variants[none.index].Control = true
	t.atLeast("control, no guards: attempts during the outage, by task", none.Amplification(tasksFrom, tasksTo), 2, "")
	t.atLeast("control, no guards: dead tasks", float64(none.Total(0, 0).Failed), 100, "")
}
