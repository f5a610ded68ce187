package group_test

import (
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
)

// cost is what outages cost in the mean.
type cost struct {
	failed float64       // dispatches that nobody took
	late   time.Duration // from the end of the outage until a member takes a task
}

// outages lets a group be away a hundred times, after twenty that only teach. A group
// that does not learn is a new one each time.
func outages(t *testing.T, learns bool, length func(r *rand.Rand) float64) (mean cost) {
	const taught, counted = 20, 100
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // lengths of outages
	var g *group.Groups
	for i := range taught + counted {
		if g == nil || !learns {
			g = group.New(memory.New().Handle(), slog.New(slog.DiscardHandler), func(string) {})
			g.Spread(rand.New(rand.NewPCG(3, 4))) //nolint:gosec // waits
			join(t, g, "m", func(m *inspect.Member) { m.TTL = retry.Duration(10_000 * time.Hour) })
		}
		time.Sleep(10 * time.Minute)
		over := time.Now().Add(time.Duration(length(random) * float64(time.Second)))
		answer := func(string) group.Verdict {
			if time.Now().Before(over) {
				return group.Verdict{Kind: inspect.DispatchUnreachable}
			}
			return group.Verdict{}
		}
		failed := 0
		for _, err := send(g, answer); err != nil; _, err = send(g, answer) {
			failed++
			time.Sleep(time.Until(held(t, err).Next))
		}
		if i >= taught {
			mean.failed += float64(failed) / counted
			mean.late += time.Since(over) / counted
		}
	}
	return mean
}

// TestGroupsLearnTheirOutages: once a group has been away some times, it is tried when its
// end is likely. That takes fewer dispatches, and the end is noticed about as soon.
func TestGroupsLearnTheirOutages(t *testing.T) {
	for name, row := range map[string]struct {
		length       func(r *rand.Rand) float64 // in seconds
		failed, late float64                    // at most, as shares of what the steps cost
	}{
		"about 20 s":         {func(r *rand.Rand) float64 { return 20 * (0.9 + 0.2*r.Float64()) }, 0.5, 1},
		"about five minutes": {func(r *rand.Rand) float64 { return 300 * (0.9 + 0.2*r.Float64()) }, 0.4, 0.7},
		"one to ten minutes": {func(r *rand.Rand) float64 { return 60 + 540*r.Float64() }, 0.7, 1.3},
		"exponential, 5 min": {func(r *rand.Rand) float64 { return 300 * r.ExpFloat64() }, 0.8, 1.5},
		"about an hour":      {func(r *rand.Rand) float64 { return 3600 * (0.9 + 0.2*r.Float64()) }, 0.4, 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			steps, learned := outages(t, false, row.length), outages(t, true, row.length)
			t.Logf("%s: by steps %.1f dispatches, %s late; learned %.1f, %s", name, steps.failed, steps.late.Round(time.Second/10), learned.failed, learned.late.Round(time.Second/10))
			if learned.failed > row.failed*steps.failed || learned.late.Seconds() > row.late*steps.late.Seconds() {
				t.Errorf("%s: %+v by steps, %+v learned", name, steps, learned)
			}
		})
	}
}

// TestLearnedWaitsKeepTheirBounds: no wait is shorter than the first step, longer than the
// maximum, or shorter than what the group asks for.
func TestLearnedWaitsKeepTheirBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := group.New(memory.New().Handle(), slog.New(slog.DiscardHandler), func(string) {})
		join(t, g, "m", func(m *inspect.Member) { m.TTL = retry.Duration(10_000 * time.Hour) })
		for i := range 12 {
			over, asked := time.Now().Add(2*time.Hour), time.Duration(0)
			if i == 11 {
				asked = 250 * time.Second
			}
			for time.Now().Before(over) {
				_, err := send(g, func(string) group.Verdict { return group.Verdict{Kind: inspect.DispatchBusy, After: asked} })
				if wait := time.Until(held(t, err).Next); wait < max(time.Second, asked) || wait > 300*time.Second {
					t.Fatalf("a wait of %s, asked for %s", wait, asked)
				}
				time.Sleep(time.Until(held(t, err).Next))
			}
			if _, err := send(g, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}
