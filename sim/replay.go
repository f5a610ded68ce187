package sim

import (
	"cmp"
	"fmt"
	"time"

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
	c.Coarsen(mostBins / perSpan)
	return c
}

// recorded adds what happened.
func (c *Comparison) recorded(h *History) {
	w := newWorld(0)
	w.over = c.over
	m := w.meter
	for i := range h.targets {
		for _, n := range h.targets[i].notes {
			w.at(n.at, witnessed(n.took), attemptArrives)
		}
	}
	failed, open := 0, 0
	for i := range h.tasks {
		t := &h.tasks[i]
		failed += t.failed
		m.retries += int64(t.attempts - 1)
		m.offered(t.due)
		if t.end == endOpen {
			open++
			continue
		}
		m.ended(max(t.done, t.due), &call{started: t.due, ok: t.end == endWorked, end: t.reason()})
	}
	w.run()
	v := c.add("as recorded", w)
	v.Figures = figuresOf(failed, 0, open, &h.waits)
}

// reason is why a recorded task ended badly.
func (t *recordedTask) reason() reason {
	switch {
	case t.end == endCanceled:
		return denyCanceled
	case t.doomed != nil:
		return denyPermanent
	}
	return denyAttempts
}

// witnessed is an attempt of that length that needs only to be counted.
type witnessed time.Duration

const (
	attemptArrives what = iota
	attemptLeaves
)

func (t witnessed) happen(w *world, what what) {
	if what == attemptLeaves {
		w.meter.left()
		return
	}
	w.meter.arrived(w.now, false)
	w.after(time.Duration(t), t, attemptLeaves)
}

// figuresOf are the figures of a variant: attempts that failed, those about which
// nothing is known, tasks that have not ended, and how long retries were waited for.
func figuresOf(wasted, guessed, open int, waits *histogram) []Figure {
	wait := func(name string, q float64) Figure {
		return Figure{Name: name, Value: round(waits.quantile(q).Seconds()), Unit: "s"}
	}
	return []Figure{
		{Name: "wasted", Value: float64(wasted)}, {Name: "without evidence", Value: float64(guessed)}, {Name: "not ended", Value: float64(open)},
		wait("wait p50", 0.5), wait("wait p99", 0.99), wait("longest wait", 1),
	}
}

// replay plays one contender.
func (c *Comparison) replay(h *History, seed uint64, contender *Contender) {
	w := newWorld(seed)
	w.over = c.over
	r := &replayed{}
	clients := newPlayers(w, h, r, contender)
	jobs := make([]job, len(h.tasks))
	for i := range h.tasks {
		t, j := &h.tasks[i], &jobs[i]
		j.client, j.owner, j.started, j.task = clients.of(t), r, t.due, t
		w.meter.offered(t.due)
		w.at(t.due, j, callBegins)
	}
	w.run()
	v := c.add(contender.Name, w)
	v.Figures = figuresOf(r.wasted, r.guessed, 0, &r.waits)
}

// players are the clients of a contender: one for each target and policy. Those of a
// target share its guards.
type players struct {
	w         *world
	contender *Contender
	policies  []*retry.Policy
	targets   []backend
	clients   map[[2]int]*client // by target and policy
	guards    []client           // of the targets, as far as there are any
}

func newPlayers(w *world, h *History, r *replayed, contender *Contender) *players {
	p := &players{w: w, contender: contender, policies: h.policies, clients: map[[2]int]*client{}, guards: make([]client, len(h.targets))}
	for i := range h.targets {
		p.targets = append(p.targets, &recorded{observed: &h.targets[i], replayed: r})
	}
	return p
}

// of is the client that plays a task. The guards of its target are as the first policy
// wants them that wants any.
func (p *players) of(t *recordedTask) *client {
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
	c, shared := newClient(p.w, contender.durable(), p.targets[t.target]), &p.guards[t.target]
	if c.budget != nil {
		shared.budget = cmp.Or(shared.budget, c.budget)
		c.budget = shared.budget
	}
	if c.breaker != nil {
		shared.breaker = cmp.Or(shared.breaker, c.breaker)
		c.breaker = shared.breaker
	}
	p.clients[place] = c
	return c
}

// durable is the kit of a target in the engine, whose breaker learns how long the
// target's outages last.
func (c *Contender) durable() kit {
	k := c.kit(kit{})
	config, wanted := c.Policy.BreakerConfig()
	if !wanted {
		return k
	}
	return k.with(k.name, func(k *kit) {
		k.breaker = func(w *world) breaker {
			own := config
			own.Rand = w.jitter
			if own.Outages == nil {
				own.Outages = retry.NewOutages(retry.OutagesConfig{})
			}
			return realBreaker{must(retry.NewBreaker(own))}
		}
	})
}

// replayed counts what a contender does.
type replayed struct {
	wasted, guessed int
	waits           histogram // before retries
}

func (r *replayed) ended(w *world, c *call) { w.meter.ended(w.now, c) }

// recorded is a target that answers like an observed one.
type recorded struct {
	*observed
	*replayed
}

func (r *recorded) take(w *world, a *attempt) {
	a.arrives(w)
	if a.number > 1 {
		r.waits.add(w.now - a.job.failed)
	}
	n := r.at(w.now)
	v, took := a.job.task.doomed, time.Duration(0)
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
	a.answer(w, v, took)
}

// hopeless ends tasks that always fail when there is nothing more to see: some
// policies would go on for ever.
var hopeless = retry.Verdict{Category: retry.Permanent, Effect: retry.Done}
