package line_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/line"
)

// news is how long a place waits until it hears something, at most a minute.
func news(t *testing.T, p *line.Place) time.Duration {
	t.Helper()
	start := time.Now()
	p.Wait(t.Context(), time.Minute)
	return time.Since(start)
}

// Only the first of a line hears of chances, and the next one of becoming the first.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line.Line
		l.Stir() // nobody hears it
		if !l.Empty() {
			t.Error("somebody waits")
		}
		first, second, third := l.Enter(), l.Enter(), l.Enter()
		if l.Empty() || first.Ahead() != 0 || second.Ahead() != 1 || third.Ahead() != 2 {
			t.Errorf("%d, %d, %d are ahead", first.Ahead(), second.Ahead(), third.Ahead())
		}
		l.Stir()
		l.Stir() // it has heard that already
		if news(t, first) != 0 || news(t, first) != time.Minute || news(t, second) != time.Minute {
			t.Error("a chance is for the first, once")
		}
		second.Leave()
		if third.Ahead() != 1 || news(t, third) != time.Minute {
			t.Error("it is not the first because one in the middle has gone")
		}
		first.Leave()
		if third.Ahead() != 0 || news(t, third) != 0 {
			t.Error("the next one does not hear that it is the first")
		}
		third.Leave()
		if !l.Empty() {
			t.Error("somebody waits")
		}
	})
}

// A wait ends with the context.
func TestLineContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line.Line
		p := l.Enter()
		defer p.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if p.Wait(ctx, time.Minute); time.Since(start) != time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
	})
}

// Each of many callers has its turn, whoever gives up meanwhile.
func TestLineConcurrent(t *testing.T) {
	var l line.Line
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			p := l.Enter()
			defer p.Leave()
			for n%3 != 0 && p.Ahead() > 0 {
				p.Wait(t.Context(), time.Hour)
			}
		})
	}
	all.Wait()
	if !l.Empty() {
		t.Error("somebody waits")
	}
}
