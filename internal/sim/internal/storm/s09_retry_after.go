package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// retryAfterHerd gives everybody the same Retry-After at the same time.
func retryAfterHerd() *Scenario {
	return &Scenario{
		ID:     "S9",
		Name:   "Retry-After herd",
		Shows:  "A server's hint is kept to by all and still spreads them out.",
		Source: "RFC 9110 §10.2.3; Envoy spreads a hint i over [i, 1.5 i]",
		Parameters: []parameter{
			{"clients", "5000 get 429 with Retry-After: 2 at 0, and are served then"},
			{"early", "attempts before 2 s"},
			{"peak", "attempts in the fullest 100 ms"},
		},
		Own:   hintKit("ours"),
		Storm: hintStorm,
		play:  playRetryAfter,
	}
}

const hintedClients = 5000

func hintKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func hintStorm(w *world.World, k world.Kit) {
	tooMany := &retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: 2 * time.Second}, Code: "429"}
	s := &world.Server{Latency: time.Millisecond}
	s.Faults.Add(&world.Fault{To: time.Second, Ill: world.Refuses, Verdict: tooMany})
	w.End = 10 * time.Second
	(&world.Crowd{Clients: world.Fleet(w, hintedClients, k, s), Each: 1}).Start(w)
}

func (t *trial) hinted(k world.Kit, control bool) (early, peak float64) {
	r := t.run(k, hintStorm)
	t.report.Variants[r.index].Control = control
	early = float64(r.Total(100*time.Millisecond, 2*time.Second).Attempts)
	for _, b := range r.Between(100*time.Millisecond, 0) {
		peak = max(peak, float64(b.Attempts))
	}
	r.note("early", early, "")
	r.note("peak", peak, "")
	return early, peak
}

func playRetryAfter(t *trial) {
	early, peak := t.hinted(t.own, false)
	t.atMost("early", early, 0, "")
	t.atMost("peak", peak, 2.2*hintedClients/10, "") // 2.2 N / (0.5 · 2 s) in 100 ms
	early, _ = t.hinted(hintKit("").With("± 25 % around the hint", hinting(0.75, 0.5)), true)
	t.atLeast("control, ± 25 % around the hint: early", early, 0.4*hintedClients, "")
	_, peak = t.hinted(hintKit("").With("exactly the hint", hinting(1, 0)), true)
	t.atLeast("control, exactly the hint: peak", peak, hintedClients, "")
}

// hinting waits low to low + width times the hint, as other libraries do.
func hinting(low, width float64) func(*world.Kit) {
	return func(k *world.Kit) {
		policy := k.Policy
		k.Repeat = func(f retry.Failure, r retry.Rand) retry.Repetition {
			next := policy.Repeat(f, r)
			if hint := f.Verdict.Hint.After; hint > 0 {
				next.Delay = time.Duration((low + width*r.Float64()) * float64(hint))
			}
			return next
		}
	}
}
