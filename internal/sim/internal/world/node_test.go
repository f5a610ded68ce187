package world

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

func (v *visits) Take(w *World, a *Attempt) {
	v.at = append(v.at, w.Now)
	var answer *retry.Verdict
	if len(v.answers) > 0 {
		answer, v.answers = v.answers[0], v.answers[1:]
	}
	a.Answer(w, answer, 100*time.Millisecond)
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
		end      Reason
	}{
		{"succeeds", nil, 0, []time.Duration{0}, DenyNothing},
		{"fails twice", []*retry.Verdict{&Broken, &Broken}, 0, []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond}, DenyNothing},
		{"fails always", []*retry.Verdict{&Broken, &Broken, &Broken, &Broken}, 0, []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond}, DenyAttempts},
		{"has no time", []*retry.Verdict{&Broken, &Broken}, second, []time.Duration{0}, DenyTime},
	} {
		t.Run(test.what, func(t *testing.T) {
			w, v := New(1), &visits{answers: test.answers}
			k := Plain("", retry.Attempts(3), retry.Fixed(second), retry.NoJitter()).With("", AsTasks)
			ended := 0
			w.OnEnd = func(c *Call) {
				if ended++; c.End != test.end || c.OK != (test.end == DenyNothing) {
					t.Errorf("ends by %v, well: %v", c.End, c.OK)
				}
			}
			shape := func(_ *World, c *Call) { c.deadline = test.deadline }
			(&Crowd{Clients: Fleet(w, 1, k, v), Each: 1, shape: shape}).Start(w)
			w.Run()
			if ended != 1 || !slices.Equal(v.at, test.at) {
				t.Errorf("%d ended, attempts at %v", ended, v.at)
			}
		})
	}
}

// What one node has found of a server holds the tasks of the others back.
func TestNodesTellOfBreakers(t *testing.T) {
	w, v := New(1), &visits{}
	k := Plain("", retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, OpenFor: time.Minute})).With("", AsTasks)
	for range 100 {
		v.answers = append(v.answers, &Unavailable)
	}
	clients := Fleet(w, 2, k, v)
	for n := range 20 { // of the first node alone
		(&Crowd{Clients: clients[:1], Each: 1, from: time.Duration(n) * 200 * time.Millisecond}).Start(w)
	}
	(&Crowd{Clients: clients[1:], Each: 1, from: 30 * time.Second}).Start(w)
	w.End = 31 * time.Second
	was := 0
	w.do(30*time.Second-1, func() { was = len(v.at) })
	w.Run()
	if len(v.at) != was {
		t.Errorf("%d attempts since, though the breaker of the other node is open", len(v.at)-was)
	}
	if target, _ := clients[0].node.(*node).agenda.Target(sendsTo, w.clock); target.Breaker.State != "open" || was == 0 {
		t.Errorf("the breaker is %s after %d attempts", target.Breaker.State, was)
	}
}
