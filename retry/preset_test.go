package retry

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// presetPlans are the documented plans: attempts (0 unlimited), the first nominal
// delays and the total of all of them.
var presetPlans = map[string]struct {
	attempts int
	delays   string
	total    time.Duration
}{
	"instant":           {4, "100ms 200ms 400ms", 700 * ms},
	"transient":         {6, "1s 2s 4s 8s 16s", 31 * time.Second},
	"permanent":         {1, "", 0},
	"dispatch":          {0, "1s 5s 10s 1m0s 1m0s 1m0s", 196 * time.Second},
	"short":             {5, "1s 2s 4s 8s", 15 * time.Second},
	"medium":            {6, "30s 1m0s 2m0s 4m0s 8m0s", 930 * time.Second},
	"long":              {9, "5m0s 8m45s 15m18.75s 26m47.8125s 46m53.671875s 1h22m3.92578125s 2h23m36.870117188s 4h11m19.522705078s", 34785552978516},
	"payment":           {5, "1s 2s 4s 8s", 15 * time.Second},
	"notification":      {3, "500ms 750ms", 1250 * ms},
	"data-sync":         {3, "2s 4s", 6 * time.Second},
	"order-create":      {4, "100ms 200ms 300ms", 600 * ms},
	"payment-callback":  {5, "1s 2s 4s 8s", 15 * time.Second},
	"logistics-sync":    {3, "5s 10s", 15 * time.Second},
	"snailjob-26":       {27, "10s 15s 30s 35s 40s 50s 1m0s 2m0s 4m0s 6m0s 8m0s 10m0s 20m0s 40m0s 1h0m0s 2h0m0s 3h0m0s 4h0m0s 5h0m0s 6h0m0s 7h0m0s 8h0m0s 9h0m0s 10h0m0s 11h0m0s 12h0m0s", 79*time.Hour + 34*time.Minute},
	"rocketmq-16":       {17, "10s 30s 1m0s 2m0s 3m0s 4m0s 5m0s 6m0s 7m0s 8m0s 9m0s 10m0s 20m0s 30m0s 1h0m0s 2h0m0s", 4*time.Hour + 45*time.Minute + 40*time.Second},
	"standard-webhooks": {10, "5s 5m0s 30m0s 2h0m0s 5h0m0s 10h0m0s 14h0m0s 20h0m0s 24h0m0s", 75*time.Hour + 35*time.Minute + 5*time.Second},
	"classic":           {3, "1s 2s", 3 * time.Second},
	"consistency-task":  {0, "1m0s 1m0s", 2 * time.Minute},
	"default":           {8, "1s 2s 4s 8s 16s 32s 1m4s", 127 * time.Second},
}

func TestPresets(t *testing.T) {
	if len(Presets()) != len(presetPlans) {
		t.Errorf("%d presets, %d documented plans", len(Presets()), len(presetPlans))
	}
	for _, name := range Presets() {
		want := presetPlans[name]
		p := must(Preset(name))
		n := len(strings.Fields(want.delays))
		if want.attempts > 0 {
			n = 100 // the plan must end by itself
		}
		plan := p.Plan(n)
		if got := show(plan); got != want.delays {
			t.Errorf("%s: plan\n%s, want\n%s", name, got, want.delays)
		}
		if got := sum(plan); math.Abs(float64(got-want.total)) > 2000 {
			t.Errorf("%s: total %v, want %v", name, got, want.total)
		}
		if p.MaxAttempts() != want.attempts {
			t.Errorf("%s: %d attempts, want %d", name, p.MaxAttempts(), want.attempts)
		}
		info, ok := DescribePreset(name)
		if !ok || info.Purpose == "" || info.Source == "" {
			t.Errorf("%s: description %+v", name, info)
		}
	}
	if got := must(Preset("consistency-task")).FirstRunAfter(); got != time.Minute {
		t.Errorf("consistency-task: first run after %v", got)
	}
	if got := must(Preset("dispatch")).Cap(); got != 5*time.Minute {
		t.Errorf("dispatch: cap %v", got)
	}
}

// TestNeverEarlyPresets: presets that promise it never retry before the plan.
func TestNeverEarlyPresets(t *testing.T) {
	for _, name := range []string{"dispatch", "snailjob-26", "rocketmq-16", "standard-webhooks", "classic", "consistency-task"} {
		low, high := must(Preset(name)).Jitter().Bounds(Window{Nominal: time.Minute})
		if low != time.Minute || high != 66*time.Second {
			t.Errorf("%s: %v to %v", name, low, high)
		}
	}
}

func TestUnknownPreset(t *testing.T) {
	_, err := Preset("paymnt")
	field, ok := errors.AsType[*FieldError](err)
	if !ok || field.Field != "preset" || field.Hint != "did you mean payment?" {
		t.Errorf("%v", err)
	}
}

func TestEasyJobAccepted(t *testing.T) {
	for _, c := range []struct {
		first      time.Duration
		multiplier float64
		count      int
	}{
		{time.Second, 1, 1}, {time.Second, 3.5, 16}, {time.Second, 8, 16}, {1_000_000 * time.Second, 1, 1},
		{1_000_000 * time.Second, 8, 16}, {60 * time.Second, 1.1, 3}, {7 * time.Second, 2.3, 5},
	} {
		p, err := EasyJob(c.first, c.multiplier, c.count)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if p.MaxAttempts() != c.count+1 || p.Plan(1)[0] != c.first {
			t.Errorf("%+v: %d attempts, first %v", c, p.MaxAttempts(), p.Plan(1))
		}
		if got := p.Decide(Failure{Attempt: 1}, nil).Delay; got != c.first {
			t.Errorf("%+v: jitter %v", c, got)
		}
	}
	if got := show(must(Preset("easyjob(30s, 2, 5)")).Plan(9)); got != "30s 1m0s 2m0s 4m0s 8m0s" {
		t.Errorf("by name: %s", got)
	}
}

func TestEasyJobRefused(t *testing.T) {
	for _, c := range []struct {
		first      time.Duration
		multiplier float64
		count      int
		field      string
		value      string
	}{
		{time.Second, 0.9, 1, "multiplier", "0.9"}, {time.Second, 3.55, 1, "multiplier", "3.55"},
		{time.Second, 8.1, 1, "multiplier", "8.1"}, {time.Second, math.NaN(), 1, "multiplier", "NaN"},
		{time.Second, math.Inf(1), 1, "multiplier", "+Inf"},
		{time.Second, 2, 0, "count", "0 is"}, {time.Second, 2, 17, "count", "17"},
		{0, 2, 1, "first", "0s"}, {1500 * ms, 2, 1, "first", "1.5s"}, {-time.Second, 2, 1, "first", "-1s"},
	} {
		_, err := EasyJob(c.first, c.multiplier, c.count)
		fields := FieldErrors(err)
		if len(fields) != 1 || fields[0].Field != c.field || !strings.Contains(fields[0].Message, c.value) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, call := range []string{"easyjob", "easyjob()", "easyjob(1s,2)", "easyjob(x,2,3)", "easyjob(1s,2,3", "easyjob(1s,9,3)"} {
		if _, err := Preset(call); err == nil {
			t.Errorf("%q is accepted", call)
		}
	}
}

// must returns what a test knows to be right.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func show(delays []time.Duration) string {
	var words []string
	for _, d := range delays {
		words = append(words, d.String())
	}
	return strings.Join(words, " ")
}

func sum(delays []time.Duration) (total time.Duration) {
	for _, d := range delays {
		total += d
	}
	return total
}

// An enqueue asks twice for the preset that its task names: the table is made once.
func TestPresetsAreMadeOnce(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { DescribePreset("standard-webhooks") }); n > 0 {
		t.Errorf("a description takes %v allocations", n)
	}
}
