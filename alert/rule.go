package alert

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// On says what a rule looks at.
type On string

// Events, which happen.
const (
	OnDead      On = "dead"      // a task has become a dead letter; the subject is its type
	OnRetry     On = "retry"     // an attempt has failed and another follows; the subject is the task
	OnCrash     On = "crash"     // a process died while a task ran, or a worker's lease ended; the subject is its type
	OnProcess   On = "process"   // a process died while tasks ran in it; they share one subject
	OnResources On = "resources" // a node lacks descriptors, memory or ports to make calls; all nodes share one subject
	OnBreaker   On = "breaker"   // a target's breaker has changed; the subject is the target
	OnRedrive   On = "redrive"   // a redrive has ended; the subject is the operation
	OnSchedule  On = "schedule"  // ticks of a schedule were missed; the subject is the schedule
)

// OnTask is what the rule of one task looks at: its retries and its death.
const OnTask On = "task"

// Aggregates, which are measured every few seconds and hold or do not.
const (
	OnLetters  On = "letters"  // the dead letters; there is one subject
	OnQueue    On = "queue"    // each queue
	OnTarget   On = "target"   // each target called in the last minutes
	OnType     On = "type"     // each type run in the last minutes
	OnCategory On = "category" // each category of failures
	OnGroup    On = "group"    // each worker group
	OnBlocked  On = "blocked"  // each ordering key that a dead letter blocks and tasks wait behind
	OnKey      On = "key"      // each encryption key for want of which tasks wait
	OnChange   On = "change"   // attempts of one number of a type, before and after a new release or policy version
)

var ons = []On{OnDead, OnRetry, OnCrash, OnProcess, OnResources, OnBreaker, OnRedrive, OnSchedule, OnLetters, OnQueue, OnTarget, OnType, OnCategory, OnGroup, OnBlocked, OnKey, OnChange}

// Aggregate reports whether rules of this kind are measured, and so have an
// end.
func (o On) Aggregate() bool {
	switch o {
	case OnLetters, OnQueue, OnTarget, OnType, OnCategory, OnGroup, OnBlocked, OnKey, OnChange:
		return true
	}
	return false
}

// Defaults and limits of a rule.
const (
	DefaultCooldown = 5 * time.Minute
	maxCooldown     = 7 * 24 * time.Hour
	maxHold         = 24 * time.Hour
	mostChannels    = 16
)

// Rule says when to tell whom. Read it with [ParseRule].
type Rule struct {
	Name string `json:"name"`
	// On is what the rule looks at.
	On On `json:"on"`
	// When is a condition in CEL; empty means always.
	When string `json:"when,omitempty"`
	// Channels name those who are told. Without any, all channels that are
	// marked as default are; without such, the log.
	Channels []string `json:"channels,omitempty"`
	// Cooldown is how long further alerts about the same subject are held
	// back. 5 minutes when absent; 0s for none.
	Cooldown *Duration `json:"cooldown,omitempty"`
	// Digest collects alerts for so long before the first message about a
	// subject, which then tells of all. 0s when absent.
	Digest *Duration `json:"digest,omitempty"`
	// Hold is how long the condition of an aggregate must have held. 0s when
	// absent.
	Hold *Duration `json:"for,omitempty"`
	// Recovery says whether the end of an aggregate's alert is told. True when
	// absent.
	Recovery *bool `json:"recovery,omitempty"`
	// Severity is info, warning or critical; warning when empty.
	Severity string `json:"severity,omitempty"`
	// Disabled turns the rule off.
	Disabled bool `json:"disabled,omitempty"`
}

// ParseRule reads a rule from one JSON object. Unknown keys, values of the
// wrong form or out of range and expressions that do not compile are refused
// all at once, as joined [retry.FieldError] values. The name may come from
// outside the document: it is checked only if it is not empty.
func ParseRule(data []byte) (*Rule, error) {
	rule := &Rule{}
	parse := findings.Object(data, rule, strictjson.Absent)
	if findings.Whole(parse) {
		return nil, parse
	}
	if err := errors.Join(parse, rule.check(false)); err != nil {
		return nil, err
	}
	return rule, nil
}

// Check reports what is wrong with a rule, as joined [retry.FieldError] values.
func (r *Rule) Check() error { return r.check(true) }

func (r *Rule) check(named bool) error {
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
	if r.Hold != nil && *r.Hold > 0 && r.On != "" && !r.On.Aggregate() {
		f.Refuse("for", "leave it out", "an event has no duration")
	}
	switch r.Severity {
	case "", Info, Warning, Critical:
	default:
		f.Refuse("severity", findings.Nearest(r.Severity, severities), "%s is no severity", task.Quote(r.Severity))
	}
	return f.Err()
}

// The severities.
const (
	Info     = "info"
	Warning  = "warning"
	Critical = "critical"
)

func onNames() []string {
	texts := make([]string, len(ons))
	for i, on := range ons {
		texts[i] = string(on)
	}
	return texts
}

func onList() string { return strings.Join(onNames(), ", ") }

func (f *ruleFindings) condition(path string, on On, text string) {
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
		f.Refuse(path, "", "has %d names; %d are the limit", len(names), mostChannels)
		return
	}
	for i, name := range names {
		at := path + "[" + strconv.Itoa(i) + "]"
		if f.Add(CheckName(at, name)); slices.Contains(names[:i], name) {
			f.Refuse(at, "remove one of them", "%s is given twice", task.Quote(name))
		}
	}
}

func (f *ruleFindings) within(path string, d *Duration, most time.Duration) {
	if d != nil && (*d < 0 || time.Duration(*d) > most) {
		f.Refuse(path, "", "%s is outside 0s to %s", Span(time.Duration(*d)), Span(most))
	}
}

// CooldownTime is the cool-down that holds.
func (r *Rule) CooldownTime() time.Duration { return length(r.Cooldown, DefaultCooldown) }

// TellsRecovery reports whether the end of an alert is told.
func (r *Rule) TellsRecovery() bool { return r.On.Aggregate() && (r.Recovery == nil || *r.Recovery) }

// TaskRule is the rule of one task or of a policy: it looks at the retries
// and the death of that task.
type TaskRule struct {
	// When is a condition over the variables that both retry and dead set;
	// empty means the death only.
	When string `json:"when,omitempty"`
	// Channels and Cooldown are as in [Rule].
	Channels []string  `json:"channels,omitempty"`
	Cooldown *Duration `json:"cooldown,omitempty"`
}

// ParseTaskRule reads the alert of a task or policy, as [ParseRule] does. The
// paths of its errors begin without a prefix.
func ParseTaskRule(data []byte) (*TaskRule, error) {
	rule := &TaskRule{}
	parse := findings.Object(data, rule, strictjson.Absent)
	if findings.Whole(parse) {
		return nil, parse
	}
	var f ruleFindings
	f.condition("when", OnTask, rule.When)
	f.channels("channels", rule.Channels)
	f.within("cooldown", rule.Cooldown, maxCooldown)
	if err := errors.Join(parse, f.Err()); err != nil {
		return nil, err
	}
	return rule, nil
}
