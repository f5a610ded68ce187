package storm

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// synchronousCohort looks at what each jitter leaves of the synchrony of clients
// that failed together, and at how they get through a contended write.
func synchronousCohort() *Scenario {
	return &Scenario{
		ID:     "S1",
		Name:   "Synchronous cohort",
		Shows:  "Clients that failed together come back together, unless the jitter is full; with it, they also get through contention with the least work.",
		Source: "spectrum of retry times in closed form; Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015) and its simulator",
		Parameters: []parameter{
			{"cohort", "10 000 clients (ours 40 000, for less noise) fail at 0 and at every attempt; waits 100, 200, 400, 800 ms"},
			{"guards", "none, also of policies that ask for some: only waits are looked at"},
			{"share", "of the cohort in the fullest 10 ms, all waves"},
			{"line", "power at 10 Hz of all four waves, 1 for clients in step"},
			{"coherence", "power at 1/mean of the first wave: the synchrony that one retry leaves"},
			{"contention", "100 clients write one row with a version; network |N(10, 2)| ms each way; 5 ms × 2ⁿ up to 2 s; mean of 8 trials"},
		},
		Own:      cohortKit("full", retry.FullJitter()),
		Contrast: cohortKit("no jitter", retry.NoJitter()),
		Storm:    cohortStorm,
		play: func(t *trial) {
			playCohort(t)
			playContention(t)
		},
	}
}

const cohortSize = 10_000

func cohortKit(name string, j retry.Option) world.Kit {
	return world.Plain(name, retry.Attempts(5), retry.Exponential(100*time.Millisecond, 2, 0), j)
}

// jitters with the values in closed form: the line of four waves, and the
// coherence. Of a draw X·d, the first is the square of the mean over the waves of
// the products of characteristic functions, the second |φ(1/mean)|².
var jitters = []struct {
	name            string
	option          retry.Option
	line, coherence float64
}{
	{"±50 %", retry.Proportional(0.5), 0, 0},
	{"equal", retry.EqualJitter(), 0.0253, 0.171},
	{"±25 %", retry.Proportional(0.25), 0.0253, 0.405},
	{"beta 0.3 to 0.7", retry.Beta(0.3, 0.7), 0.097, 0.245},
	{"±20 %", retry.Proportional(0.2), 0.0512, 0.573},
	{"±10 %", retry.Proportional(0.1), 0.198, 0.875},
	{"±5 %", retry.Proportional(0.05), 0.477, 0.968},
	{"decorrelated", retry.Decorrelated(), math.NaN(), math.NaN()},
}

func playCohort(t *trial) {
	own := t.cohort(t.own, 4*cohortSize, false)
	t.atMost("share of the cohort in 10 ms", own.share, 0.16, "")
	t.atMost("line at 10 Hz", own.line, 0.01, "")
	t.atMost("coherence", own.coherence, 0.05, "")
	worst := 0.0
	for _, j := range jitters {
		got := t.cohort(cohortKit(j.name, j.option), cohortSize, false)
		if !math.IsNaN(j.line) {
			worst = max(worst, math.Abs(got.line-j.line), math.Abs(got.coherence-j.coherence))
		}
	}
	t.atMost("farthest from the closed form, other jitters", worst, 2/math.Sqrt(cohortSize), "")
	none := t.cohort(cohortKit("none", retry.NoJitter()), cohortSize, true)
	t.atLeast("control, no jitter: share in 10 ms", none.share, 1, "")
	t.atLeast("control, no jitter: line at 10 Hz", none.line, 0.99, "")
	clamped := t.cohort(clampedKit(), cohortSize, true)
	t.atLeast("control, jitter clamped to the cap: coherence", clamped.coherence, 0.99, "")
}

// clampedKit jitters first and applies the cap afterwards, as many libraries do:
// at the cap, nothing of the jitter is left.
func clampedKit() world.Kit {
	clamp := retry.WithBackoff(retry.Fixed(100 * time.Millisecond))
	return world.Plain("clamped", retry.Attempts(5), clamp, retry.WithJitter(clampLast{retry.Additive(1), 100 * time.Millisecond}))
}

// clampLast cuts draws to a cap.
type clampLast struct {
	retry.Jitter
	cap time.Duration
}

func (j clampLast) Draw(w retry.Window, r retry.Rand) time.Duration {
	return min(j.Jitter.Draw(w, r), j.cap)
}

// cohortResult is what is left of the synchrony.
type cohortResult struct{ share, line, coherence float64 }

func (t *trial) cohort(k world.Kit, size int, control bool) cohortResult {
	var all, first spectrum
	k.Name = "cohort, " + k.Name
	r := t.run(k, func(w *world.World, k world.Kit) { cohortInto(w, k, size, &all, &first) })
	t.report.Variants[r.index].Control = control
	all.callers = size
	got := cohortResult{all.densest(10 * time.Millisecond), all.line(10), first.line(1 / first.mean())}
	r.note("share in 10 ms", got.share, "")
	r.note("line at 10 Hz", got.line, "")
	r.note("highest line, 10 to 50 Hz", all.highest(10, 50), "")
	r.note("coherence", got.coherence, "")
	return got
}

func cohortStorm(w *world.World, k world.Kit) { cohortInto(w, k, cohortSize, &spectrum{}, &spectrum{}) }

func cohortInto(w *world.World, k world.Kit, size int, all, first *spectrum) {
	w.Meter.Width = 10 * time.Millisecond
	to := world.Takes(func(w *world.World, a *world.Attempt) {
		a.Arrives(w)
		if a.Number > 1 {
			all.add(w.Now)
		}
		if a.Number == 2 {
			first.add(w.Now)
		}
		a.Answer(w, &world.Unavailable, 0)
	})
	one := world.NewClient(w, k.Unguarded(), to)
	clients := make([]*world.Client, size)
	for i := range clients {
		clients[i] = one
	}
	(&world.Crowd{Clients: clients, Each: 1}).Start(w)
}
