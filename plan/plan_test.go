package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

func policy(t testing.TB, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func report(t testing.TB, env plan.Env, opts ...retry.Option) *plan.Report {
	t.Helper()
	r, err := plan.Of(policy(t, opts...), env)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seconds are durations in seconds, to four digits.
func seconds(delays []time.Duration) string {
	texts := make([]string, len(delays))
	for i, d := range delays {
		texts[i] = fmt.Sprintf("%.4g", d.Seconds())
	}
	return strings.Join(texts, " ")
}

func column(r *plan.Report, of func(plan.Delay) time.Duration) string {
	var all []time.Duration
	for _, d := range r.Delays {
		all = append(all, of(d))
	}
	return seconds(all)
}

func nominal(d plan.Delay) time.Duration { return d.Nominal }

// 1 s × 2 with additive(0.1), five retries.
func TestDelaysUnderJitter(t *testing.T) {
	r := report(t, plan.Env{}, retry.Exponential(time.Second, 2, 0), retry.Attempts(6), retry.Additive(0.1))
	for name, c := range map[string]struct{ got, want string }{
		"nominal": {column(r, nominal), "1 2 4 8 16"},
		"min":     {column(r, func(d plan.Delay) time.Duration { return d.Min }), "1 2 4 8 16"},
		"max":     {column(r, func(d plan.Delay) time.Duration { return d.Max }), "1.1 2.2 4.4 8.8 17.6"},
		"mean":    {column(r, func(d plan.Delay) time.Duration { return d.Mean }), "1.05 2.1 4.2 8.4 16.8"},
		"at":      {column(r, func(d plan.Delay) time.Duration { return d.At }), "1 3 7 15 31"},
		"totals":  {seconds([]time.Duration{r.Total.Nominal, r.Total.Min, r.Total.Max, r.Total.Mean}), "31 31 34.1 32.55"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
	if r.Retries != 5 || r.Attempts != 6 || r.More != 0 {
		t.Errorf("%d retries, %d attempts, %d more", r.Retries, r.Attempts, r.More)
	}
}

// The figures of the specification, §1 and §3.
func TestKnownSchedules(t *testing.T) {
	exponential := func(f time.Duration, m float64, retries int) *plan.Report {
		return report(t, plan.Env{}, retry.Exponential(f, m, 0), retry.Attempts(retries+1), retry.NoJitter())
	}
	for _, c := range []struct {
		name   string
		report *plan.Report
		want   string
	}{
		{"10 s × 2", exponential(10*time.Second, 2, 5), "10 20 40 80 160"},
		{"100 ms × 2", exponential(100*time.Millisecond, 2, 3), "0.1 0.2 0.4"},
		{"linear", report(t, plan.Env{}, retry.Linear(100*time.Millisecond, 0, 0), retry.Attempts(4)), "0.1 0.2 0.3"},
		{"fibonacci", report(t, plan.Env{}, retry.Fibonacci(time.Second, 0), retry.Attempts(7)), "1 1 2 3 5 8"},
		{"steps", report(t, plan.Env{}, retry.Steps(time.Second, 5*time.Second, 10*time.Second), retry.Attempts(6)), "1 5 10 10 10"},
		{"capped", report(t, plan.Env{}, retry.Exponential(time.Second, 2, 5*time.Second), retry.Attempts(6)), "1 2 4 5 5"},
	} {
		if got := column(c.report, nominal); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for retries, want := range map[int]string{3: "7s", 5: "31s", 10: "1023s", 13: "2.28h", 15: "9.1h"} {
		if got := exponential(time.Second, 2, retries).Total.Nominal; got.String() != want && fmt.Sprintf("%.3gh", got.Hours()) != want && fmt.Sprintf("%gs", got.Seconds()) != want {
			t.Errorf("1 s × 2, %d retries: %v, want %s", retries, got, want)
		}
	}
	if r := exponential(time.Second, 1.2, 10); math.Abs(r.Delays[9].Nominal.Seconds()-5.16) > 0.005 || math.Abs(r.Total.Nominal.Seconds()-25.96) > 0.005 {
		t.Errorf("M 1.2: tenth wait %v, total %v", r.Delays[9].Nominal, r.Total.Nominal)
	}
	if r := exponential(time.Second, 8, 5); r.Delays[4].Nominal != 4096*time.Second {
		t.Errorf("M 8: fifth wait %v", r.Delays[4].Nominal)
	}
}

// The totals that the presets' descriptions tell.
func TestPresetTotals(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"instant": 700 * time.Millisecond, "transient": 31 * time.Second, "permanent": 0, "short": 15 * time.Second, "medium": 930 * time.Second,
		"payment": 15 * time.Second, "notification": 1250 * time.Millisecond, "data-sync": 6 * time.Second, "order-create": 600 * time.Millisecond,
		"payment-callback": 15 * time.Second, "logistics-sync": 15 * time.Second, "snailjob-26": 79*time.Hour + 34*time.Minute,
		"rocketmq-16": 4*time.Hour + 45*time.Minute + 40*time.Second, "standard-webhooks": 75*time.Hour + 35*time.Minute + 5*time.Second,
		"classic": 3 * time.Second, "default": 127 * time.Second,
	} {
		p, err := retry.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Of(p, plan.Env{})
		if err != nil || r.Total.Nominal != want {
			t.Errorf("%s: total %v, %v, want %v", name, r.Total.Nominal, err, want)
		}
	}
	long, _ := retry.Preset("long")
	if r, _ := plan.Of(long, plan.Env{}); plan.Short(r.Total.Nominal) != "9h40m" {
		t.Errorf("long: %s", plan.Short(r.Total.Nominal))
	}
}

func TestSuccess(t *testing.T) {
	for _, c := range []struct {
		f    float64
		n    int
		want string
	}{{0.5, 3, "87.5"}, {0.5, 5, "96.875"}, {0.5, 10, "99.9023"}, {0.2, 3, "99.2"}, {1, 5, "0"}, {0.5, 1, "50"}} {
		if got := fmt.Sprintf("%.6g", 100*plan.Success(c.f, c.n)); got != c.want {
			t.Errorf("f %v, n %d: %s %%, want %s", c.f, c.n, got, c.want)
		}
	}
	r := report(t, plan.Env{FailRate: 0.5}, retry.Attempts(5))
	if !slices.Equal(r.Success, []float64{0.5, 0.75, 0.875, 0.9375, 0.96875}) || !slices.Equal(r.Adds, []float64{0.5, 0.25, 0.125, 0.0625, 0.03125}) {
		t.Errorf("success %v, adds %v", r.Success, r.Adds)
	}
}

// The table of the reference, closed forms.
func TestAmplification(t *testing.T) {
	rates := []float64{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.95, 1}
	for retries, want := range map[int]string{
		2: "1.01 1.05 1.11 1.31 1.75 2.31 2.85 3",
		3: "1.01 1.05 1.11 1.33 1.88 2.73 3.71 4",
	} {
		var got []string
		for _, f := range rates {
			got = append(got, fmt.Sprintf("%.3g", plan.Amplification(f, retries+1)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d retries: %v, want %s", retries, got, want)
		}
	}
	if got := plan.Amplification(0.5, 0); got != 2 {
		t.Errorf("unlimited at 0.5: %v, want 2", got)
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct{ attempts, want int }{{plan.Chain(4, 4, 4), 64}, {plan.Chain(3, 3, 3, 3, 3), 243}, {plan.Chain(), 1}, {plan.Chain(4, 0), 0}, {plan.Chain(math.MaxInt, 3), math.MaxInt}} {
		if c.attempts != c.want {
			t.Errorf("%d, want %d", c.attempts, c.want)
		}
	}
	// What a layer gives up fails the one above: layers multiply at any fail rate.
	for _, f := range []float64{0.1, 0.5, 0.9} {
		inner := plan.Amplification(f, 4)
		outer := plan.Amplification(1-plan.Success(f, 4), 3)
		if got := plan.Amplification(f, plan.Chain(4, 3)); math.Abs(got-inner*outer) > 1e-9 {
			t.Errorf("f %v: %v, want %v", f, got, inner*outer)
		}
	}
	r := report(t, plan.Env{OuterAttempts: []int{4, 4}}, retry.Attempts(4))
	if r.Load.Attempts != 64 || r.Load.Layers != 16 {
		t.Errorf("%d attempts through %d", r.Load.Attempts, r.Load.Layers)
	}
	if w := warning(r, "layers"); !strings.Contains(w, "4 × 4 × 4") || !strings.Contains(w, "64") {
		t.Errorf("warning %q", w)
	}
}

func TestLoad(t *testing.T) {
	r := report(t, plan.Env{FailRate: 0.95, Rate: 100, AttemptTime: 2 * time.Second}, retry.Attempts(4))
	if got := fmt.Sprintf("%.4g %.4g %.4g %.3g", r.Load.InFlightHealthy, r.Load.InFlight, r.Load.InFlightWorst, r.Load.Stable); got != "200 742 800 0.25" {
		t.Errorf("in flight, in flight at f, at 1, stable: %s", got)
	}
	fast := report(t, plan.Env{Rate: 100, AttemptTime: 100 * time.Millisecond}, retry.Attempts(4))
	if got := r.Load.InFlightHealthy / fast.Load.InFlightHealthy; math.Abs(got-20) > 1e-9 {
		t.Errorf("2 s instead of 100 ms is %v ×, want 20", got)
	}
	var rates []float64
	for _, at := range report(t, plan.Env{FailRate: 0.3}, retry.Attempts(4)).Load.At {
		rates = append(rates, at.FailRate)
	}
	if !slices.Equal(rates, []float64{0.01, 0.05, 0.1, 0.25, 0.3, 0.5, 0.75, 0.95, 1}) {
		t.Errorf("fail rates %v", rates)
	}
	for _, at := range r.Load.At {
		want := min(at.Amplification, 1+0.1*(1-at.FailRate))
		if at.FailRate <= 0.1 { // the budget of tasks does not bind while nine of ten succeed
			want = at.Amplification
		}
		if math.Abs(at.WithBudget-want) > 1e-9 {
			t.Errorf("with the budget %v at %v, want %v", at.WithBudget, at.FailRate, want)
		}
	}
	if got := report(t, plan.Env{}, retry.Attempts(3)).Load.Stable; math.Abs(got-1.0/3) > 1e-9 {
		t.Errorf("3 attempts are stable up to %v, want a third", got)
	}
}

// Calls in this process have the budget that they are given.
func TestInProcess(t *testing.T) {
	for _, c := range []struct {
		env    plan.Env
		stable float64
	}{
		{plan.Env{}, 1 / 1.1}, {plan.Env{InProcess: true}, 0}, {plan.Env{InProcess: true, Budget: &retry.BudgetConfig{}}, 1 / 1.1},
		{plan.Env{InProcess: true, Budget: &retry.BudgetConfig{Ratio: 0.2}}, 1 / 1.2},
	} {
		r := report(t, c.env)
		if math.Abs(r.Load.StableWithBudget-c.stable) > 1e-9 || (warning(r, "no_budget") == "") != (c.stable > 0) {
			t.Errorf("%+v: stable to %v, warnings %v", c.env, r.Load.StableWithBudget, r.Warnings)
		}
	}
}

// The table of the reference, §6.2.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		jitter retry.Jitter
		want   string // mean, peak, line, worst line, coherence, retries to below 1 %
	}{
		{retry.NoJitter(), "1 +Inf 1.000 1.000 1.000 +Inf"},
		{retry.FullJitter(), "0.5 1 0.000 0.047 0.000 1"},
		{retry.Proportional(0.5), "1 1.5 0.000 0.047 0.000 1"},
		{retry.EqualJitter(), "0.75 2 0.405 0.405 0.171 2.6"},
		{retry.Proportional(0.25), "1 2.5 0.405 0.405 0.405 5.1"},
		{retry.Beta(0.3, 0.7), "0.5 2.6 0.724 0.724 0.245 3.3"},
		{retry.Proportional(0.2), "1 3 0.573 0.573 0.573 8.3"},
		{retry.Proportional(0.1), "1 5.5 0.875 0.875 0.875 35"},
		{retry.Proportional(0.05), "1 10 0.968 0.968 0.968 1.4e+02"},
	} {
		s, ok := plan.SpreadOf(c.jitter)
		got := fmt.Sprintf("%.3g %.2g %.3f %.3f %.3f %.2g", s.Mean, s.Peak, s.Line, s.WorstLine, s.Coherence, s.RetriesToApart)
		if !ok || got != c.want {
			t.Errorf("%s: %s, want %s", s.Kind, got, c.want)
		}
	}
	if got, _ := plan.SpreadOf(retry.Proportional(0.05)); math.Abs(got.Peak-10.5) > 1e-9 {
		t.Errorf("peak %v, want 10.5", got.Peak)
	}
	// The default policy meets what its spread has to be.
	if s, _ := plan.SpreadOf(retry.Default().Jitter()); s.Coherence > 0.05 || s.Peak > 1.6 || s.Line > 0.01 {
		t.Errorf("the default spreads badly: %+v", s)
	}
	if _, ok := plan.SpreadOf(foreign{}); ok {
		t.Error("a jitter that nobody knows has a closed form")
	}
}

type foreign struct{}

func (foreign) Draw(w retry.Window, _ retry.Rand) time.Duration { return w.Nominal }
func (foreign) Bounds(w retry.Window) (low, high time.Duration) { return w.Nominal, 2 * w.Nominal }

// The derivatives are those of the wait.
func TestSensitivities(t *testing.T) {
	r := report(t, plan.Env{}, retry.Exponential(time.Second, 2, 0), retry.Attempts(12))
	wait := func(m float64, n float64) float64 { return math.Pow(m, n-1) }
	const h = 1e-6
	for _, s := range r.Sensitivities {
		n := float64(s.Retry)
		byM, byN := (wait(2+h, n)-wait(2-h, n))/(2*h), (wait(2, n+h)-wait(2, n-h))/(2*h)
		if math.Abs(s.ByMultiplier.Seconds()-byM) > 1e-4*(1+byM) || math.Abs(s.ByRetry.Seconds()-byN) > 1e-4*(1+byN) {
			t.Errorf("retry %d: %v and %v, want %v and %v", s.Retry, s.ByMultiplier, s.ByRetry, byM, byN)
		}
	}
	if len(r.Advice) != 1 || !strings.Contains(r.Advice[0], "hardly adjustable") {
		t.Errorf("advice %q", r.Advice)
	}
	if r := report(t, plan.Env{}, retry.Exponential(time.Second, 4, 0), retry.Attempts(5)); len(r.Advice) != 1 || !strings.Contains(r.Advice[0], "4m16s") {
		t.Errorf("advice %q", r.Advice)
	}
	if r := report(t, plan.Env{}, retry.Fixed(time.Second)); r.Sensitivities != nil || r.Advice != nil {
		t.Errorf("a fixed schedule has %v, %v", r.Sensitivities, r.Advice)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 1500: "1.5µs", 66_666_667: "66.67ms", 333 * time.Millisecond: "333ms", 1_333_333_333: "1.333s", 60 * time.Second: "1m",
		160 * time.Second: "2m40s", time.Hour: "1h", 34_785 * time.Second: "9h40m", 59*time.Minute + 59_700*time.Millisecond: "1h", 182 * time.Hour: "7.58d",
	} {
		if got := plan.Short(d); got != want {
			t.Errorf("%d is %s, want %s", d, got, want)
		}
	}
}

// warning returns the message of a code, empty when there is none.
func warning(r *plan.Report, code string) string {
	for _, w := range r.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	return ""
}
