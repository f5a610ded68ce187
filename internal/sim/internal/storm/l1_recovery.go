package storm

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// learnedRecovery compares ways to probe a target that has outages again and
// again. All of them stop calling it after the same three failures in a row;
// they differ in when they try again.
func learnedRecovery() *Scenario {
	return &Scenario{
		ID:     "L1",
		Name:   "Learned recovery",
		Shows:  "A breaker that knows how long a target's outages last puts its probes where they tend to end: far fewer of them, and within 5 % of the time to recovery. The end of long outages it notices later than frequent probes do.",
		Source: "P-RET 8; lengths are ours: restarts, failovers, and both",
		Parameters: []parameter{
			{"load", "1 call/s, one instance"},
			{"outages", "300 in sequence, 90 s apart (±50 %), refused after 5 ms; the first 50 are for learning"},
			{"time to recovery", "from the beginning of an outage to the first attempt that works"},
			{"late", "from the end of an outage to that attempt"},
			{"short", "lognormal, median 20 s, σ 0.4"},
			{"long", "lognormal, median 10 min, σ 0.4"},
			{"mixed", "three short ones to one long one"},
			{"controls", "full-jitter exponential probes 1 s × 2 up to 60 s; probes every 5 s ± 25 %"},
		},
		Tabled:   []string{NoticedLate, "probes wasted per outage"},
		Own:      probing("learned", withOutages()),
		Contrast: probing("fixed 5 s", world.WithBreaker(retry.BreakerConfig{Consecutive: 3, OpenFor: 5 * time.Second, OpenMax: 5 * time.Second, Ramp: -1})),
		Storm:    recurring(mixedOutages),
		play:     playLearnedRecovery,
	}
}

func playLearnedRecovery(t *trial) {
	for _, mix := range []struct {
		name   string
		length func(r *rand.Rand) time.Duration
	}{{"short", shortOutages}, {"long", longOutages}, {"mixed", mixedOutages}} {
		ours := t.probes(t.own, mix.name, mix.length)
		for _, other := range []world.Kit{
			probing("full jitter", peer.WithBackoffProbes(time.Second, time.Minute)),
			probing("fixed 5 s", world.WithBreaker(retry.BreakerConfig{Consecutive: 3, OpenFor: 5 * time.Second, OpenMax: 5 * time.Second, Ramp: -1})),
		} {
			base := t.probes(other, mix.name, mix.length)
			t.atMost(mix.name+": time to recovery over "+other.Name, ours.recovery/base.recovery, 1.05, "")
			t.atMost(mix.name+": wasted probes over "+other.Name, ours.wasted/base.wasted, 0.7, "")
		}
	}
}

// probes plays a mix and counts.
func (t *trial) probes(k world.Kit, mix string, length func(*rand.Rand) time.Duration) *probeCount {
	count := &probeCount{}
	k.Name = mix + ", " + k.Name
	r := t.run(k, func(w *world.World, k world.Kit) { recurringCounted(w, k, length, count) })
	count.finish()
	r.note("outage until noticed to be over, mean", count.recovery, "s")
	r.note(NoticedLate, count.late, "s")
	r.note("probes wasted per outage", count.wasted, "")
	r.note("attempts wasted per outage", count.all, "")
	return count
}

const NoticedLate = "noticed late, mean"

func probing(name string, breaker func(*world.Kit)) world.Kit {
	return world.Plain(name, retry.Attempts(1)).With(name, breaker)
}

// withOutages is the real breaker with a history.
func withOutages() func(*world.Kit) {
	return func(k *world.Kit) {
		k.Breaker = func(w *world.World) world.Breaker {
			return world.RealBreaker{Breaker: world.Must(retry.NewBreaker(retry.BreakerConfig{
				Consecutive: 3, Ramp: -1, Rand: w.Jitter, Outages: retry.NewOutages(retry.OutagesConfig{}),
			}))}
		}
	}
}

func shortOutages(r *rand.Rand) time.Duration { return lognormal(r, 20*time.Second, 0.4) }
func longOutages(r *rand.Rand) time.Duration  { return lognormal(r, 10*time.Minute, 0.4) }

func mixedOutages(r *rand.Rand) time.Duration {
	if r.IntN(4) == 0 {
		return longOutages(r)
	}
	return shortOutages(r)
}

func lognormal(r *rand.Rand, median time.Duration, sigma float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64()))
}

const (
	outagesInSequence = 300
	outagesToLearn    = 50
)

func recurring(length func(*rand.Rand) time.Duration) storm {
	return func(w *world.World, k world.Kit) { recurringCounted(w, k, length, &probeCount{}) }
}

func recurringCounted(w *world.World, k world.Kit, length func(*rand.Rand) time.Duration, count *probeCount) {
	w.Meter.Width = 10 * time.Second
	s := &world.Server{Latency: 5 * time.Millisecond}
	at := time.Duration(0)
	for range outagesInSequence {
		at += time.Duration((0.5 + w.Faults.Float64()) * float64(90*time.Second))
		f := world.Outage(at, length(w.Faults))
		s.Faults.Add(f)
		at = f.To
	}
	w.End = at + 90*time.Second
	count.faults, count.to = s.Faults.List, s
	(&world.Stream{Clients: world.Fleet(w, 1, k, count), Rate: 1, Until: w.End}).Start(w)
}

// probeCount stands in front of a server and counts what is wasted on outages,
// and how long after each end an attempt comes.
type probeCount struct {
	to     world.Backend
	faults []*world.Fault
	next   int // the outage that is to come, under way, or not noticed to be over
	tries  int // in it
	ended  int

	recovery, late, wasted, all float64
}

func (p *probeCount) Take(w *world.World, a *world.Attempt) {
	p.to.Take(w, a)
	if p.next == len(p.faults) || w.Now < p.faults[p.next].From {
		return
	}
	f := p.faults[p.next]
	if w.Now < f.To {
		p.tries++
		return
	}
	if p.next++; p.next > outagesToLearn {
		p.ended++
		p.recovery += (w.Now - f.From).Seconds()
		p.late += (w.Now - f.To).Seconds()
		p.all += float64(p.tries)
		p.wasted += float64(max(0, p.tries-3))
	}
	p.tries = 0
}

func (p *probeCount) finish() {
	n := float64(max(1, p.ended))
	p.recovery, p.late, p.all, p.wasted = p.recovery/n, p.late/n, p.all/n, p.wasted/n
}
