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

// A lazy context cannot be told from a real one, whatever happens to it in
// whatever order.
func TestAttemptContextIsAContext(t *testing.T) {
	errParent := errors.New("the parent's cause")
	rapid.Check(t, func(rt *rapid.T) {
		limit := time.Duration(rapid.IntRange(0, 5).Draw(rt, "limit")) * time.Second
		parentLimit := time.Duration(rapid.IntRange(0, 5).Draw(rt, "parent limit"))*time.Second + time.Millisecond
		steps := rapid.SliceOfN(rapid.IntRange(0, 8), 1, 12).Draw(rt, "steps")
		looks := rapid.Uint16().Draw(rt, "looks") // a look makes the real context
		var fault string
		synctest.Test(t, func(*testing.T) {
			parent, cancel := context.WithCancelCause(context.WithValue(context.Background(), contextTestKey{}, "v"))
			defer cancel(nil)
			if parentLimit > time.Second {
				var stop func()
				parent, stop = context.WithTimeout(parent, parentLimit)
				defer stop()
			}
			w := newContextPair(parent, limit)
			defer w.endEager()
			defer w.endLazy()
			for i, step := range steps {
				w.step(step, func() { cancel(errParent) })
				synctest.Wait()
				if looks&(1<<i) == 0 && i < len(steps)-1 {
					continue
				}
				if fault = w.compare(step%2 == 0); fault != "" {
					fault = fmt.Sprintf("limits %v in %v, step %d of %v: %s", limit, parentLimit, i, steps, fault)
					return
				}
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// step does the same to both.
func (w *contextPair) step(step int, cancelParent func()) {
	switch step {
	case 0, 1:
		time.Sleep(time.Second)
	case 2:
		cancelParent()
	case 3:
		w.endLazy()
		w.endEager()
	case 4:
		w.lazy.Done()
	case 5:
		a, stop1 := context.WithTimeout(w.lazy, time.Minute)
		b, stop2 := context.WithTimeout(w.eager, time.Minute)
		context.AfterFunc(w.lazy, stop1)
		context.AfterFunc(w.eager, stop2)
		w.children = append(w.children, [2]context.Context{a, b})
	case 6:
		w.children = append(w.children, [2]context.Context{
			context.WithValue(w.lazy, contextTestKey{}, 6), context.WithValue(w.eager, contextTestKey{}, 6),
		})
	case 7:
		context.AfterFunc(w.lazy, func() { w.afters[0].Add(1) })
		context.AfterFunc(w.eager, func() { w.afters[1].Add(1) })
	case 8:
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
