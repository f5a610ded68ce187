package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// retryAfterHerd gives everybody the same Retry-After at the same time.
func retryAfterHerd() *Scenario {
	return &Scenario{
		ID:     "S9",
		Name:   "Retry-After herd",
		Shows:  "A server's hint is kept to by all and still spreads them out.",
		Source: "RFC 9110 §10.2.3; Envoy spreads a hint i over [i, 1.5 i]",
		Parameters: []Parameter{
			{"clients", "5000 get 429 with Retry-After: 2 at 0, and are served then"},
			{"early", "attempts before 2 s"},
			{"peak", "attempts in the fullest 100 ms"},
		},
		own:   hintKit("ours"),
		storm: hintStorm,
		play:  playRetryAfter,
	}
}

const hintedClients = 5000

func hintKit(name string) kit {
	return plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func hintStorm(w *world, k kit) {
	tooMany := &retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: 2 * time.Second}, Code: "429"}
	s := &server{latency: time.Millisecond}
	s.faults.add(&fault{to: time.Second, ill: refuses, verdict: tooMany})
	w.end = 10 * time.Second
	(&crowd{clients: fleet(w, hintedClients, k, s), each: 1}).start(w)
}

func (t *trial) hinted(k kit, control bool) (early, peak float64) {
	r := t.run(k, hintStorm)
	t.report.Variants[r.index].Control = control
	early = float64(r.total(100*time.Millisecond, 2*time.Second).attempts)
	for _, b := range r.between(100*time.Millisecond, 0) {
		peak = max(peak, float64(b.attempts))
	}
	r.note("early", early, "")
	r.note("peak", peak, "")
	return early, peak
}

func playRetryAfter(t *trial) {
	early, peak := t.hinted(t.own, false)
	t.atMost("early", early, 0, "")
	t.atMost("peak", peak, 2.2*hintedClients/10, "") // 2.2 N / (0.5 · 2 s) in 100 ms
	early, _ = t.hinted(hintKit("").with("± 25 % around the hint", hinting(0.75, 0.5)), true)
	t.atLeast("control, ± 25 % around the hint: early", early, 0.4*hintedClients, "")
	_, peak = t.hinted(hintKit("").with("exactly the hint", hinting(1, 0)), true)
	t.atLeast("control, exactly the hint: peak", peak, hintedClients, "")
}

// hinting waits low to low + width times the hint, as other libraries do.
func hinting(low, width float64) func(*kit) {
	return func(k *kit) {
		policy := k.policy
		k.repeat = func(f retry.Failure, r retry.Rand) retry.Repetition {
			next := policy.Repeat(f, r)
			if hint := f.Verdict.Hint.After; hint > 0 {
				next.Delay = time.Duration((low + width*r.Float64()) * float64(hint))
			}
			return next
		}
	}
}
