package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// spec is a policy as it is written.
func spec(t testing.TB, text string) *retry.Spec {
	t.Helper()
	s, err := retry.ParseSpec([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The figures of the specification, §7.
func TestSolve(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		variable   plan.Variable
		env        plan.Env
		want       string
	}{
		{"4 retries", `{"max_attempts":5,"ttl":"5s"}`, plan.ForInitial, plan.Env{}, "333ms"},
		{"3 retries", `{"max_attempts":4,"ttl":"5s"}`, plan.ForInitial, plan.Env{}, "714ms"},
		{"jitter's maximum", `{"max_attempts":5,"ttl":"5s","backoff":{"jitter":{"kind":"proportional","x":0.2}}}`, plan.ForInitial, plan.Env{}, "277ms"},
		{"attempts of 800 ms", `{"max_attempts":5,"ttl":"5s"}`, plan.ForInitial, plan.Env{AttemptTime: 800 * time.Millisecond}, "66ms"},
		{"deadline", `{"max_attempts":5}`, plan.ForInitial, plan.Env{Deadline: 5 * time.Second}, "333ms"},
		{"lower limit", `{"max_attempts":5,"ttl":"1h"}`, plan.ForInitial, plan.Env{Deadline: 5 * time.Second}, "333ms"},
		{"cap", `{"max_attempts":5,"ttl":"5s","backoff":{"max":"500ms"}}`, plan.ForInitial, plan.Env{}, "500ms"},
		{"microseconds", `{"max_attempts":5,"ttl":"20ms"}`, plan.ForInitial, plan.Env{}, "1.333ms"},
		{"nanoseconds", `{"max_attempts":5,"ttl":"100ns"}`, plan.ForInitial, plan.Env{}, "6ns"},
		{"fixed", `{"max_attempts":5,"ttl":"5s","backoff":{"kind":"fixed"}}`, plan.ForInitial, plan.Env{}, "1.136s"},
		{"preset", `{"preset":"payment","ttl":"5s"}`, plan.ForInitial, plan.Env{}, "333ms"},
		{"multiplier", `{"max_attempts":5,"ttl":"15s"}`, plan.ForMultiplier, plan.Env{}, "2"},
		{"multiplier of the cap", `{"max_attempts":4,"ttl":"5s","backoff":{"max":"2s"}}`, plan.ForMultiplier, plan.Env{}, "100"},
		{"retries", `{"ttl":"31s"}`, plan.ForRetries, plan.Env{}, "5"},
		{"a little less", `{"ttl":"30.999s"}`, plan.ForRetries, plan.Env{}, "4"},
		{"retries with attempts", `{"ttl":"31s"}`, plan.ForRetries, plan.Env{AttemptTime: time.Second}, "4"},
		{"unlimited", `{"ttl":"31s","unlimited":true}`, plan.ForRetries, plan.Env{}, "5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := plan.Solve(spec(t, c.spec), c.variable, c.env)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Solution
			got := map[plan.Variable]string{plan.ForInitial: s.Initial.String(), plan.ForMultiplier: fmt.Sprint(s.Multiplier), plan.ForRetries: fmt.Sprint(s.Retries)}[c.variable]
			if got != c.want || s.For != c.variable || s.Slack < 0 {
				t.Errorf("%s, want %s; %+v", got, c.want, s)
			}
			if r.Limit != s.Limit || r.Limit-r.Elapsed != s.Slack {
				t.Errorf("elapsed %v of %v, slack %v", r.Elapsed, r.Limit, s.Slack)
			}
			if (warning(r, "no_attempt_time") != "") != (c.env.AttemptTime == 0) {
				t.Errorf("warnings %v", r.Warnings)
			}
		})
	}
}

func TestSolveRefuses(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		variable   plan.Variable
		env        plan.Env
		field      string
	}{
		{"no limit", `{}`, plan.ForInitial, plan.Env{}, "ttl"},
		{"attempts take it all", `{"ttl":"5s","max_attempts":6}`, plan.ForInitial, plan.Env{AttemptTime: time.Second}, "ttl"},
		{"no retry fits", `{"ttl":"999ms"}`, plan.ForRetries, plan.Env{}, "ttl"},
		{"even M 1 is too much", `{"ttl":"3s","max_attempts":5}`, plan.ForMultiplier, plan.Env{}, "ttl"},
		{"steps have no initial", `{"preset":"dispatch","unlimited":false,"ttl":"1h","max_attempts":3}`, plan.ForInitial, plan.Env{}, "solve"},
		{"fixed has no multiplier", `{"ttl":"1h","backoff":{"kind":"fixed"}}`, plan.ForMultiplier, plan.Env{}, "solve"},
		{"no retries", `{"ttl":"1h","max_attempts":1}`, plan.ForInitial, plan.Env{}, "max_attempts"},
		{"unlimited", `{"ttl":"1h","unlimited":true}`, plan.ForInitial, plan.Env{}, "max_attempts"},
		{"too many", `{"ttl":"1h","max_attempts":1000000}`, plan.ForInitial, plan.Env{}, "max_attempts"},
		{"unknown", `{"ttl":"1h"}`, "jitter", plan.Env{}, "solve"},
		{"bad policy", `{"ttl":"1h","max_attempts":-1}`, plan.ForInitial, plan.Env{}, "max_attempts"},
		{"bad environment", `{"ttl":"1h"}`, plan.ForInitial, plan.Env{FailRate: 2}, "fail_rate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plan.Solve(spec(t, c.spec), c.variable, c.env)
			found := retry.FieldErrors(err)
			if len(found) != 1 || found[0].Field != c.field || found[0].Message == "" {
				t.Errorf("got %v, want a refusal of %s", err, c.field)
			}
		})
	}
}

// A solution keeps the limit, and the next larger value does not.
func TestSolveIsTheInverseOfOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "retries")
		limit := time.Duration(rapid.Int64Range(int64(time.Second), int64(100*time.Hour)).Draw(t, "limit"))
		env := plan.Env{Deadline: limit, AttemptTime: time.Duration(rapid.Int64Range(0, int64(limit)/int64(2*n+2)).Draw(t, "attempt"))}
		kind := rapid.SampledFrom([]string{"exponential", "fixed", "linear", "fibonacci"}).Draw(t, "kind")
		jitter := rapid.SampledFrom([]string{`"full"`, `"none"`, `"equal"`, `"decorrelated"`, `{"kind":"proportional","x":0.2}`, `{"kind":"additive","x":0.1}`, `{"kind":"beta","from":0.3,"to":0.7}`}).Draw(t, "jitter")
		text := func(more string) string {
			return fmt.Sprintf(`{"max_attempts":%d,"backoff":{"kind":%q,"jitter":%s%s}}`, n+1, kind, jitter, more)
		}
		elapsed := func(written string) time.Duration {
			s, err := retry.ParseSpec([]byte(written))
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Policy()
			if err != nil {
				t.Fatal(err)
			}
			r, err := plan.Of(p, env)
			if err != nil {
				t.Fatal(err)
			}
			return r.Elapsed
		}
		written, err := retry.ParseSpec([]byte(text("")))
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Solve(written, plan.ForInitial, env)
		if err != nil {
			t.Fatal(err)
		}
		found := r.Solution.Initial
		unit := time.Millisecond
		if found < 10*time.Millisecond {
			unit = time.Microsecond
		}
		if found < 10*time.Microsecond {
			unit = time.Nanosecond
		}
		if got := elapsed(text(fmt.Sprintf(`,"initial":%q`, found))); got > limit || got != r.Elapsed {
			t.Fatalf("%v takes %v of %v", found, got, limit)
		}
		if got := elapsed(text(fmt.Sprintf(`,"initial":%q`, found+unit))); got <= limit {
			t.Fatalf("%v is no solution: %v more takes %v of %v", found, unit, got, limit)
		}
		// The other way round: the limit of a plan solves for what it was made of.
		env.Deadline = r.Elapsed
		back, err := plan.Solve(written, plan.ForRetries, plan.Env{Deadline: env.Deadline, AttemptTime: env.AttemptTime})
		if err == nil && kind != "exponential" && back.Solution.Retries < 1 {
			t.Fatal("no retries")
		}
		again, err := plan.Solve(written, plan.ForInitial, env)
		if err != nil || again.Solution.Initial < found-unit || again.Solution.Initial > found+unit {
			t.Fatalf("%v came back as %v, %v", found, again.Solution, err)
		}
	})
}

func TestFit(t *testing.T) {
	fitting, err := plan.Fit(5*time.Second, 800*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range fitting {
		names = append(names, f.Preset)
		p, err := retry.Preset(f.Preset)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Of(p, plan.Env{AttemptTime: 800 * time.Millisecond})
		if err != nil || r.Elapsed != f.Elapsed || f.Elapsed > 5*time.Second || f.Slack != 5*time.Second-f.Elapsed || r.Attempts != f.Attempts {
			t.Errorf("%+v, but the plan takes %v, %v", f, r.Elapsed, err)
		}
	}
	// classic takes 3.3 s of waits and 2.4 s of attempts, data-sync 6 s of waits.
	if want := []string{"instant", "order-create", "notification", "permanent"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	for _, name := range retry.Presets() {
		p, _ := retry.Preset(name)
		r, err := plan.Of(p, plan.Env{AttemptTime: 800 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if fits := p.MaxAttempts() > 0 && r.Elapsed <= 5*time.Second; fits != slices.Contains(names, name) {
			t.Errorf("%s takes %v", name, r.Elapsed)
		}
	}
	if _, err := plan.Fit(0, -1); len(retry.FieldErrors(err)) != 2 {
		t.Errorf("got %v", err)
	}
}

// The mean of decorrelated delays is that of drawing them one after another.
func TestDecorrelatedMeans(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Second, 4 * time.Second, time.Minute} {
		p := policy(t, retry.Exponential(time.Second, 2, limit), retry.Decorrelated(), retry.Attempts(9))
		r, err := plan.Of(p, plan.Env{})
		if err != nil {
			t.Fatal(err)
		}
		const draws = 100_000
		random := rand.New(rand.NewPCG(1, uint64(limit)))
		sums := make([]float64, 8)
		for range draws {
			last := retry.Attempt{}
			for i := range sums {
				last.Number = i + 1
				last.PreviousDelay = p.Jitter().Draw(p.Window(last), random)
				sums[i] += last.PreviousDelay.Seconds()
				if d := r.Delays[i]; last.PreviousDelay < d.Min || last.PreviousDelay > d.Max {
					t.Fatalf("retry %d waits %v, outside %v to %v", i+1, last.PreviousDelay, d.Min, d.Max)
				}
			}
		}
		for i, sum := range sums {
			got, want := r.Delays[i].Mean.Seconds(), sum/draws
			if got < 0.98*want || got > 1.02*want {
				t.Errorf("cap %v: mean of wait %d is %.3f s, drawn %.3f s", limit, i+1, got, want)
			}
		}
	}
	if r := report(t, plan.Env{}, retry.Exponential(time.Second, 2, 0), retry.Decorrelated(), retry.Attempts(4)); r.Delays[0].Mean != 2*time.Second || r.Delays[2].Mean != 5750*time.Millisecond {
		t.Errorf("means %v, want 2, 3.5 and 5.75 of m(n) = (F + 3 m(n-1))/2", column(r, func(d plan.Delay) time.Duration { return d.Mean }))
	}
}

// A policy of a million attempts is planned as fast as one can wait for, and
// its table says how much it leaves out.
func TestMillion(t *testing.T) {
	began := time.Now()
	for _, text := range []string{
		`{"max_attempts":1000000}`, `{"max_attempts":1000000,"backoff":{"kind":"fibonacci","initial":"1ns"}}`,
		`{"max_attempts":1000000,"backoff":{"multiplier":1.00001,"jitter":"decorrelated","max":"1h"}}`,
		`{"max_attempts":1000000,"backoff":{"kind":"linear","initial":"292000h"}}`,
		`{"max_attempts":1000000,"backoff":{"initial":"1h","jitter":"decorrelated","max":"3600.0000000001s"}}`,
		`{"max_attempts":1000000,"backoff":{"initial":"1ns","jitter":"decorrelated","max":"2562047h"}}`,
	} {
		for _, variable := range []plan.Variable{"", plan.ForRetries} {
			r, err := plan.Question{Spec: spec(t, text), Env: plan.Env{Deadline: 1<<63 - 1, OuterAttempts: slices.Repeat([]int{1_000_000}, 16)}, Solve: variable}.Answer()
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Delays) > plan.DefaultRows || len(r.Delays)+r.More != r.Retries || r.Total.Max < 0 || len(r.Success) != len(r.Delays)+1 {
				t.Errorf("%s: %d rows, %d more of %d, total %v", text, len(r.Delays), r.More, r.Retries, r.Total)
			}
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// Whatever is asked, the answer is finite and consistent, or names what is wrong.
func FuzzQuestion(f *testing.F) {
	f.Add(`{"preset":"payment"}`, "initial", int64(5e9), int64(8e8), 0.5, 10, true)
	f.Add(`{"backoff":{"kind":"steps","steps":["1s","0s"],"jitter":"decorrelated"},"unlimited":true}`, "", int64(0), int64(0), 1.0, 3, false)
	f.Add(`{"max_attempts":1000000,"backoff":{"multiplier":100,"jitter":{"kind":"beta","from":0,"to":10}},"ttl":"1ns"}`, "retries", int64(1), int64(1), 1e-300, 0, true)
	f.Add(`{"rules":[{"when":["permanent"],"backoff":{"kind":"linear","max":"1s"},"max_attempts":3}],"retry_on":[404]}`, "multiplier", int64(1)<<62, int64(1)<<62, 0.0, 9999, false)
	f.Fuzz(func(t *testing.T, text, solve string, deadline, attempt int64, failRate float64, rows int, fit bool) {
		s, err := retry.ParseSpec([]byte(text))
		if err != nil {
			return
		}
		r, err := plan.Question{Spec: s, Solve: plan.Variable(solve), Fit: fit, Env: plan.Env{
			Deadline: time.Duration(deadline), AttemptTime: time.Duration(attempt), FailRate: failRate, Rate: 10, Rows: rows,
		}}.Answer()
		if err != nil {
			if len(retry.FieldErrors(err)) == 0 {
				t.Fatalf("%v names no field", err)
			}
			return
		}
		checkReport(t, r)
		if picture := string(r.SVG()); strings.Contains(picture, "NaN") || !strings.HasSuffix(picture, "</svg>\n") {
			t.Fatal("the picture is broken")
		}
	})
}

// checkReport checks what holds for every report.
func checkReport(t *testing.T, r *plan.Report) {
	t.Helper()
	var at time.Duration
	for i, d := range r.Delays {
		if d.Retry != i+1 || d.Nominal < 0 || d.Min < 0 || d.Min > d.Max || d.Mean < d.Min || d.Mean > d.Max || d.At < at {
			t.Fatalf("row %d is %+v", i, d)
		}
		at = d.At
	}
	if sum := r.Total; sum.Min > sum.Max || sum.Mean < sum.Min || sum.Nominal < 0 || r.InTime < 0 || r.InTime > r.Retries || r.Elapsed < sum.Max {
		t.Fatalf("totals %+v, elapsed %v, %d of %d in time", sum, r.Elapsed, r.InTime, r.Retries)
	}
	for i, p := range r.Success {
		if !(p >= 0 && p <= 1) || i > 0 && p < r.Success[i-1] || r.Adds[i] < 0 {
			t.Fatalf("success %v, adds %v", r.Success, r.Adds)
		}
	}
	for _, at := range r.Load.At {
		if !(at.Amplification >= 1) {
			t.Fatalf("load %+v", r.Load)
		}
	}
	if s := r.Spread; s != nil && !(s.Coherence >= 0 && s.Coherence <= 1 && s.RetriesToApart >= 1 && s.Peak >= 1-1e-9) {
		t.Fatalf("spread %+v", s)
	}
	if s := r.Solution; s != nil && (s.Slack < 0 || r.Elapsed > s.Limit && r.Env.AttemptTime > 0) {
		t.Fatalf("solution %+v takes %v", s, r.Elapsed)
	}
}
