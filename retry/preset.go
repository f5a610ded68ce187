package retry

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
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

// preset is a row of the table in preset_table.go.
type preset struct {
	PresetInfo
	spec Spec
}

// Presets returns the names that [Preset] knows, in the order of the
// documentation. EasyJob is not among them because it has parameters.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// DescribePreset returns the description of a preset and whether it exists.
func DescribePreset(name string) (PresetInfo, bool) {
	for _, p := range presets {
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

// presetSpec returns the whole form of a preset. What it points to is shared.
func presetSpec(name string) (*Spec, error) {
	for _, p := range presets {
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
	return nil, &FieldError{Field: "preset", Message: fmt.Sprintf("%.60q is unknown", name), Hint: hint}
}

// easyJobCall reads "easyjob(30s, 2, 5)".
func easyJobCall(call string) (*Spec, error) {
	refused := &FieldError{
		Field:   "preset",
		Message: fmt.Sprintf("%.60q is not of the form easyjob(first, multiplier, retries)", call),
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
