package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
)

// Inline is the name under which people see a policy that came with the task, or that a
// type was given as a value.
const Inline = "inline"

// Asked is what the options of a type ask for.
type Asked struct {
	Policy *retry.Policy
	Given  bool // Policy was given, though it may be nil

	AlertWhen string
	AlertTo   []string
	AlertFunc alert.ChannelFunc

	Name        string // of a policy
	Interval    *time.Duration
	MaxAttempts *int
	Timeout     *time.Duration

	Aliases []string // names that the type had before
	Calls   bool     // options of calls were given where none are made

	Names     bool // Target was given
	Target    func(payload []byte) string
	Unguarded bool

	Around []Middleware
}

// Rules are what holds for tasks of a type that say nothing else. They must not be changed.
type Rules struct {
	Policy     *retry.Policy // nil leaves the choice to the queue
	PolicyName string
	Named      bool            // PolicyName may have been put in place of the preset
	Alert      json.RawMessage // nil for none

	later     string // the name of a policy that is no preset; a start looks for it
	target    func(payload []byte) string
	unguarded bool
}

// compile turns what is asked for a type into what holds.
func compile(c *accept.Complaints, asked *Asked, taskType string) Rules {
	r := Rules{target: asked.Target, unguarded: asked.Unguarded}
	r.Alert = asked.alert(c, taskType)
	asked.checkTarget(c)
	if asked.Calls {
		c.Add("options", "options of calls have no meaning for Handle, which makes none", "give them to Define or to the call, or set the fields of the Draft")
	}
	if slices.ContainsFunc(asked.Around, func(m Middleware) bool { return m == nil }) {
		c.Add("around", "the function is nil", "leave it out")
	}
	if asked.Timeout != nil && (*asked.Timeout < drafts.MinTimeout || *asked.Timeout > drafts.MaxTimeout) {
		c.Add("timeout", asked.Timeout.String()+" is outside 1ms to 24h", "")
	}
	r.compilePolicy(c, asked)
	return r
}

func (r *Rules) compilePolicy(c *accept.Complaints, asked *Asked) {
	overrides := asked.Interval != nil || asked.MaxAttempts != nil || asked.Timeout != nil
	if asked.Given {
		r.Policy, r.PolicyName = asked.Policy, Inline
		if asked.Name != "" || overrides {
			c.Add("retry", "stands beside other options of the policy", "set them in the policy that Retry is given")
		}
		givenPolicy(c, asked.Policy)
		return
	}
	if asked.Name == "" && !overrides {
		return
	}
	if !overrides && policy.CheckName(asked.Name) == nil {
		r.PolicyName, r.Named = asked.Name, true
		if _, preset := retry.DescribePreset(asked.Name); !preset {
			r.later = asked.Name
			return
		}
	}
	spec := retry.Spec{Preset: asked.Name, MaxAttempts: asked.MaxAttempts}
	if asked.Interval != nil {
		spec.Backoff = &retry.BackoffSpec{Kind: "fixed", Initial: (*retry.Duration)(asked.Interval)}
	}
	if asked.Timeout != nil {
		spec.Timeout = (*retry.Duration)(asked.Timeout)
	}
	made, err := spec.Policy()
	c.RetryErr("policy", err)
	r.Policy, r.PolicyName = made, cmp.Or(asked.Name, policy.Default)
}

// givenPolicy refuses what a policy may not be or have as that of tasks.
func givenPolicy(c *accept.Complaints, p *retry.Policy) {
	if p == nil || p.Backoff() == nil {
		c.Add("retry", "the policy is nil or empty", "make it with retry.New, retry.Preset or retry.Default")
		return
	}
	for _, name := range p.CallsOnly() {
		c.Add("retry", name+" has no meaning for tasks", callsOnlyHints[name])
	}
}

// callsOnlyHints say what tasks have instead, where they have something.
var callsOnlyHints = map[string]string{
	"For":           "guards of tasks are made by retry.TaskBudget and retry.TaskBreaker; Target names what they protect",
	"WithBudget":    "use retry.TaskBudget",
	"WithBreaker":   "use retry.TaskBreaker",
	"Observe":       "use WithObserver of the client",
	"NotIdempotent": "tasks are repeated: say retry.Attempts(1), or a rule that ends them",
}

// checkTarget refuses what options about the target cannot mean.
func (a *Asked) checkTarget(c *accept.Complaints) {
	switch {
	case a.Names && a.Target == nil:
		c.Add("target", "the function that names the target is nil", "")
	case a.Names && a.Unguarded:
		c.Add("target", "NoGuards stands beside Target", "a target that is named has guards; leave one of the two out")
	}
}

// alert puts the options about alerts together and checks them. The function of the type is
// one of its channels.
func (a *Asked) alert(c *accept.Complaints, taskType string) json.RawMessage {
	if a.AlertWhen == "" && len(a.AlertTo) == 0 && a.AlertFunc == nil {
		return nil
	}
	rule := alert.TaskRule{When: a.AlertWhen, Channels: a.AlertTo}
	text, err := json.Marshal(rule)
	if err == nil {
		_, err = alerts.ParseTaskRule(text)
	}
	c.RetryErr("alert", err)
	if a.AlertFunc == nil {
		return text
	}
	rule.Channels = append(slices.Clone(a.AlertTo), FuncChannel(taskType))
	text, _ = json.Marshal(rule)
	return text
}

// FuncChannel is the channel of a type's own function. Types may have
// characters that channels may not, and be longer.
func FuncChannel(taskType string) string {
	name := "func." + strings.ReplaceAll(taskType, ":", "_")
	if len(name) > 64 {
		name = name[:48] + fmt.Sprintf("%016x", accept.LaneHash(taskType))
	}
	return name
}
