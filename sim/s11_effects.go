package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// effects lets a server crash after it has done its work, before it answers.
func effects() *Scenario {
	return &Scenario{
		ID:     "S11",
		Name:   "Effects",
		Shows:  "What may have happened is not repeated without a key; with one, it happens exactly once.",
		Source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header-07",
		Parameters: []Parameter{
			{"load", "200 calls/s in the mean, 20 s; each wants one effect"},
			{"server", "loses one connection in ten before the effect, one in ten after it"},
			{"attempts", "4, full jitter 50 ms × 2"},
		},
		own:      plain("without a key", effectOptions(retry.NotIdempotent())...),
		contrast: plain("repeats everything", effectOptions()...),
		storm:    func(w *world, k kit) { effectStorm(w, k, false) },
		play:     playEffects,
	}
}

func effectOptions(more ...retry.Option) []retry.Option {
	return append([]retry.Option{retry.Attempts(4), retry.Exponential(50*time.Millisecond, 2, time.Second)}, more...)
}

// ledger counts effects by the key of the call.
type ledger struct {
	keyed   bool
	effects []int
}

func effectStorm(w *world, k kit, keyed bool) *ledger {
	l := &ledger{keyed: keyed}
	s := &server{latency: 5 * time.Millisecond, work: l.work}
	load := &stream{clients: fleet(w, 1, k, s), rate: 200, until: 20 * time.Second}
	load.shape = func(_ *world, c *call) {
		c.key = len(l.effects)
		l.effects = append(l.effects, 0)
	}
	load.start(w)
	return l
}

// work has the effect, unless it crashes before, or has seen the key.
func (l *ledger) work(w *world, a *attempt) *retry.Verdict {
	fate := w.faults.Float64()
	if fate < 0.1 {
		return &broken
	}
	if done := &l.effects[a.call.key]; !l.keyed || *done == 0 {
		*done++
	}
	if fate < 0.2 {
		return &broken
	}
	return nil
}

func (t *trial) effects(k kit, keyed, control bool) (twice, never float64) {
	var l *ledger
	r := t.run(k, func(w *world, k kit) { l = effectStorm(w, k, keyed) })
	t.report.Variants[r.index].Control = control
	for _, n := range l.effects {
		switch {
		case n > 1:
			twice++
		case n == 0:
			never++
		}
	}
	r.note("more than one effect", twice, "calls")
	r.note("no effect", never, "calls")
	return twice, never
}

func playEffects(t *trial) {
	twice, _ := t.effects(t.own, false, false)
	t.atMost("without a key: more than one effect", twice, 0, "calls")
	twice, never := t.effects(plain("with a key", effectOptions()...), true, false)
	t.atMost("with a key: more than one effect", twice, 0, "calls")
	t.atMost("with a key: no effect", never, 5, "calls") // four attempts in a row: 0.2⁴ end badly, few without effect
	twice, _ = t.effects(plain("repeats everything", effectOptions()...), false, true)
	t.atLeast("control, repeats everything: more than one effect", twice, 100, "calls")
}
