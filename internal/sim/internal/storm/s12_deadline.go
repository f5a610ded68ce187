package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// deadline gives calls a second in which only one attempt fits.
func deadline() *Scenario {
	return &Scenario{
		ID:     "S12",
		Name:   "Deadline",
		Shows:  "A retry that cannot end in time is not made, and not waited for; what went wrong is told at once.",
		Source: "waits into the deadline and clipped last attempts of other libraries, by reading their source",
		Parameters: []parameter{
			{"load", "100 calls/s in the mean, 20 s, deadline 1 s"},
			{"attempts", "take 400 ms; nine in ten fail; wait 300 ms"},
			{"hopeless", "attempts that begin later than 600 ms"},
			{"told", "longest time from the last failure to the end of the call"},
		},
		Own:      world.Plain("ours", deadlineOptions()...),
		Contrast: world.Plain("", deadlineOptions()...).With("does not look at the deadline", withoutDeadline),
		Storm:    func(w *world.World, k world.Kit) { deadlineStorm(w, k) },
		play:     playDeadline,
	}
}

func deadlineOptions() []retry.Option {
	return []retry.Option{retry.Attempts(5), retry.Fixed(300 * time.Millisecond), retry.NoJitter()}
}

// timekeeper stands before a server and looks at when attempts begin and end.
type timekeeper struct {
	to       world.Backend
	hopeless int
	told     time.Duration
	lost     int // calls whose last error is not the real one
}

func (k *timekeeper) Take(w *world.World, a *world.Attempt) {
	if w.Now-a.Call.Started > 600*time.Millisecond {
		k.hopeless++
	}
	k.to.Take(w, a)
}

func deadlineStorm(w *world.World, k world.Kit) *timekeeper {
	const took = 400 * time.Millisecond
	s := &world.Server{Latency: took}
	s.Faults.Add(&world.Fault{To: time.Hour, Ill: world.Fails, Verdict: &world.Unavailable, Latency: took, Share: 0.9})
	keeper := &timekeeper{to: s}
	w.OnEnd = func(c *world.Call) {
		if c.OK {
			return
		}
		keeper.told = max(keeper.told, w.Now-c.Failed)
		if c.Last != &world.Unavailable {
			keeper.lost++
		}
	}
	(&world.Stream{Clients: world.Fleet(w, 1, k, keeper), Rate: 100, Until: 20 * time.Second, Deadline: time.Second}).Start(w)
	return keeper
}

func (t *trial) deadline(k world.Kit, control bool) *timekeeper {
	var keeper *timekeeper
	r := t.run(k, func(w *world.World, k world.Kit) { keeper = deadlineStorm(w, k) })
	t.report.Variants[r.index].Control = control
	r.note("hopeless", float64(keeper.hopeless), "")
	r.note("told", keeper.told.Seconds(), "s")
	r.note("last error lost", float64(keeper.lost), "calls")
	return keeper
}

func playDeadline(t *trial) {
	ours := t.deadline(t.own, false)
	t.atMost("hopeless attempts", float64(ours.hopeless), 0, "")
	t.atMost("told after", ours.told.Seconds(), 0.005, "s")
	t.atMost("last error lost", float64(ours.lost), 0, "calls")
	blind := t.deadline(world.Plain("", deadlineOptions()...).With("does not look at the deadline", withoutDeadline), true)
	t.atLeast("control, does not look at the deadline: hopeless attempts", float64(blind.hopeless), 500, "")
	t.atLeast("control, does not look at the deadline: last error lost", float64(blind.lost), 500, "calls")
}

// withoutDeadline decides as if there were none, and loses the last error to it.
func withoutDeadline(k *world.Kit) {
	k.Forgets = true
	policy := k.Policy
	k.Repeat = func(f retry.Failure, r retry.Rand) retry.Repetition {
		f.Deadline = time.Time{}
		return policy.Repeat(f, r)
	}
}
