package alerts

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

var ons = []alert.On{alert.OnDead, alert.OnRetry, alert.OnCrash, alert.OnProcess, alert.OnResources, alert.OnBreaker, alert.OnRedrive, alert.OnSchedule, alert.OnLetters, alert.OnQueue, alert.OnTarget, alert.OnType, alert.OnCategory, alert.OnGroup, alert.OnBlocked, alert.OnKey, alert.OnChange}

// Aggregate reports whether rules of a kind are measured, and so have an end.
func Aggregate(on alert.On) bool {
	switch on {
	case alert.OnLetters, alert.OnQueue, alert.OnTarget, alert.OnType, alert.OnCategory, alert.OnGroup, alert.OnBlocked, alert.OnKey, alert.OnChange:
		return true
	}
	return false
}

// Limits of a rule.
const (
	maxCooldown  = 7 * 24 * time.Hour
	maxHold      = 24 * time.Hour
	mostChannels = 16
)

// ParseRule reads a rule from one JSON object. Unknown keys, values of the
// wrong form or out of range and expressions that do not compile are refused
// all at once, as joined [retry.FieldError] values. The name may come from
// outside the document: it is checked only if it is not empty.
func ParseRule(data []byte) (*alert.Rule, error) {
	rule := &alert.Rule{}
	parse := findings.Object(data, rule, strictjson.Absent)
	if findings.Whole(parse) {
		return nil, parse
	}
	if err := errors.Join(parse, check(rule, false)); err != nil {
		return nil, err
	}
	return rule, nil
}

// CheckRule reports what is wrong with a rule, as joined [retry.FieldError] values.
func CheckRule(r *alert.Rule) error { return check(r, true) }

func check(r *alert.Rule, named bool) error {
	var f ruleFindings
	if named || r.Name != "" {
		f.Add(CheckName("name", r.Name))
	}
	switch {
	case r.On == "":
		f.Refuse("on", "one of "+onList(), "is required")
	case !slices.Contains(ons, r.On):
		f.Refuse("on", findings.Nearest(string(r.On), onNames()), "%s is nothing that a rule can look at", task.Quote(string(r.On)))
	default:
		f.condition("when", r.On, r.When)
	}
	f.channels("channels", r.Channels)
	f.within("cooldown", r.Cooldown, maxCooldown)
	f.within("digest", r.Digest, maxHold)
	f.within("for", r.Hold, maxHold)
	if r.Hold != nil && *r.Hold > 0 && r.On != "" && !Aggregate(r.On) {
		f.Refuse("for", "leave it out", "an event has no duration")
	}
	switch r.Severity {
	case "", alert.Info, alert.Warning, alert.Critical:
	default:
		f.Refuse("severity", findings.Nearest(r.Severity, Severities), "%s is not a severity", task.Quote(r.Severity))
	}
	return f.Err()
}

// Severities, the worst last.
var Severities = []string{alert.Info, alert.Warning, alert.Critical}

func onNames() []string {
	texts := make([]string, len(ons))
	for i, on := range ons {
		texts[i] = string(on)
	}
	return texts
}

func onList() string { return strings.Join(onNames(), ", ") }

func (f *ruleFindings) condition(path string, on alert.On, text string) {
	if text == "" {
		return
	}
	if _, err := Compile(on, text); err != nil {
		if field, ok := errors.AsType[*retry.FieldError](err); ok {
			f.Refuse(path, field.Hint, "%s", field.Message)
			return
		}
		f.Refuse(path, "", "%s", err)
	}
}

func (f *ruleFindings) channels(path string, names []string) {
	if len(names) > mostChannels {
		f.Refuse(path, "", "has %d names; the limit is %d", len(names), mostChannels)
		return
	}
	for i, name := range names {
		at := path + "[" + strconv.Itoa(i) + "]"
		if f.Add(CheckName(at, name)); slices.Contains(names[:i], name) {
			f.Refuse(at, "remove one of them", "%s is given twice", task.Quote(name))
		}
	}
}

func (f *ruleFindings) within(path string, d *retry.Duration, most time.Duration) {
	if d != nil && (*d < 0 || time.Duration(*d) > most) {
		f.Refuse(path, "", "%s is outside 0s to %s", plaintext.Span(time.Duration(*d)), plaintext.Span(most))
	}
}

// Cooldown is the cool-down that holds for a rule.
func Cooldown(r *alert.Rule) time.Duration { return Length(r.Cooldown, alert.DefaultCooldown) }

// TellsRecovery reports whether the end of a rule's alert is told.
func TellsRecovery(r *alert.Rule) bool {
	return Aggregate(r.On) && (r.Recovery == nil || *r.Recovery)
}

// Length is a duration, or the usual one where it is absent.
func Length(d *retry.Duration, usual time.Duration) time.Duration {
	if d == nil {
		return usual
	}
	return time.Duration(*d)
}

// ParseTaskRule reads the alert of a task or policy, as [ParseRule] does a rule. The
// paths of its errors begin without a prefix.
func ParseTaskRule(data []byte) (*alert.TaskRule, error) {
	rule := &alert.TaskRule{}
	parse := findings.Object(data, rule, strictjson.Absent)
	if findings.Whole(parse) {
		return nil, parse
	}
	var f ruleFindings
	f.condition("when", alert.OnTask, rule.When)
	f.channels("channels", rule.Channels)
	f.within("cooldown", rule.Cooldown, maxCooldown)
	if err := errors.Join(parse, f.Err()); err != nil {
		return nil, err
	}
	return rule, nil
}
