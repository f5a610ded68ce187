package retry

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

type contextTestKey struct{}

// contextPair is an attempt's context beside one of the context package that should do
// the same.
type contextPair struct {
	lazy, eager       context.Context
	endLazy, endEager func()
	afters            [2]atomic.Int32
	children          [][2]context.Context
	stops             []func()
}

func newContextPair(parent context.Context, limit time.Duration) *contextPair {
	w := &contextPair{}
	c := &attemptContext{parent: parent, number: 2}
	if limit > 0 {
		at := time.Now().Add(limit)
		b := &boundedContext{attemptContext{parent: parent, number: 2}, bounds{limit: at}}
		b.bounds = &b.times
		c = &b.attemptContext
		w.eager, w.endEager = context.WithDeadlineCause(parent, at, ErrAttemptTimeout)
	} else {
		w.eager, w.endEager = context.WithCancel(parent)
	}
	w.lazy, w.endLazy = c, c.end
	return w
}

// seen is everything that can be seen of a context without waiting for it.
func seen(ctx context.Context) string {
	deadline, limited := ctx.Deadline()
	return fmt.Sprint(ctx.Err(), context.Cause(ctx), deadline, limited, ctx.Value(contextTestKey{}))
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// contextScript is what happens to a pair of contexts.
type contextScript struct {
	limit, parentLimit time.Duration // 0 for none
	steps              []int
	looks              int // a bit for each step after which somebody looks, which makes the real context
}

// run says what tells the two contexts apart, if anything does.
func (s contextScript) run(t *testing.T) (fault string) {
	synctest.Test(t, func(*testing.T) {
		parent, cancel := context.WithCancelCause(context.WithValue(context.Background(), contextTestKey{}, "v"))
		defer cancel(nil)
		if s.parentLimit > 0 {
			var stop func()
			parent, stop = context.WithTimeout(parent, s.parentLimit)
			defer stop()
		}
		w := newContextPair(parent, s.limit)
		defer w.stop()
		for i, step := range s.steps {
			w.step(step, func() { cancel(errContextTest) })
			synctest.Wait()
			if s.looks&(1<<i) == 0 && i < len(s.steps)-1 {
				continue
			}
			if fault = w.compare(step%2 == 0); fault != "" {
				fault = fmt.Sprintf("%+v, step %d: %s", s, i, fault)
				return
			}
		}
	})
	return fault
}

var errContextTest = errors.New("the parent's cause")

// A lazy context cannot be told from a real one, whatever happens to it in
// whatever order: everything that can happen in three steps, and samples of more.
func TestAttemptContextIsAContext(t *testing.T) {
	limits := []time.Duration{0, time.Second}
	for n := range contextSteps * contextSteps * contextSteps {
		steps := []int{n % contextSteps, n / contextSteps % contextSteps, n / contextSteps / contextSteps}
		for looks := range 3 {
			for _, limit := range limits {
				for _, parentLimit := range []time.Duration{0, 1001 * time.Millisecond} {
					s := contextScript{limit: limit, parentLimit: parentLimit, steps: steps, looks: looks}
					if fault := s.run(t); fault != "" {
						t.Fatal(fault)
					}
				}
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := contextScript{
			limit:       time.Duration(rapid.IntRange(0, 5).Draw(rt, "limit")) * time.Second,
			parentLimit: time.Duration(rapid.IntRange(0, 5).Draw(rt, "parent limit")) * 1001 * time.Millisecond,
			steps:       rapid.SliceOfN(rapid.IntRange(0, contextSteps-1), 1, 12).Draw(rt, "steps"),
			looks:       int(rapid.Uint16().Draw(rt, "looks")),
		}
		if fault := s.run(t); fault != "" {
			rt.Fatal(fault)
		}
	})
}

// contextSteps is how many things can happen.
const contextSteps = 8

// stop ends everything.
func (w *contextPair) stop() {
	for _, stop := range append(w.stops, w.endLazy, w.endEager) {
		stop()
	}
}

// step does the same to both.
func (w *contextPair) step(step int, cancelParent func()) {
	switch step {
	case 0:
		time.Sleep(time.Second)
	case 2:
		_ = w.lazy.Err() // nobody can tell which of two ends came first if he has not looked in between
		cancelParent()
	case 3:
		w.endLazy()
		w.endEager()
	case 4:
		w.lazy.Done()
	case 5:
		a, stop1 := context.WithTimeout(w.lazy, time.Minute)
		b, stop2 := context.WithTimeout(w.eager, time.Minute)
		w.stops = append(w.stops, stop1, stop2)
		w.children = append(w.children, [2]context.Context{a, b})
	case 6:
		w.children = append(w.children, [2]context.Context{
			context.WithValue(w.lazy, contextTestKey{}, 6), context.WithValue(w.eager, contextTestKey{}, 6),
		})
	case 7:
		context.AfterFunc(w.lazy, func() { w.afters[0].Add(1) })
		context.AfterFunc(w.eager, func() { w.afters[1].Add(1) })
	case 1:
		w.children = append(w.children, [2]context.Context{context.WithoutCancel(w.lazy), context.WithoutCancel(w.eager)})
	}
}

// compare says what tells the two apart, if anything does.
func (w *contextPair) compare(done bool) string {
	for i, pair := range append([][2]context.Context{{w.lazy, w.eager}}, w.children...) {
		if a, b := seen(pair[0]), seen(pair[1]); a != b {
			return fmt.Sprintf("context %d: %s, want %s", i, a, b)
		}
		if done && closed(pair[0].Done()) != closed(pair[1].Done()) {
			return fmt.Sprintf("context %d: done %v", i, closed(pair[0].Done()))
		}
	}
	if a, b := w.afters[0].Load(), w.afters[1].Load(); a != b {
		return fmt.Sprintf("%d calls after the end, want %d", a, b)
	}
	return ""
}

// Printing a context reads nothing that changes.
func TestAttemptContextPrints(t *testing.T) {
	c := &attemptContext{parent: t.Context(), number: 3}
	if got := fmt.Sprint(c); got != "retry.Attempt(3)" {
		t.Error(got)
	}
}

// Goroutines below a context that is ended by another one.
func TestAttemptContextConcurrently(t *testing.T) {
	for range 200 {
		c := &attemptContext{parent: t.Context(), number: 2}
		ended := make(chan error)
		for range 4 {
			go func() {
				child, cancel := context.WithCancel(c)
				defer cancel()
				_ = c.Err()
				<-child.Done()
				ended <- child.Err()
			}()
		}
		c.end()
		for range 4 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
	}
}
