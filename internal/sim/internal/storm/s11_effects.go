package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// effects lets a server crash after it has done its work, before it answers.
func effects() *Scenario {
	return &Scenario{
		ID:     "S11",
		Name:   "Effects",
		Shows:  "What may have happened is not repeated without a key; with one, it happens exactly once.",
		Source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header-07",
		Parameters: []parameter{
			{"load", "200 calls/s in the mean, 20 s; each wants one effect"},
			{"server", "loses one connection in ten before the effect, one in ten after it"},
			{"attempts", "4, full jitter 50 ms × 2"},
		},
		Own:      world.Plain("without a key", effectOptions(retry.NotIdempotent())...),
		Contrast: world.Plain("repeats everything", effectOptions()...),
		Storm:    func(w *world.World, k world.Kit) { effectStorm(w, k, false) },
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

func effectStorm(w *world.World, k world.Kit, keyed bool) *ledger {
	l := &ledger{keyed: keyed}
	s := &world.Server{Latency: 5 * time.Millisecond, Work: l.work}
	load := &world.Stream{Clients: world.Fleet(w, 1, k, s), Rate: 200, Until: 20 * time.Second}
	load.Shape = func(_ *world.World, c *world.Call) {
		c.Key = len(l.effects)
		l.effects = append(l.effects, 0)
	}
	load.Start(w)
	return l
}

// work has the effect, unless it crashes before, or has seen the key.
func (l *ledger) work(w *world.World, a *world.Attempt) *retry.Verdict {
	fate := w.Faults.Float64()
	if fate < 0.1 {
		return &world.Broken
	}
	if done := &l.effects[a.Call.Key]; !l.keyed || *done == 0 {
		*done++
	}
	if fate < 0.2 {
		return &world.Broken
	}
	return nil
}

func (t *trial) effects(k world.Kit, keyed, control bool) (twice, never float64) {
	var l *ledger
	r := t.run(k, func(w *world.World, k world.Kit) { l = effectStorm(w, k, keyed) })
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
	twice, never := t.effects(world.Plain("with a key", effectOptions()...), true, false)
	t.atMost("with a key: more than one effect", twice, 0, "calls")
	t.atMost("with a key: no effect", never, 5, "calls") // four attempts in a row: 0.2⁴ end badly, few without effect
	twice, _ = t.effects(world.Plain("repeats everything", effectOptions()...), false, true)
	t.atLeast("control, repeats everything: more than one effect", twice, 100, "calls")
}
