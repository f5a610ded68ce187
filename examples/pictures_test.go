package examples

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/chart"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// The pictures of the documentation are those of the code, to the byte.
func TestPictures(t *testing.T) {
	pictures := map[string][]byte{"herd": herdChart(t).SVG(), "synchrony": synchronyChart(t).SVG(), "limit": limitChart(t).SVG()}
	policy, err := retry.New(retry.Exponential(time.Second, 2, 30*time.Second), retry.Attempts(8), retry.FullJitter())
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Of(policy, plan.Env{Deadline: 90 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, picture := range report.Pictures() {
		pictures["plan-"+picture.Name] = picture.SVG
	}
	for name, want := range pictures {
		file := "../docs/pictures/" + name + ".svg"
		got, err := os.ReadFile(file)
		switch {
		case err == nil && bytes.Equal(got, want):
		case *update:
			if err := os.MkdirAll("../docs/pictures", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s is stale: run go generate ./examples", file)
		}
	}
}

// herdChart shows when clients come back that failed together, by drawing from
// the jitters themselves.
func herdChart(t testing.TB) *chart.Chart {
	const clients, bin, bins = 50_000, 100 * time.Millisecond, 160
	c := &chart.Chart{
		Title: "When clients come back that failed together at 0 s", Width: 720, Height: 220,
		Note: "share of 50 000 clients per 100 ms; retries after 1, 2, 4 and 8 s before jitter; without jitter each peak is 100 %",
		X:    chart.Axis{Label: "time", Unit: chart.Seconds}, Y: chart.Axis{Label: "share that comes back", Unit: chart.Percent, Range: [2]float64{0, 0.5}},
	}
	for _, row := range []struct {
		name   string
		jitter retry.JitterOption
	}{{"none", retry.NoJitter()}, {"proportional(0.1)", retry.Proportional(0.1)}, {"equal", retry.EqualJitter()}, {"full", retry.FullJitter()}} {
		policy, err := retry.New(retry.Exponential(time.Second, 2, 0), row.jitter, retry.Attempts(5))
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(20261120, 1))
		var counts [bins]float64
		for range clients {
			at := time.Duration(0)
			for n := 1; n <= 4; n++ {
				at += policy.Jitter().Draw(policy.Window(retry.Attempt{Number: n}), random)
				if i := int(at / bin); i < bins {
					counts[i]++
				}
			}
		}
		s := chart.Series{Name: row.name, Shape: chart.Step}
		for i, n := range counts {
			s.Points = append(s.Points, chart.Point{X: (time.Duration(i) * bin).Seconds(), Y: n / clients})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// synchronyChart shows how much of a herd is left after n retries.
func synchronyChart(t testing.TB) *chart.Chart {
	c := &chart.Chart{
		Title: "Synchrony that is left after n retries", Width: 720, Height: 220, Note: "share of the power of the common beat, in closed form; full jitter leaves none after the first",
		X: chart.Axis{Label: "retries", Unit: chart.Whole}, Y: chart.Axis{Label: "synchrony", Unit: chart.Percent, Log: true, Range: [2]float64{0.001, 1}},
		Levels: []chart.Level{{Y: 0.01, Label: "1 %"}},
	}
	for _, row := range []struct {
		name   string
		jitter retry.Jitter
	}{
		{"proportional(0.1)", retry.Proportional(0.1)}, {"proportional(0.2), as in gRPC", retry.Proportional(0.2)}, {"beta(0.3, 0.7)", retry.Beta(0.3, 0.7)},
		{"equal", retry.EqualJitter()}, {"full", retry.FullJitter()},
	} {
		coherence := spread(t, row.jitter).Coherence
		s := chart.Series{Name: row.name, Shape: chart.Marked}
		for n := range 11 {
			s.Points = append(s.Points, chart.Point{X: float64(n), Y: max(math.Pow(coherence, float64(n)), 0.001)})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// limitChart shows the largest first interval that keeps a limit of 5 s.
func limitChart(t testing.TB) *chart.Chart {
	c := &chart.Chart{
		Title: "Largest first interval within 5 s", Note: "exponential × 2, full jitter at its longest; by the length of attempts", Width: 720, Height: 220,
		X: chart.Axis{Label: "length of an attempt", Unit: chart.Seconds}, Y: chart.Axis{Label: "first interval", Unit: chart.Seconds},
	}
	for _, retries := range []int{2, 3, 4, 5} {
		s := chart.Series{Name: fmt.Sprintf("%d retries", retries)}
		text := fmt.Sprintf(`{"max_attempts": %d, "ttl": "5s"}`, retries+1)
		for attempt := time.Duration(0); attempt <= 1600*time.Millisecond; attempt += 20 * time.Millisecond {
			spec, err := retry.ParseSpec([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			y := 0.0
			if report, err := plan.Solve(spec, plan.ForInitial, plan.Env{AttemptTime: attempt}); err == nil {
				y = report.Solution.Initial.Seconds()
			}
			s.Points = append(s.Points, chart.Point{X: attempt.Seconds(), Y: y})
		}
		c.Series = append(c.Series, s)
	}
	return c
}
