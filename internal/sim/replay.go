package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// Replay lets the tasks of a history run again, once with each contender, against
// targets that answer like the recorded ones. The first variant is what was
// recorded. Each target has guards of its own, as in the engine. A contender without a
// policy plays each task with its own, see [Recorded].
func Replay(h *History, seed uint64, contenders []Contender) *Comparison {
	return replay(nil, h, seed, contenders)
}

// ReplayUntil is [Replay] for those who do not wait for ever: over is asked now and
// then whether to give up. There is no comparison then, and an error.
func ReplayUntil(over func() bool, h *History, seed uint64, contenders []Contender) (*Comparison, error) {
	return untilOver(func() *Comparison { return replay(over, h, seed, contenders) })
}

func replay(over func() bool, h *History, seed uint64, contenders []Contender) *Comparison {
	begin := h.Begin()
	c := &Comparison{
		over: over, Begin: &begin,
		Name: "What if", Shows: "The recorded tasks under other policies, against targets that answer as they did.", Seed: seed,
	}
	c.Parameters = []Parameter{
		{"tasks", fmt.Sprintf("%d, and %d without an attempt that are left out", len(h.tasks), h.Skipped)},
		{"targets", fmt.Sprint(len(h.targets))},
		{"from", h.begin.UTC().Format(time.RFC3339)},
		{"outages of a second and more", fmt.Sprint(len(h.Outages(time.Second)))},
	}
	c.recorded(h)
	for i := range contenders {
		c.replay(h, seed, &contenders[i])
	}
	c.Coarsen(world.MostBins / world.PerSpan)
	return c
}

// recorded adds what happened.
func (c *Comparison) recorded(h *History) {
	w := world.New(0)
	w.Over = c.over
	m := w.Meter
	for i := range h.targets {
		for _, n := range h.targets[i].notes {
			w.At(n.at, witnessed(n.took), attemptArrives)
		}
	}
	failed, open := 0, 0
	for i := range h.tasks {
		t := &h.tasks[i]
		failed += t.failed
		m.Retries += int64(t.attempts - 1)
		m.Offered(t.due)
		if t.end == endOpen {
			open++
			continue
		}
		m.Ended(max(t.done, t.due), &world.Call{Started: t.due, OK: t.end == endWorked, End: t.reason()})
	}
	w.Run()
	v := c.add("as recorded", w)
	v.Figures = figuresOf(failed, 0, open, &h.waits)
}

// reason is why a recorded task ended badly.
func (t *recordedTask) reason() world.Reason {
	switch {
	case t.end == endCanceled:
		return world.DenyCanceled
	case t.doomed != nil:
		return world.DenyPermanent
	}
	return world.DenyAttempts
}

// witnessed is an attempt of that length that needs only to be counted.
type witnessed time.Duration

const (
	attemptArrives world.What = iota
	attemptLeaves
)

func (t witnessed) Happen(w *world.World, what world.What) {
	if what == attemptLeaves {
		w.Meter.Left()
		return
	}
	w.Meter.Arrived(w.Now, false)
	w.After(time.Duration(t), t, attemptLeaves)
}

// figuresOf are the figures of a variant: attempts that failed, those about which
// nothing is known, tasks that have not ended, and how long retries were waited for.
func figuresOf(wasted, guessed, open int, waits *world.Histogram) []Figure {
	wait := func(name string, q float64) Figure {
		return Figure{Name: name, Value: storm.Round(waits.Quantile(q).Seconds()), Unit: "s"}
	}
	return []Figure{
		{Name: "wasted", Value: float64(wasted)}, {Name: "without evidence", Value: float64(guessed)}, {Name: "not ended", Value: float64(open)},
		wait("wait p50", 0.5), wait("wait p99", 0.99), wait("longest wait", 1),
	}
}

// replay plays one contender.
func (c *Comparison) replay(h *History, seed uint64, contender *Contender) {
	w := world.New(seed)
	w.Over = c.over
	r := &replayed{tasks: h.tasks}
	clients := newPlayers(w, h, r, contender)
	jobs := make([]world.Job, len(h.tasks))
	for i := range h.tasks {
		t, j := &h.tasks[i], &jobs[i]
		j.Client, j.Owner, j.Started, j.Key = clients.of(t), r, t.due, i
		j.Most, j.Timeout, j.Until, j.Limited = t.most, t.timeout, t.deadline, t.limited
		w.Meter.Offered(t.due)
		w.At(t.due, j, world.CallBegins)
	}
	w.Run()
	v := c.add(contender.Name, w)
	v.Figures = figuresOf(r.wasted, r.guessed, 0, &r.waits)
}

// players are the clients of a contender: one for each target and policy. Those of a
// target share its guards.
type players struct {
	w         *world.World
	contender *Contender
	policies  []*retry.Policy
	targets   []world.Backend
	clients   map[[2]int]*world.Client // by target and policy
	guards    []world.Client           // of the targets, as far as there are any
}

func newPlayers(w *world.World, h *History, r *replayed, contender *Contender) *players {
	p := &players{w: w, contender: contender, policies: h.policies, clients: map[[2]int]*world.Client{}, guards: make([]world.Client, len(h.targets))}
	for i := range h.targets {
		p.targets = append(p.targets, &recorded{observed: &h.targets[i], replayed: r})
	}
	return p
}

// of is the client that plays a task. The guards of its target are as the first policy
// wants them that wants any.
func (p *players) of(t *recordedTask) *world.Client {
	policy := t.policy
	if p.contender.Policy != nil {
		policy = -1
	}
	place := [2]int{t.target, policy}
	if known := p.clients[place]; known != nil {
		return known
	}
	contender := *p.contender
	if contender.Policy == nil {
		contender.Policy = retry.Default()
		if policy >= 0 {
			contender.Policy = p.policies[policy]
		}
	}
	c, shared := world.NewClient(p.w, contender.durable(), p.targets[t.target]), &p.guards[t.target]
	if c.Budget != nil {
		shared.Budget = cmp.Or(shared.Budget, c.Budget)
		c.Budget = shared.Budget
	}
	if c.Breaker != nil {
		shared.Breaker = cmp.Or(shared.Breaker, c.Breaker)
		c.Breaker = shared.Breaker
	}
	p.clients[place] = c
	return c
}

// durable is the kit of a target in the engine, whose breaker learns how long the
// target's outages last.
func (c *Contender) durable() world.Kit {
	k := c.kit(world.Kit{})
	config, wanted := c.Policy.BreakerConfig()
	if !wanted {
		return k
	}
	return k.With(k.Name, func(k *world.Kit) {
		k.Breaker = func(w *world.World) world.Breaker {
			own := config
			own.Rand = w.Jitter
			if own.Outages == nil {
				own.Outages = retry.NewOutages(retry.OutagesConfig{})
			}
			return world.RealBreaker{Breaker: world.Must(retry.NewBreaker(own))}
		}
	})
}

// replayed counts what a contender does.
type replayed struct {
	tasks           []recordedTask
	wasted, guessed int
	waits           world.Histogram // before retries
}

func (r *replayed) Ended(w *world.World, c *world.Call) { w.Meter.Ended(w.Now, c) }

// recorded is a target that answers like an observed one.
type recorded struct {
	*observed
	*replayed
}

func (r *recorded) Take(w *world.World, a *world.Attempt) {
	a.Arrives(w)
	if a.Number > 1 {
		r.waits.Add(w.Now - a.Call.Failed)
	}
	n := r.at(w.Now)
	v, took := r.tasks[a.Call.Key].doomed, time.Duration(0)
	switch {
	case n == nil && v != nil:
		v = &hopeless
	case n == nil:
		r.guessed++
	case n.verdict != nil:
		v, took = n.verdict, n.took
	default:
		took = n.took
	}
	if v != nil {
		r.wasted++
	}
	a.Answer(w, v, took)
}

// hopeless ends tasks that always fail when there is nothing more to see: some
// policies would go on for ever.
var hopeless = retry.Verdict{Category: retry.Permanent, Effect: retry.Done}
