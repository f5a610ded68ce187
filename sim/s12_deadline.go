package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// deadline gives calls a second in which only one attempt fits.
func deadline() *Scenario {
	return &Scenario{
		ID:     "S12",
		Name:   "Deadline",
		Shows:  "A retry that cannot end in time is not made, and not waited for; what went wrong is told at once.",
		Source: "waits into the deadline and clipped last attempts of other libraries, by reading their source",
		Parameters: []Parameter{
			{"load", "100 calls/s in the mean, 20 s, deadline 1 s"},
			{"attempts", "take 400 ms; nine in ten fail; wait 300 ms"},
			{"hopeless", "attempts that begin later than 600 ms"},
			{"told", "longest time from the last failure to the end of the call"},
		},
		own:      plain("ours", deadlineOptions()...),
		contrast: plain("", deadlineOptions()...).with("does not look at the deadline", withoutDeadline),
		storm:    func(w *world, k kit) { deadlineStorm(w, k) },
		play:     playDeadline,
	}
}

func deadlineOptions() []retry.Option {
	return []retry.Option{retry.Attempts(5), retry.Fixed(300 * time.Millisecond), retry.NoJitter()}
}

// timekeeper stands before a server and looks at when attempts begin and end.
type timekeeper struct {
	to       backend
	hopeless int
	told     time.Duration
	lost     int // calls whose last error is not the real one
}

func (k *timekeeper) take(w *world, a *attempt) {
	if w.now-a.call.started > 600*time.Millisecond {
		k.hopeless++
	}
	k.to.take(w, a)
}

func deadlineStorm(w *world, k kit) *timekeeper {
	const took = 400 * time.Millisecond
	s := &server{latency: took}
	s.faults.add(&fault{to: time.Hour, ill: fails, verdict: &unavailable, latency: took, share: 0.9})
	keeper := &timekeeper{to: s}
	w.onEnd = func(c *call) {
		if c.ok {
			return
		}
		keeper.told = max(keeper.told, w.now-c.failed)
		if c.last != &unavailable {
			keeper.lost++
		}
	}
	(&stream{clients: fleet(w, 1, k, keeper), rate: 100, until: 20 * time.Second, deadline: time.Second}).start(w)
	return keeper
}

func (t *trial) deadline(k kit, control bool) *timekeeper {
	var keeper *timekeeper
	r := t.run(k, func(w *world, k kit) { keeper = deadlineStorm(w, k) })
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
	blind := t.deadline(plain("", deadlineOptions()...).with("does not look at the deadline", withoutDeadline), true)
	t.atLeast("control, does not look at the deadline: hopeless attempts", float64(blind.hopeless), 500, "")
	t.atLeast("control, does not look at the deadline: last error lost", float64(blind.lost), 500, "calls")
}

// withoutDeadline decides as if there were none, and loses the last error to it.
func withoutDeadline(k *kit) {
	k.forgets = true
	policy := k.policy
	k.repeat = func(f retry.Failure, r retry.Rand) retry.Repetition {
		f.Deadline = time.Time{}
		return policy.Repeat(f, r)
	}
}
