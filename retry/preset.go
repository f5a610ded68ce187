package retry

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
)

// PresetInfo describes a preset for people.
type PresetInfo struct {
	Name string
	// Purpose says what the preset is for and how long its retries take in total,
	// without jitter and without the attempts themselves.
	Purpose string
	// Source says where the schedule comes from.
	Source string
}

// preset is a row of the table.
type preset struct {
	PresetInfo
	spec Spec
}

// Presets returns the names that [Preset] knows, in the order of the
// documentation. EasyJob is not among them because it has parameters.
func Presets() []string {
	known := presets()
	names := make([]string, len(known))
	for i, p := range known {
		names[i] = p.Name
	}
	return names
}

// DescribePreset returns the description of a preset and whether it exists.
func DescribePreset(name string) (PresetInfo, bool) {
	for _, p := range presets() {
		if p.Name == name {
			return p.PresetInfo, true
		}
	}
	return PresetInfo{}, false
}

// Preset returns the policy of that name. Besides [Presets] it reads the form
// "easyjob(30s, 2, 5)": first interval, multiplier and number of retries of
// [EasyJob]. An unknown name is a [FieldError] on "preset".
func Preset(name string) (*Policy, error) {
	spec, err := presetSpec(name)
	if err != nil {
		return nil, err
	}
	return spec.Policy()
}

// presetSpec returns the whole form of a preset.
func presetSpec(name string) (*Spec, error) {
	for _, p := range presets() {
		if p.Name == name {
			spec := p.spec
			return &spec, nil
		}
	}
	if strings.HasPrefix(name, "easyjob") {
		return easyJobCall(name)
	}
	hint := didYouMean(name, Presets())
	if hint == "" {
		hint = "one of " + strings.Join(Presets(), ", ") + ", easyjob(30s, 2, 5)"
	}
	return nil, &FieldError{Field: "preset", Message: plainfmt.Sprintf("%.60q is unknown", name), Hint: hint}
}

// easyJobCall reads "easyjob(30s, 2, 5)".
func easyJobCall(call string) (*Spec, error) {
	refused := &FieldError{
		Field:   "preset",
		Message: plainfmt.Sprintf("%.60q is not of the form easyjob(first, multiplier, retries)", call),
		Hint:    "for instance easyjob(30s, 2, 5)",
	}
	arguments, ok := strings.CutPrefix(call, "easyjob(")
	arguments, closed := strings.CutSuffix(arguments, ")")
	parts := strings.Split(arguments, ",")
	if !ok || !closed || len(parts) != 3 {
		return nil, refused
	}
	first, firstErr := ParseDuration(strings.TrimSpace(parts[0]))
	multiplier, multiplierErr := strconv.ParseFloat(strings.TrimSpace(parts[1]), 64)
	count, countErr := strconv.Atoi(strings.TrimSpace(parts[2]))
	if firstErr != nil || multiplierErr != nil || countErr != nil {
		return nil, refused
	}
	return easyJobSpec(first, multiplier, count)
}

// EasyJob returns the schedule of the EasyJob framework: retry n after
// first · multiplier^(n−1), count retries, no jitter.
//
// First is a positive whole number of seconds without upper bound, multiplier 1.0
// to 8.0 in tenths, count 1 to 16. Anything else is a [FieldError] that names the
// field "first", "multiplier" or "count", the value and the range.
func EasyJob(first time.Duration, multiplier float64, count int) (*Policy, error) {
	spec, err := easyJobSpec(first, multiplier, count)
	if err != nil {
		return nil, err
	}
	return spec.Policy()
}

func easyJobSpec(first time.Duration, multiplier float64, count int) (*Spec, error) {
	var f findings
	if first <= 0 || first%time.Second != 0 {
		f.refuse("first", "", "%v is not a positive whole number of seconds", first)
	}
	tenths := math.Round(multiplier * 10)
	if !(tenths >= 10 && tenths <= 80) || math.Abs(multiplier*10-tenths) > 1e-9 {
		f.refuse("multiplier", "", "%v is outside 1.0 to 8.0 in steps of 0.1", multiplier)
	}
	if count < 1 || count > 16 {
		f.refuse("count", "", "%d is outside 1 to 16", count)
	}
	if len(f.errs) > 0 {
		return nil, f.err()
	}
	attempts := count + 1
	return &Spec{
		MaxAttempts: &attempts,
		Backoff: &BackoffSpec{
			Kind: "exponential", Initial: duration(first), Multiplier: &multiplier,
			Jitter: &JitterSpec{Kind: "none"},
		},
	}, nil
}

// outlast is the source of presets that copy no other product.
const outlast = "Outlast"

// madePresets are those of makePresets, made when somebody asks, so that programs that do
// not are smaller. They must not be changed.
var madePresets struct {
	once sync.Once
	all  []preset
}

func presets() []preset {
	madePresets.once.Do(func() { madePresets.all = makePresets() })
	return madePresets.all
}

// makePresets makes them in the order of the documentation. Attempts are retries plus one.
func makePresets() []preset {
	return []preset{
		{PresetInfo{"instant", "Glitches of a fast dependency: 3 retries within 0.7 s.", outlast},
			exponentially(4, 100*time.Millisecond, 2, 0)},
		{PresetInfo{"transient", "Passing failures: 5 retries, 31 s in total.", outlast},
			exponentially(6, time.Second, 2, 0)},
		{PresetInfo{"permanent", "No retries.", outlast},
			exponentially(1, time.Second, 2, 0)},
		{PresetInfo{"dispatch", "Handing tasks to workers that may be away: 1, 5, 10, then every 60 s without end, never early.",
			"dispatch steps of Outlast's worker groups"},
			Spec{Unlimited: true, Backoff: stepwise(5*time.Minute, "additive", 1, 5, 10, 60)}},
		{PresetInfo{"short", "Network jitter: 4 retries, 15 s in total.", outlast},
			exponentially(5, time.Second, 2, 0)},
		{PresetInfo{"medium", "Restarts, deploys and short overload: 5 retries, 15.5 minutes in total.", outlast},
			exponentially(6, 30*time.Second, 2, 0)},
		{PresetInfo{"long", "Resource-heavy work: 8 retries, 9.66 hours in total.", outlast},
			exponentially(9, 300*time.Second, 1.75, 0)},
		{PresetInfo{"payment", "Payments: 5 attempts, 15 s of waits.", outlast},
			exponentially(5, time.Second, 2, 30*time.Second)},
		{PresetInfo{"notification", "Notifications: 3 attempts, 1.25 s of waits.", outlast},
			exponentially(3, 500*time.Millisecond, 1.5, 10*time.Second)},
		{PresetInfo{"data-sync", "Data synchronization: 3 attempts, 6 s of waits.", outlast},
			exponentially(3, 2*time.Second, 2, 60*time.Second)},
		{PresetInfo{"order-create", "Creating orders while a person waits: 3 retries within 0.6 s.", outlast},
			linearly(4, 100*time.Millisecond)},
		{PresetInfo{"payment-callback", "Callbacks of payment providers: 5 attempts, 15 s of waits.", outlast},
			exponentially(5, time.Second, 2, 30*time.Second)},
		{PresetInfo{"logistics-sync", "Logistics updates: 2 retries within 15 s.", outlast},
			linearly(3, 5*time.Second)},
		{PresetInfo{"snailjob-26", "SnailJob's delay levels: 26 retries, 79 h 34 min in total, never early.",
			"SnailJob 2.0.2, delay levels 1 to 26"},
			limited(27, stepwise(0, "additive", 10, 15, 30, 35, 40, 50,
				1*60, 2*60, 4*60, 6*60, 8*60, 10*60, 20*60, 40*60,
				1*3600, 2*3600, 3*3600, 4*3600, 5*3600, 6*3600, 7*3600, 8*3600, 9*3600, 10*3600, 11*3600, 12*3600))},
		{PresetInfo{"rocketmq-16", "RocketMQ's consumer retry levels: 16 retries, 4 h 45 min 40 s in total, never early.",
			"RocketMQ, messageDelayLevel from level 3 on"},
			limited(17, stepwise(0, "additive", 10, 30,
				1*60, 2*60, 3*60, 4*60, 5*60, 6*60, 7*60, 8*60, 9*60, 10*60, 20*60, 30*60, 1*3600, 2*3600))},
		{PresetInfo{"standard-webhooks", "Webhooks to receivers that may be down for days: 9 retries, 75 h 35 min 5 s in total, never early.",
			"Standard Webhooks specification, example retry schedule"},
			limited(10, stepwise(0, "additive", 5, 5*60, 30*60,
				2*3600, 5*3600, 10*3600, 14*3600, 20*3600, 24*3600))},
		{PresetInfo{"classic", "The textbook's schedule: 3 attempts, 3 s of waits, never early.", outlast},
			limited(3, &BackoffSpec{Kind: "exponential", Initial: duration(time.Second), Multiplier: number(2),
				Max: duration(60 * time.Second), Jitter: jitterSpec("additive")})},
		{PresetInfo{"consistency-task", "Eventual consistency: first run after 60 s, then every 60 s without end, never early.",
			"@ConsistencyTask of com.ruyuan.consistency: executeIntervalSec 60, delayTime 60"},
			Spec{Unlimited: true, FirstRunAfter: duration(60 * time.Second),
				Backoff: &BackoffSpec{Kind: "fixed", Initial: duration(60 * time.Second), Jitter: jitterSpec("additive")}}},
		{PresetInfo{"default", "Tasks that name no policy: 8 attempts, 127 s of waits.", outlast},
			exponentially(DefaultAttempts, DefaultInitial, DefaultMultiplier, DefaultMax)},
	}
}

// limited is a spec with that many attempts.
func limited(attempts int, backoff *BackoffSpec) Spec {
	return Spec{MaxAttempts: &attempts, Backoff: backoff}
}

// exponentially is an exponential spec with full jitter.
func exponentially(attempts int, initial time.Duration, multiplier float64, max time.Duration) Spec {
	backoff := &BackoffSpec{Kind: "exponential", Initial: duration(initial), Multiplier: number(multiplier), Jitter: jitterSpec("full")}
	if max > 0 {
		backoff.Max = duration(max)
	}
	return limited(attempts, backoff)
}

// linearly is a linear spec with full jitter and a step of the first interval.
func linearly(attempts int, initial time.Duration) Spec {
	return limited(attempts, &BackoffSpec{Kind: "linear", Initial: duration(initial), Jitter: jitterSpec("full")})
}

// stepwise is a backoff with the given steps in seconds.
func stepwise(max time.Duration, jitter string, seconds ...int) *BackoffSpec {
	backoff := &BackoffSpec{Kind: "steps", Jitter: jitterSpec(jitter)}
	for _, s := range seconds {
		backoff.Steps = append(backoff.Steps, Duration(time.Duration(s)*time.Second))
	}
	if max > 0 {
		backoff.Max = duration(max)
	}
	return backoff
}

// jitterSpec is a jitter by name; additive spreads by a tenth.
func jitterSpec(kind string) *JitterSpec {
	spec := &JitterSpec{Kind: kind}
	if kind == "additive" {
		spec.X = number(0.1)
	}
	return spec
}

func duration(d time.Duration) *Duration { return (*Duration)(&d) }

func number(x float64) *float64 { return &x }
