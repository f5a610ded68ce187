package background

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// looks are the times at which a loop looks, from the beginning on.
type looks struct {
	mu    sync.Mutex
	times []time.Duration
}

func (l *looks) at(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = append(l.times, d)
}

// paced runs loops of all kinds that ask for a look every ten seconds, and returns when each
// has looked in so many minutes.
func paced(t *testing.T, p *Pace, during func(), minutes time.Duration) map[string][]time.Duration {
	t.Helper()
	began := time.Now()
	var ticks, idles, naps looks
	var loops Loops
	loops.Start(WithPace(t.Context(), p), func(ctx context.Context) {
		ticker := NewTicker(ctx, time.Hour)
		defer ticker.Stop()
		ticker.Reset(10 * time.Second)
		for {
			select {
			case <-ticker.C:
				ticks.at(time.Since(began))
			case <-ctx.Done():
				return
			}
		}
	}, func(ctx context.Context) {
		for Idle(ctx, 10*time.Second) {
			idles.at(time.Since(began))
		}
	}, func(ctx context.Context) {
		for Nap(ctx, 7*time.Minute, 10*time.Second) {
			naps.at(time.Since(began))
		}
	})
	during()
	time.Sleep(time.Until(began.Add(minutes*time.Minute + time.Second))) // sleep: virtual
	if err := loops.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	return map[string][]time.Duration{"ticks": ticks.times, "idles": idles.times, "naps": naps.times}
}

// Without a pace loops look as often as they ask for.
func TestPaceOfPrograms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for loop, times := range paced(t, nil, func() {}, 10) {
			if len(times) != 60 || times[59] != 10*time.Minute {
				t.Errorf("%s: %v", loop, times)
			}
		}
		if (*Pace)(nil).Rare() != 0 {
			t.Error("the pace of programs is rare")
		}
	})
}

// While nothing happens loops look rarely. Something that happens makes those look at once
// that would have looked by now, and all as often as they ask for until it has been calm.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPace(27*time.Second, 5*time.Minute)
		got := paced(t, p, func() {
			time.Sleep(6*time.Minute + 4*time.Second) // sleep: virtual
			p.Touch()
			time.Sleep(5 * time.Second) // sleep: virtual
			p.Touch()
		}, 18)
		seconds := func(all ...int) (times []time.Duration) {
			for _, s := range all {
				times = append(times, time.Duration(s)*time.Second)
			}
			return times
		}
		// Calm from 396 s on: the last look was at 394 s.
		for loop, want := range map[string][]time.Duration{
			"ticks": seconds(300, 364, 374, 384, 394, 694, 994),
			"idles": seconds(300, 364, 374, 384, 394, 694, 994),
			"naps":  seconds(300, 364, 374, 384, 394, 694, 994),
		} {
			if !slices.Equal(got[loop], want) {
				t.Errorf("%s: %v, not %v", loop, got[loop], want)
			}
		}
		if len(p.tickers) != 0 {
			t.Errorf("%d tickers were not stopped", len(p.tickers))
		}
	})
}

// A nap ends at its time whatever the pace, and with its context.
func TestNap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(WithPace(t.Context(), NewPace(time.Second, time.Hour)))
		began := time.Now()
		if !Nap(ctx, time.Minute, time.Second) || time.Since(began) != time.Minute {
			t.Errorf("it took %s", time.Since(began))
		}
		cancel()
		if Nap(ctx, time.Minute, time.Second) || Idle(ctx, time.Second) || time.Since(began) != time.Minute {
			t.Errorf("it ended after %s", time.Since(began))
		}
	})
}

// Ticks that nobody takes are left out, as those of package time.
func TestTicksAreLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPace(time.Hour, time.Hour)
		p.Touch()
		ticker := NewTicker(WithPace(t.Context(), p), time.Second)
		time.Sleep(10*time.Second + time.Millisecond) // sleep: virtual
		<-ticker.C
		select {
		case at := <-ticker.C:
			t.Errorf("a second tick, of %s", at)
		default:
		}
		ticker.Stop()
		time.Sleep(time.Minute) // sleep: virtual
		select {
		case at := <-ticker.C:
			t.Errorf("a tick after the end, at %s", at)
		default:
		}
	})
}
