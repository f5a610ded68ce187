package retry

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// documented is the policy of the configuration reference, as JSON.
const documented = `{
	"max_attempts": 5,
	"backoff": {"kind": "exponential", "initial": "1s", "multiplier": 2, "max": "30s", "jitter": "full"},
	"timeout": "10s",
	"ttl": "15m",
	"rules": [
		{"when": ["network", "timeout"], "backoff": {"kind": "exponential", "initial": "100ms", "multiplier": 2, "max": "400ms"}, "max_attempts": 4},
		{"when": ["conflict"], "backoff": {"kind": "exponential", "initial": "1s", "multiplier": 2, "max": "16s"}},
		{"when": ["permanent"], "then": "dead"}
	],
	"budget": {"ratio": 0.1},
	"breaker": "none",
	"max_crashes": 3,
	"order_on_dead": "block",
	"fallback": {"type": "payment.refund"}
}`

func TestDocumentedSpec(t *testing.T) {
	spec, err := ParseSpec([]byte(documented))
	if err != nil {
		t.Fatal(err)
	}
	p := must(spec.Policy())
	if p.MaxAttempts() != 5 || p.Timeout() != 10*time.Second || p.TTL() != 15*time.Minute ||
		p.MaxCrashes() != 3 || p.OrderOnDead() != OrderBlock || p.Cap() != 30*time.Second || len(p.Rules()) != 3 {
		t.Errorf("%+v", p)
	}
	if got := show(p.Plan(9)); got != "1s 2s 4s 8s" {
		t.Errorf("plan %s", got)
	}
	if d := p.Decide(at(3, Timeout), constant(1-0x1p-53)); d.Delay.Round(ms) != 400*ms || d.Rule != "rule 1: network,timeout" {
		t.Errorf("%+v", d)
	}
	if budget, ok := p.BudgetConfig(); !ok || budget.Ratio != 0.1 {
		t.Errorf("budget %+v", budget)
	}
	if _, ok := p.BreakerConfig(); ok {
		t.Error("a breaker")
	}
	roundTrip(t, spec)
}

// roundTrip checks that a spec written as JSON reads as the same.
func roundTrip(t *testing.T, spec *Spec) {
	t.Helper()
	written, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseSpec(written)
	if err != nil || !reflect.DeepEqual(again, spec) {
		t.Errorf("%s reads as %+v, %v", written, again, err)
	}
}

// TestSpecs is the table of accepted specs: what Plan(4) and the limits say.
func TestSpecs(t *testing.T) {
	for in, want := range map[string]struct {
		attempts int
		plan     string
		jitter   Jitter
	}{
		`{}`:                    {8, "1s 2s 4s 8s", FullJitter()},
		`{"preset": "payment"}`: {5, "1s 2s 4s 8s", FullJitter()},
		`{"preset": "payment", "max_attempts": 3}`:                                                          {3, "1s 2s", FullJitter()},
		`{"preset": "payment", "backoff": {"max": "3s"}}`:                                                   {5, "1s 2s 3s 3s", FullJitter()},
		`{"preset": "payment", "backoff": {"max": "0s", "multiplier": 10}}`:                                 {5, "1s 10s 1m40s 16m40s", FullJitter()},
		`{"preset": "payment", "backoff": {"jitter": "none"}}`:                                              {5, "1s 2s 4s 8s", NoJitter()},
		`{"preset": "payment", "backoff": {"kind": "fixed", "initial": "5s"}}`:                              {5, "5s 5s 5s 5s", Additive(IntervalSpread)},
		`{"preset": "payment", "unlimited": true}`:                                                          {0, "1s 2s 4s 8s", FullJitter()},
		`{"preset": "dispatch"}`:                                                                            {0, "1s 5s 10s 1m0s", Additive(0.1)},
		`{"preset": "dispatch", "max_attempts": 2}`:                                                         {2, "1s", Additive(0.1)},
		`{"preset": "easyjob(60s, 3.5, 2)"}`:                                                                {3, "1m0s 3m30s", NoJitter()},
		`{"max_attempts": 1}`:                                                                               {1, "", FullJitter()},
		`{"backoff": {"initial": "10m"}}`:                                                                   {8, "10m0s 20m0s 40m0s 1h20m0s", FullJitter()},
		`{"backoff": {"kind": "linear", "initial": "1s", "step": "2s", "max": "4s", "jitter": "equal"}}`:    {8, "1s 3s 4s 4s", EqualJitter()},
		`{"backoff": {"kind": "fibonacci", "initial": "1s", "jitter": "decorrelated"}}`:                     {8, "1s 1s 2s 3s", Decorrelated()},
		`{"backoff": {"kind": "steps", "steps": ["0s", "1h"], "max": "30m"}}`:                               {8, "0s 30m0s 30m0s 30m0s", FullJitter()},
		`{"backoff": {"kind": "fixed", "initial": "0s"}}`:                                                   {8, "0s 0s 0s 0s", Additive(IntervalSpread)},
		`{"backoff": {"jitter": {"kind": "proportional", "x": 0.2}}}`:                                       {8, "1s 2s 4s 8s", Proportional(0.2)},
		`{"backoff": {"jitter": {"kind": "additive", "x": 1}}}`:                                             {8, "1s 2s 4s 8s", Additive(1)},
		`{"backoff": {"jitter": {"kind": "bounded", "from": 0.3, "to": 0.7}}}`:                              {8, "1s 2s 4s 8s", Bounded(0.3, 0.7)},
		`{"backoff": {"jitter": {"kind": "beta", "from": 0.3, "to": 0.7}}}`:                                 {8, "1s 2s 4s 8s", Beta(0.3, 0.7)},
		`{"retry_on": ["permanent", 409, "NoStockException"], "never_on": ["ECONNREFUSED"], "alert": null}`: {8, "1s 2s 4s 8s", FullJitter()},
	} {
		spec, err := ParseSpec([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		p, err := spec.Policy()
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if p.MaxAttempts() != want.attempts || show(p.Plan(4)) != want.plan || p.Jitter() != want.jitter {
			t.Errorf("%s: %d attempts, %s, %v", in, p.MaxAttempts(), show(p.Plan(4)), p.Jitter())
		}
		roundTrip(t, spec)
	}
}

// TestSpecRefused is the table of refused documents: the paths, and words that
// the error must contain.
func TestSpecRefused(t *testing.T) {
	for in, want := range map[string]string{
		``:                               " JSON",
		`{`:                              " JSON",
		`[]`:                             " object list",
		`{} {}`:                          " follows",
		`null`:                           " object null",
		`{"max_atempts": 3}`:             "max_atempts max_attempts?",
		`{"Max_Attempts": 3}`:            "Max_Attempts max_attempts?",
		`{"colour": 3}`:                  "colour known keys",
		`{"backoff": {"multiplyer": 2}}`: "backoff.multiplyer multiplier?",
		`{"rules": [{"when": ["bug"]}, {"whem": []}]}`:                       "rules[1].whem when?",
		`{"backoff": {"jitter": {"kind": "additive", "y": 1}}}`:              "backoff.jitter.y known keys",
		`{"max_attempts": "3"}`:                                              `max_attempts whole "3"`,
		`{"max_attempts": 2.5}`:                                              "max_attempts whole 2.5",
		`{"max_attempts": null}`:                                             "max_attempts whole null",
		`{"max_attempts": 0}`:                                                "max_attempts 0 1000000",
		`{"max_attempts": -1}`:                                               "max_attempts -1 1000000",
		`{"max_attempts": 1000001}`:                                          "max_attempts 1000001 1000000",
		`{"max_attempts": 99999999999999999999}`:                             "max_attempts whole",
		`{"max_attempts": 3, "unlimited": true}`:                             "unlimited max_attempts",
		`{"unlimited": "yes"}`:                                               "unlimited true",
		`{"unlimited": true, "backoff": {"kind": "fixed", "initial": "0s"}}`: "backoff wait",
		`{"timeout": 5}`:                                                     "timeout duration 5 1.5s",
		`{"timeout": "5"}`:                                                   `timeout duration "5"`,
		`{"timeout": "-5s"}`:                                                 "timeout -5s negative",
		`{"ttl": "9999999h"}`:                                                "ttl duration 292",
		`{"first_run_after": ""}`:                                            "first_run_after duration",
		`{"preset": "paymnt"}`:                                               "preset payment?",
		`{"preset": ""}`:                                                     "preset empty",
		`{"preset": "easyjob(1s, 9, 1)"}`:                                    "preset.multiplier 9 8.0",
		`{"backoff": []}`:                                                    "backoff object list",
		`{"backoff": {"kind": "exponental"}}`:                                "backoff.kind exponential?",
		`{"budget": "nome"}`:                                                 "budget none?",
		`{"budget": null}`:                                                   "budget none null",
		`{"budget": true}`:                                                   "budget none true",
		`{"budget": {"ration": 0.1}}`:                                        "budget.ration ratio?",
		`{"budget": {"ratio": "0.1"}}`:                                       "budget.ratio number",
		`{"budget": {"ratio": 0}}`:                                           "budget.ratio 0",
		`{"budget": {"ratio": 1.5}}`:                                         "budget.ratio 1.5 above 0 to 1",
		`{"budget": {"burst": 0.5}}`:                                         "budget.burst 0.5 1 1000000",
		`{"budget": {"pressure": -0.5}}`:                                     "budget.pressure -0.5 0 to 1",
		`{"budget": {"burst": 0.5, "pressure": 2}}`:                          "budget.pressure 2 0 to 1",
		`{"budget": {"floor": -1}}`:                                          "budget.floor -1 above 0",
		`{"breaker": {"failure_rates": 0.5}}`:                                "breaker.failure_rates failure_rate?",
		`{"breaker": {"failure_rate": 0}}`:                                   "breaker.failure_rate 0 default",
		`{"breaker": {"failure_rate": 50}}`:                                  "breaker.failure_rate 50 above 0 to 1",
		`{"breaker": {"window": 30}}`:                                        "breaker.window duration",
		`{"breaker": {"window": "1ms"}}`:                                     "breaker.window 1ms 100ms 24h",
		`{"breaker": {"min_calls": 20, "count": 10}}`:                        "breaker.min_calls 20 10",
		`{"breaker": {"open_for": "2m", "open_max": "1m"}}`:                  "breaker.open_max 1m0s 2m0s",
		`{"breaker": {"probes": 0, "ramp": "2h"}}`:                           "breaker.ramp 2h",
		`{"backoff": {"initial": "0s"}}`:                                     "backoff.initial 0s",
		`{"backoff": {"multiplier": 0.9}}`:                                   "backoff.multiplier 0.9 1 100",
		`{"backoff": {"multiplier": 1e400}}`:                                 "backoff.multiplier number",
		`{"backoff": {"multiplier": 101}}`:                                   "backoff.multiplier 101 100",
		`{"backoff": {"initial": "10s", "max": "9s"}}`:                       "backoff.max 9s 10s",
		`{"preset": "payment", "backoff": {"initial": "31s"}}`:               "backoff.max 30s 31s",
		`{"backoff": {"kind": "fixed", "max": "9s"}}`:                        "backoff.max fixed",
		`{"backoff": {"step": "9s"}}`:                                        "backoff.step exponential",
		`{"backoff": {"kind": "steps"}}`:                                     "backoff.steps 0 1000",
		`{"backoff": {"kind": "steps", "steps": ["1s", "x"]}}`:               "backoff.steps[1] duration",
		`{"backoff": {"kind": "steps", "steps": ["10s"], "max": "1s"}}`:      "backoff.max 1s 10s",
		`{"backoff": {"kind": "steps", "initial": "1s", "steps": ["1s"]}}`:   "backoff.initial steps",
		`{"backoff": {"jitter": "ful"}}`:                                     "backoff.jitter full?",
		`{"backoff": {"jitter": 1}}`:                                         "backoff.jitter object",
		`{"backoff": {"jitter": "additive"}}`:                                "backoff.jitter.x missing",
		`{"backoff": {"jitter": {"kind": "additive", "x": 0}}}`:              "backoff.jitter.x 0 1]",
		`{"backoff": {"jitter": {"kind": "additive", "x": 1.1}}}`:            "backoff.jitter.x 1.1",
		`{"backoff": {"jitter": {"kind": "full", "x": 1}}}`:                  "backoff.jitter.x full",
		`{"backoff": {"jitter": {"kind": "beta", "from": 1}}}`:               "backoff.jitter.to missing",
		`{"backoff": {"jitter": {"kind": "bounded", "from": 1, "to": 1}}}`:   "backoff.jitter.from 1 to 1",
		`{"rules": {}}`:                                                      "rules list",
		`{"rules": [{}]}`:                                                    "rules[0].when list",
		`{"rules": [{"when": "attempt > 3"}]}`:                               "rules[0].when list categories",
		`{"rules": [{"when": ["netwrok"]}]}`:                                 "rules[0].when[0] network?",
		`{"rules": [{"when": ["bug", 3]}]}`:                                  "rules[0].when[1] text",
		`{"rules": [{"when": ["bug"], "then": "ded"}]}`:                      "rules[0].then dead?",
		`{"rules": [{"when": ["bug"], "max_attempts": 0}]}`:                  "rules[0].max_attempts 0",
		`{"rules": [{"when": ["bug"], "backoff": {"initial": "0s"}}]}`:       "rules[0].backoff.initial 0s",
		`{"rules": [{"when": ["bug"], "backoff": {"jitter": "x"}}]}`:         "rules[0].backoff.jitter none of",
		`{"retry_on": "bug"}`:                                                "retry_on list",
		`{"retry_on": ["netwrok"]}`:                                          "retry_on[0] network?",
		`{"never_on": ["two words"]}`:                                        "never_on[0] two",
		`{"max_crashes": 0}`:                                                 "max_crashes 0 3 1000",
		`{"order_on_dead": "blok"}`:                                          "order_on_dead block?",
	} {
		spec, err := ParseSpec([]byte(in))
		if err == nil {
			_, err = spec.Policy()
		}
		path, words, _ := strings.Cut(want, " ")
		field, ok := find(err, path)
		if !ok {
			t.Errorf("%s: no error on %q: %v", in, path, err)
			continue
		}
		for _, word := range strings.Fields(words) {
			if !strings.Contains(field.Message+" "+field.Hint, word) {
				t.Errorf("%s: %q is missing in %v", in, word, field)
			}
		}
	}
}

// find returns the error on a path.
func find(err error, path string) (*FieldError, bool) {
	fields := FieldErrors(err)
	i := slices.IndexFunc(fields, func(e *FieldError) bool { return e.Field == path })
	if i < 0 {
		return nil, false
	}
	return fields[i], true
}

// TestAllFindings: one call reports everything that is wrong.
func TestAllFindings(t *testing.T) {
	_, err := ParseSpec([]byte(`{"tll": "1m", "backoff": {"initial": 3}, "rules": [{"when": "x"}]}`))
	if got := len(FieldErrors(err)); got != 3 {
		t.Errorf("%d errors: %v", got, err)
	}
	for in, want := range map[string]string{
		`{"breaker":{"failure_rate":2,"min_calls":0,"window":"1ns","open_for":"-5s"}}`:                 "breaker.open_for breaker.min_calls breaker.failure_rate breaker.window",
		`{"max_attempts":0,"backoff":{"initial":"-1s","max":"500ms"},"budget":{"ratio":4}}`:            "backoff.initial max_attempts budget.ratio",
		`{"max_attempts":0,"backoff":{"kind":7,"steps":["1s"]}}`:                                       "backoff.kind max_attempts",
		`{"max_crashes":1,"backoff":{"kind":"steps","steps":["x","10s"],"max":"5s"}}`:                  "backoff.steps[0] max_crashes",
		`{"breaker":{"open_for":"x","open_max":"1s","count":"x","min_calls":2000,"probes":-1}}`:        "breaker.open_for breaker.count breaker.probes",
		`{"ttl":1,"backoff":{"jitter":{"kind":"beta","from":0.5,"to":"x"}},"max_crashes":1}`:           "ttl backoff.jitter.to max_crashes",
		`{"budget":0,"breaker":[],"max_attempts":-1}`:                                                  "budget breaker max_attempts",
		`{"preset":"paymnt","max_crashes":1,"backoff":{"max":"1ns"}}`:                                  "preset max_crashes",
		`{"max_attempts":0,"rules":[{"when":["netwrok"]},{"when":["bug"],"backoff":{"initial":"x"}}]}`: "rules[1].backoff.initial max_attempts rules[0].when[0]",
	} {
		spec, err := ParseSpec([]byte(in))
		if err == nil {
			_, err = spec.Policy()
		}
		var got []string
		for _, e := range FieldErrors(err) {
			got = append(got, e.Field)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	_, err = New(Attempts(0), Exponential(0, 0.5, -1), PerAttempt(-1), MaxCrashes(0))
	if got := len(FieldErrors(err)); got != 6 {
		t.Errorf("%d errors: %v", got, err)
	}
}

// TestNewRefused is the table of what only Go code can say.
func TestNewRefused(t *testing.T) {
	for path, opt := range map[string]Option{
		"backoff.multiplier":     Exponential(time.Second, math.NaN(), 0),
		"backoff.initial":        Fixed(-1),
		"backoff.step":           Linear(time.Second, -1, 0),
		"backoff.max":            Fibonacci(time.Second, -1),
		"backoff.steps[0]":       Steps(-1),
		"backoff":                Custom(nil),
		"backoff.jitter.x":       Additive(math.Inf(1)),
		"backoff.jitter.from":    Bounded(math.NaN(), 1),
		"backoff.jitter":         WithJitter(nil),
		"ttl":                    TTL(-1),
		"first_run_after":        FirstRunAfter(-1),
		"max_attempts":           Attempts(0),
		"order_on_dead":          OrderOnDead(""),
		"error_rules[0]":         OnError(nil, Rule{}),
		"error_rules[0].when[0]": OnError(errors.ErrUnsupported, Rule{When: []Category{"x"}}),
		"rules[0].max_attempts":  Rules(Rule{When: []Category{Bug}, MaxAttempts: -1}),
		"rules[0].backoff":       option(func(p *Policy) { p.unlimited = true; Rules(Rule{When: []Category{Bug}, Backoff: Fixed(0)}).apply(p) }),
		"rules[0].backoff.max":   Rules(Rule{When: []Category{Bug}, Backoff: Fixed(2), Max: 1}),
		"never_on[0]":            GiveUpOn(""),
	} {
		_, err := New(opt)
		if _, ok := find(err, path); !ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := New(Exponential(time.Second, math.Inf(1), 0)); err == nil {
		t.Error("an infinite multiplier is accepted")
	}
}

// TestDefaults: three ways to the same default policy.
func TestDefaults(t *testing.T) {
	fromSpec := must(new(Spec).Policy())
	for name, p := range map[string]*Policy{"Default": Default(), "New": must(New()), "preset": must(Preset("default")), "spec": fromSpec} {
		if p.MaxAttempts() != 8 || p.Cap() != 5*time.Minute || p.Timeout() != 0 || p.TTL() != 0 || p.FirstRunAfter() != 0 ||
			p.MaxCrashes() != 3 || p.OrderOnDead() != "block" || p.Jitter() != FullJitter() || p.Backoff() != fromSpec.Backoff() {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestEmbeddedSpec: a policy inside another document is read as strictly.
func TestEmbeddedSpec(t *testing.T) {
	var task struct {
		Retry *Spec `json:"retry"`
	}
	if err := json.Unmarshal([]byte(`{"retry": {"max_attempts": 2}}`), &task); err != nil || *task.Retry.MaxAttempts != 2 {
		t.Errorf("%+v, %v", task.Retry, err)
	}
	err := json.Unmarshal([]byte(`{"retry": {"max_atempts": 2}}`), &task)
	if _, ok := find(err, "max_atempts"); !ok {
		t.Errorf("%v", err)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, seed := range []string{documented, `{}`, `{"preset":"easyjob(1s,2,3)"}`, `{"rules":[{"when":["bug"]}]}`, `{"rules":[],"retry_on":[]}`,
		`{"backoff":{"kind":"steps","steps":["1s"]}}`, `{"max_attempts":1e3}`, `[[[[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := ParseSpec(data)
		if err != nil {
			if len(FieldErrors(err)) == 0 {
				t.Fatalf("no field error: %v", err)
			}
			return
		}
		p, err := spec.Policy()
		if err != nil {
			if len(FieldErrors(err)) == 0 {
				t.Fatalf("no field error: %v", err)
			}
			return
		}
		for _, n := range []int{1, 2, 1_000_000} {
			if d := p.Decide(at(n, Network), nil); d.Delay < 0 {
				t.Fatalf("retry %d waits %v", n, d.Delay)
			}
		}
		roundTrip(t, spec)
	})
}

func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"1.5s", "0", "-1s", "292y", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "1h1h", ".5us", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		again, err := ParseDuration(Duration(d).String())
		if d < 0 || err != nil || again != d {
			t.Errorf("%q is %v, then %v, %v", text, d, again, err)
		}
	})
}
