package retry

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/classify"
)

// Action is what a rule does with the failures it matches.
type Action string

const (
	// Retry repeats them, within the limits, even if the advice of their category
	// is never. It is what an empty Action means.
	Retry Action = "retry"
	// GiveUp ends the task, or the call, at once.
	GiveUp Action = "dead"
	// never is how policies of calls that are not tasks may write GiveUp.
	never Action = "never"
	// SnoozeTask repeats them after the delay, a second at the least, without
	// counting the attempt: only the deadline ends that. It is for durable tasks; calls in this process read
	// it as [Retry].
	SnoozeTask Action = "snooze"
)

// GivesUp reports whether the action is GiveUp, which a policy may also write as never.
func (a Action) GivesUp() bool { return a == GiveUp || a == never }

// Rule changes what a policy does with some failures. The first matching rule
// decides and no other is consulted.
type Rule struct {
	// When lists the categories. It must not be empty for [Rules] without If.
	When []Category
	// If is a condition beyond the category; nil for none.
	If Condition
	// Then is what happens. Empty means [Retry].
	Then Action
	// MaxAttempts limits the total number of attempts of the task, whatever the
	// earlier ones failed with. It can only lower the policy's limit. 0 keeps it.
	MaxAttempts int
	// Backoff replaces the policy's; nil keeps it. Its n is the number of the
	// attempt that failed, like the policy's. A rule with a backoff of its own also
	// replaces the category's advice on delays; see [Policy.Decide].
	Backoff Backoff
	// Jitter replaces the policy's; nil keeps it. Where the policy names none either,
	// it is that of the rule's backoff; see [Fixed].
	Jitter Jitter
	// Max caps the nominal delay of Backoff and the hints. 0 takes the maximum of
	// Backoff itself.
	Max time.Duration
}

// rule is a Rule with what is precomputed for Decide.
type rule struct {
	Rule
	schedule
	name    string
	selects string           // what matches selects, for the name
	matches func(error) bool // nil for rules by category
	broken  bool             // the sentinel is nil
}

// compile fills the schedule, taking what the rule leaves open from the policy's.
func (r *rule) compile(policy *schedule, name string) {
	r.name = name
	r.schedule = *policy
	if r.Rule.Backoff != nil {
		r.schedule.backoff, r.schedule.max = r.Rule.Backoff, 0
	}
	if r.Rule.Max > 0 {
		r.schedule.max = r.Rule.Max
	}
	if r.Rule.Jitter != nil {
		r.schedule.choose(r.Rule.Jitter)
	}
	r.schedule.compile()
}

// holds reports whether the rule matches the failure.
func (r *rule) holds(f *Failure, c Category) bool {
	if len(r.When) > 0 && !slices.Contains(r.When, c) {
		return false
	}
	if r.If != nil && !r.If.Holds(*f) {
		return false
	}
	return r.matches == nil || f.Err != nil && r.matches(f.Err)
}

// ruleFor returns the first matching rule, nil when there is none.
func (p *Policy) ruleFor(f *Failure, c Category) *rule {
	for i := range p.byError {
		if p.byError[i].holds(f, c) {
			return &p.byError[i]
		}
	}
	for i := range p.rules {
		if p.rules[i].holds(f, c) {
			return &p.rules[i]
		}
	}
	return nil
}

// selected reports whether one of the selectors of [On] or [GiveUpOn] names the
// verdict by category, code or type.
func selected(selectors []string, v *Verdict, c Category) bool {
	for _, s := range selectors {
		if s == string(c) || v.Code != "" && s == v.Code || v.Type != "" && sameType(s, v.Type) {
			return true
		}
	}
	return false
}

// sameType compares a selector with the name of a type. A selector without a
// package or module matches the last part of the name.
func sameType(selector, name string) bool {
	return selector == name || selector == classify.LastPart(name)
}

// title is what the rule is about, for the name of what decided.
func (r *Rule) title() string {
	if r.If == nil {
		return listed(r.When)
	}
	return short(r.If.String())
}

// short cuts an expression to what fits a log line.
func short(expression string) string {
	const most = 60
	runes := 0
	for i := range expression {
		if runes++; runes > most {
			return expression[:i] + "…"
		}
	}
	return expression
}

func listed(categories []Category) string {
	names := make([]string, len(categories))
	for i, c := range categories {
		names[i] = string(c)
	}
	return strings.Join(names, ",")
}

// Condition is an expression over a failure, such as one in CEL. It must be safe
// for concurrent use.
type Condition interface {
	// Holds reports whether the condition holds for the failure, whose category
	// is never empty. What cannot be evaluated does not hold.
	Holds(f Failure) bool
	// String is the expression as it was written.
	String() string
}

// conditions compiles the expressions of policies. This package knows no
// expression language, so that it needs no library.
var conditions atomic.Pointer[func(expression string) (Condition, error)]

// RegisterConditions makes policies accept expressions in [RuleSpec.If], in this
// whole process; without it they are refused. Package cel of this module does so when it
// is imported. The error of compile becomes the message of a [FieldError].
func RegisterConditions(compile func(expression string) (Condition, error)) {
	conditions.Store(&compile)
}

// condition compiles an expression; nil, and a finding, if that is not possible.
func condition(f *findings, path, expression string) Condition {
	compile := conditions.Load()
	if compile == nil {
		f.refuse(path, "for instance [network, timeout]; programs that import the packages policy and cel take expressions",
			"a list of categories is wanted; nothing here reads expressions")
		return nil
	}
	made, err := (*compile)(expression)
	if err == nil {
		return made
	}
	if field, ok := errors.AsType[*FieldError](err); ok {
		f.refuse(path, field.Hint, "%s", field.Message)
	} else {
		f.refuse(path, "", "%s", err.Error())
	}
	return nil
}
