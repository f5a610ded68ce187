package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// visits notes when attempts come, and answers as it is told, then well.
type visits struct {
	at      []time.Duration
	answers []*retry.Verdict
}

func (v *visits) take(w *world, a *attempt) {
	v.at = append(v.at, w.now)
	var answer *retry.Verdict
	if len(v.answers) > 0 {
		answer, v.answers = v.answers[0], v.answers[1:]
	}
	a.answer(w, answer, 100*time.Millisecond)
}

// A task is tried again when its policy says so, until it has succeeded, its attempts are
// spent or its time is over.
func TestNodeRunsTasks(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		what     string
		answers  []*retry.Verdict
		deadline time.Duration
		at       []time.Duration
		end      reason
	}{
		{"succeeds", nil, 0, []time.Duration{0}, denyNothing},
		{"fails twice", []*retry.Verdict{&broken, &broken}, 0, []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond}, denyNothing},
		{"fails always", []*retry.Verdict{&broken, &broken, &broken, &broken}, 0, []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond}, denyAttempts},
		{"has no time", []*retry.Verdict{&broken, &broken}, second, []time.Duration{0}, denyTime},
	} {
		t.Run(test.what, func(t *testing.T) {
			w, v := newWorld(1), &visits{answers: test.answers}
			k := plain("", retry.Attempts(3), retry.Fixed(second), retry.NoJitter()).with("", asTasks)
			ended := 0
			w.onEnd = func(c *call) {
				if ended++; c.end != test.end || c.ok != (test.end == denyNothing) {
					t.Errorf("ends by %v, well: %v", c.end, c.ok)
				}
			}
			shape := func(_ *world, c *call) { c.deadline = test.deadline }
			(&crowd{clients: fleet(w, 1, k, v), each: 1, shape: shape}).start(w)
			w.run()
			if ended != 1 || !slices.Equal(v.at, test.at) {
				t.Errorf("%d ended, attempts at %v", ended, v.at)
			}
		})
	}
}

// What one node has found of a server holds the tasks of the others back.
func TestNodesTellOfBreakers(t *testing.T) {
	w, v := newWorld(1), &visits{}
	k := plain("", retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, OpenFor: time.Minute})).with("", asTasks)
	for range 100 {
		v.answers = append(v.answers, &unavailable)
	}
	clients := fleet(w, 2, k, v)
	for n := range 20 { // of the first node alone
		(&crowd{clients: clients[:1], each: 1, from: time.Duration(n) * 200 * time.Millisecond}).start(w)
	}
	(&crowd{clients: clients[1:], each: 1, from: 30 * time.Second}).start(w)
	w.end = 31 * time.Second
	was := 0
	w.do(30*time.Second-1, func() { was = len(v.at) })
	w.run()
	if len(v.at) != was {
		t.Errorf("%d attempts since, though the breaker of the other node is open", len(v.at)-was)
	}
	if target, _ := clients[0].node.(*node).agenda.Target(sendsTo, w.clock); target.Breaker.State != "open" || was == 0 {
		t.Errorf("the breaker is %s after %d attempts", target.Breaker.State, was)
	}
}
