package sim

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Replay lets the tasks of a history run again, once with each contender, against
// targets that answer like the recorded ones. The first variant is what was
// recorded. Each target has guards of its own, as in the engine.
func Replay(h *History, seed uint64, contenders []Contender) *Comparison {
	c := &Comparison{Name: "What if", Shows: "The recorded tasks under other policies, against targets that answer as they did.", Seed: seed}
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
	return c
}

// recorded adds what happened.
func (c *Comparison) recorded(h *History) {
	w := newWorld(0)
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
	v.Figures = append(figuresOf(failed, 0), Figure{Name: "not ended", Value: float64(open)})
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

func figuresOf(wasted, guessed int) []Figure {
	return []Figure{{Name: "wasted", Value: float64(wasted)}, {Name: "without evidence", Value: float64(guessed)}}
}

// replay plays one contender.
func (c *Comparison) replay(h *History, seed uint64, contender *Contender) {
	w := newWorld(seed)
	r := &replayed{}
	clients := make([]*client, len(h.targets))
	for i := range h.targets {
		clients[i] = newClient(w, contender.durable(), &recorded{observed: &h.targets[i], replayed: r})
	}
	jobs := make([]job, len(h.tasks))
	for i := range h.tasks {
		t, j := &h.tasks[i], &jobs[i]
		j.client, j.owner, j.started, j.doomed = clients[t.target], r, t.due, t.doomed
		w.meter.offered(t.due)
		w.at(t.due, j, callBegins)
	}
	w.run()
	v := c.add(contender.Name, w)
	v.Figures = append(figuresOf(r.wasted, r.guessed), Figure{Name: "not ended"})
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
type replayed struct{ wasted, guessed int }

func (r *replayed) ended(w *world, c *call) { w.meter.ended(w.now, c) }

// recorded is a target that answers like an observed one.
type recorded struct {
	*observed
	*replayed
}

func (r *recorded) take(w *world, a *attempt) {
	a.arrives(w)
	n := r.at(w.now)
	v, took := a.job.doomed, time.Duration(0)
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
