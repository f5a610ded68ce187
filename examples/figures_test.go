package examples

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// planned plans an exponential schedule without jitter and cap.
func planned(t testing.TB, first time.Duration, multiplier float64, retries int) *plan.Report {
	t.Helper()
	policy, err := retry.New(retry.Exponential(first, multiplier, 0), retry.NoJitter(), retry.Attempts(retries+1))
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Of(policy, plan.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// corners is the range of the total wait of a piece of advice that gives ranges.
func corners(t testing.TB, multiplier float64, retries [2]int, first [2]time.Duration) string {
	t.Helper()
	low, high := planned(t, first[0], multiplier, retries[0]).Total.Nominal, planned(t, first[1], multiplier, retries[1]).Total.Nominal
	return plan.Short(low) + " to " + plan.Short(high)
}

// betaMass is the mass of Beta(2,2) between two points: its distribution function
// is 3x² − 2x³.
func betaMass(from, to float64) float64 {
	below := func(x float64) float64 { return x * x * (3 - 2*x) }
	return below(to) - below(from)
}

// ratioMass is the mass of √u/(√u+√v) from 1 − x to x, with u and v uniform, when
// nothing is rejected: the ratio is at most x where u ≤ (x/(1−x))²·v.
func ratioMass(x float64) float64 {
	k := (1 - x) / x
	return 1 - k*k
}

// shiftNegative is the first attempt for which base << attempt is negative,
// shiftZero the first for which it is 0.
func shiftNegative(base time.Duration) (negative, zero int) {
	for attempt := 1; attempt < 64; attempt++ {
		switch delay := base << attempt; {
		case delay < 0 && negative == 0:
			negative = attempt
		case delay == 0 && zero == 0:
			zero = attempt
		}
	}
	return negative, zero
}

// solved is the largest first interval of four retries within 5 s.
func solved(t testing.TB, attempt time.Duration) *plan.Report {
	t.Helper()
	spec, err := retry.ParseSpec([]byte(`{"max_attempts": 5, "ttl": "5s"}`))
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Solve(spec, plan.ForInitial, plan.Env{AttemptTime: attempt})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func spread(t testing.TB, jitter retry.Jitter) plan.Spread {
	t.Helper()
	s, ok := plan.SpreadOf(jitter)
	if !ok {
		t.Fatal("no closed form")
	}
	return s
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// figure is a statement that circulates and what is true.
type figure struct{ claim, truth string }

func figures(t testing.TB) []figure {
	slow := planned(t, time.Second, 1.2, 10)
	negative, zero := shiftNegative(100 * time.Millisecond)
	waits, attempts := solved(t, 0), solved(t, 800*time.Millisecond)
	twice := planned(t, time.Second, 2, 2)
	beta := spread(t, retry.Beta(0.3, 0.7))
	s := time.Second
	return []figure{
		{"Short tasks: M 2, 3 to 5 retries, 1 to 5 s at first, under 60 s in total", corners(t, 2, [2]int{3, 5}, [2]time.Duration{s, 5 * s}) + " of waits"},
		{"Medium tasks: M 2, 5 to 8 retries, 30 to 60 s at first, 5 to 10 minutes in total", corners(t, 2, [2]int{5, 8}, [2]time.Duration{30 * s, 60 * s}) + ": even the smallest corner is over"},
		{"Long tasks: M 1.75, 8 to 12 retries, 300 to 600 s at first, 1 to 2 hours in total", corners(t, 1.75, [2]int{8, 12}, [2]time.Duration{300 * s, 600 * s})},
		{"Ten retries with M 1.2 take only 5 F", fmt.Sprintf("the tenth wait alone is %.2f F, all ten are %.2f F", slow.Delays[9].Nominal.Seconds(), slow.Total.Nominal.Seconds())},
		{"A small M makes herds", fmt.Sprintf("herds come from missing jitter: without it the coherence is %.0f at any M, with full jitter %.0f", spread(t, retry.NoJitter()).Coherence, spread(t, retry.FullJitter()).Coherence)},
		{"Retries at fixed intervals make 3.7 times the load", fmt.Sprintf("three retries at a fail rate of 95 %% do, whatever the intervals: %.2f times; at 100 %% %.0f times", plan.Amplification(0.95, 4), plan.Amplification(1, 4))},
		{"Three attempts at 80 % give 99 % success", fmt.Sprintf("%s if attempts fail independently; in an outage all three fail: %s", percent(plan.Success(0.2, 3)), percent(plan.Success(1, 3)))},
		{"Beta(2,2) puts 84 % of the waits into [0.3, 0.7] of the delay", percent(betaMass(0.3, 0.7))},
		{"√u/(√u+√v) is a Beta(2,2) draw that stays in [0.3, 0.7]",
			fmt.Sprintf("only if pairs with √u+√v > 1 are rejected (Jöhnk, 1964); without that it has %s in [0.3, 0.7], and so leaves the interval in %s of the draws", percent(ratioMass(0.7)), percent(1-ratioMass(0.7)))},
		{"Bounded Beta jitter on [0.3, 0.7] spreads clients better than a uniform one",
			fmt.Sprintf("it keeps %s of the synchronized line, full jitter %s; its peak is %.1f times the mean density, that of full jitter %.0f",
				percent(beta.Line), percent(spread(t, retry.FullJitter()).Line), beta.Peak, spread(t, retry.FullJitter()).Peak)},
		{"`base << attempt` is an exponential backoff", fmt.Sprintf("with 100 ms it is negative from attempt %d on, and 0 from %d on: a loop without a wait", negative, zero)},
		{"It does not matter whether the scheduler computes the next delay too", fmt.Sprintf("a delay that is computed twice waits F·M before the first retry: %v instead of %v for 1 s × 2", twice.Delays[1].Nominal, twice.Delays[0].Nominal)},
		{"Jitter belongs before every attempt", fmt.Sprintf("before first attempts it only adds latency, %v on average with full jitter over 1 s: callers who have not failed together need no spreading", full(t).Mean)},
		{"`math/rand` is not safe for concurrent use", "its functions are, and so are those of `math/rand/v2`, as their documentation says: they do not race. A `*rand.Rand` of one's own is not"},
		{"A child context with 3 s is independent of its parent", fmt.Sprintf("it never outlives it: under a parent with 1 s it ended after %v", childEnds(t))},
		{"The first interval for 5 s and 4 retries is 333 ms", fmt.Sprintf("%v only if attempts take no time; with attempts of 800 ms that schedule takes %v, and %v fits",
			waits.Solution.Initial, waits.Total.Max+5*800*time.Millisecond, attempts.Solution.Initial)},
	}
}

// full is the first wait of 1 s under full jitter.
func full(t testing.TB) plan.Delay {
	policy, err := retry.New(retry.Fixed(time.Second), retry.FullJitter())
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Of(policy, plan.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return report.Delays[0]
}

// childEnds is when a context with 3 s ends whose parent has 1 s.
func childEnds(t testing.TB) (took time.Duration) {
	outer, ok := t.(*testing.T)
	if !ok {
		t.Fatal("only tests have virtual time")
	}
	synctest.Test(outer, func(t *testing.T) {
		parent, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		child, cancel := context.WithTimeout(parent, 3*time.Second)
		defer cancel()
		began := time.Now()
		<-child.Done()
		took = time.Since(began)
	})
	return took
}

func figureTable(t testing.TB) string {
	var out strings.Builder
	out.WriteString("| what circulates | what is true |\n|---|---|\n")
	for _, f := range figures(t) {
		fmt.Fprintf(&out, "| %s | %s |\n", f.claim, f.truth)
	}
	return out.String()
}

// The figures are those that others have computed by hand.
func TestFigures(t *testing.T) {
	text := figureTable(t)
	for _, want := range []string{
		"| 7s to 2m35s of waits |", "| 15m30s to 4h15m: ", "| 9h40m to 7.63d |", "5.16 F, all ten are 25.96 F", "whatever the intervals: 3.71 times; at 100 % 4 times |",
		"| 99.2 % if", "all three fail: 0.0 %", "| 56.8 % |", "81.6 % in [0.3, 0.7]", "in 18.4 % of", "keeps 72.4 % of the synchronized line, full jitter 0.0 %",
		"its peak is 2.6 times the mean density, that of full jitter 1", "negative from attempt 37 on, and 0 from 56 on", "2s instead of 1s", "500ms on average", "ended after 1s",
		"333ms only if", "takes 8.995s, and 66ms fits", "coherence is 1 at any M, with full jitter 0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The two distributions have the masses that their formulas give.
func TestMasses(t *testing.T) {
	const draws = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	window := retry.Window{Nominal: time.Second, First: time.Second}
	inBeta, inRatio := 0, 0
	for range draws {
		if x := retry.Beta(0, 1).Draw(window, random).Seconds(); x >= 0.3 && x <= 0.7 {
			inBeta++
		}
		u, v := math.Sqrt(random.Float64()), math.Sqrt(random.Float64())
		if x := u / (u + v); x >= 0.3 && x <= 0.7 {
			inRatio++
		}
	}
	for name, c := range map[string]struct {
		in   int
		want float64
	}{"Beta(2,2)": {inBeta, betaMass(0.3, 0.7)}, "unrejected ratio": {inRatio, ratioMass(0.7)}} {
		if got := float64(c.in) / draws; math.Abs(got-c.want) > 0.005 {
			t.Errorf("%s: drawn %v, computed %v", name, got, c.want)
		}
	}
}

// jitterTable compares jitters by their closed forms.
func jitterTable(t testing.TB) string {
	var out strings.Builder
	out.WriteString("| jitter, times the nominal wait d | mean | peak | line | worst line | coherence | retries until under 1 % |\n|---|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name   string
		jitter retry.Jitter
	}{
		{"`none`", retry.NoJitter()}, {"`full`: U[0, 1)", retry.FullJitter()}, {"`proportional(0.5)`", retry.Proportional(0.5)}, {"`equal`: U[0.5, 1)", retry.EqualJitter()},
		{"`proportional(0.25)`", retry.Proportional(0.25)}, {"`beta(0.3, 0.7)`", retry.Beta(0.3, 0.7)}, {"`proportional(0.2)`", retry.Proportional(0.2)},
		{"`proportional(0.1)`", retry.Proportional(0.1)}, {"`additive(0.1)`", retry.Additive(0.1)}, {"`decorrelated`, first retry", retry.Decorrelated()},
	} {
		s := spread(t, row.jitter)
		fmt.Fprintf(&out, "| %s | %.3g | %s | %.3f | %.3f | %.3f | %s |\n", row.name, s.Mean, finite(s.Peak, "∞"), s.Line, s.WorstLine, s.Coherence, finite(s.RetriesToApart, "never"))
	}
	return out.String()
}

// finite writes a number with two digits or more, or the other text for an
// infinite one.
func finite(v float64, otherwise string) string {
	switch {
	case math.IsInf(v, 0):
		return otherwise
	case v < 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func warningTable() string {
	var out strings.Builder
	out.WriteString("| code | it is about | meaning |\n|---|---|---|\n")
	for _, w := range plan.Codes() {
		fmt.Fprintf(&out, "| `%s` | `%s` | %s |\n", w.Code, w.Field, w.Message)
	}
	return out.String()
}
