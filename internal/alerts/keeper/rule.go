package keeper

import (
	"cmp"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/task"
)

// compiled is a rule that is ready to be asked.
type compiled struct {
	alert.Rule
	account   string             // what its states are kept by
	condition *alerts.Expression // nil for always
}

func compile(rule *alert.Rule) (*compiled, error) {
	c := &compiled{Rule: *rule, account: rule.Name}
	if rule.When == "" {
		return c, nil
	}
	condition, err := alerts.Compile(rule.On, rule.When)
	c.condition = condition
	return c, err
}

// holds reports whether the rule holds for an occurrence. What cannot be told,
// such as a division by zero, does not hold.
func (c *compiled) holds(o *alerts.Occurrence) bool {
	if c.condition == nil {
		return true
	}
	holds, err := c.condition.Holds(o.Values)
	return err == nil && holds
}

// message is what a rule tells of an occurrence.
func (c *compiled) message(id task.ID, o *alerts.Occurrence) *alert.Message {
	taskType, _ := o.Values["type"].(string)
	target, _ := o.Values["target"].(string)
	return &alert.Message{
		TaskType: taskType, Target: target,
		ID: id.String(), Kind: alert.Raised, Rule: c.Name, Subject: o.Subject, Severity: cmp.Or(c.Severity, alert.Warning),
		Text: o.Text, Fields: o.Fields, At: o.At.UTC().Truncate(time.Microsecond), Queue: o.Queue,
	}
}

// asker is a rule that holds for an event, as the task that raises it carries it.
type asker struct {
	// Account is what the state of the rule is kept by, beside the subject: its name, or
	// whom the alerts of tasks tell, so that none waits for the cool-down of another.
	Account  string        `json:"account"`
	Rule     string        `json:"rule"`
	Severity string        `json:"severity"`
	Cooldown time.Duration `json:"cooldown,omitempty"` // ns
	Digest   time.Duration `json:"digest,omitempty"`   // ns
	Channels []string      `json:"channels,omitempty"`
}

func (c *compiled) asker() asker {
	return asker{
		Account: c.account, Rule: c.Name, Severity: cmp.Or(c.Severity, alert.Warning),
		Cooldown: alerts.Cooldown(&c.Rule), Digest: alerts.Length(c.Digest, 0), Channels: c.Channels,
	}
}

// called is the rule in a sentence.
func (a *asker) called() string {
	if a.Rule == alerts.TaskRule && a.Account != alerts.TaskRule {
		return "the task's own alert"
	}
	return "the rule " + a.Rule
}

// holding are the rules that hold for an event: the task's own first, then the worst.
func holding(own *compiled, rules []*compiled, o *alerts.Occurrence) (all []*compiled) {
	for _, rule := range rules {
		if rule.holds(o) {
			all = append(all, rule)
		}
	}
	slices.SortStableFunc(all, func(a, b *compiled) int { return cmp.Compare(b.weight(), a.weight()) })
	if own != nil && own.holds(o) {
		all = slices.Insert(all, 0, own)
	}
	return all
}

// weight is greater the worse the rule's severity is.
func (c *compiled) weight() int {
	return slices.Index(alerts.Severities, cmp.Or(c.Severity, alert.Warning))
}
