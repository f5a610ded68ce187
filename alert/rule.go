package alert

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
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

// The severities.
const (
	Info     = "info"
	Warning  = "warning"
	Critical = "critical"
)

// DefaultCooldown is the cool-down of a rule without one.
const DefaultCooldown = 5 * time.Minute

// Rule says when to tell whom. It is checked when it is put.
type Rule struct {
	// Name has 1 to 64 of the characters A-Z a-z 0-9 . _ -. A rule with the name of a
	// built-in one replaces it.
	Name string `json:"name" required:"false" doc:"1 to 64 of the characters A-Z a-z 0-9 . _ -; that of the path when absent. A rule with the name of a built-in one replaces it."`
	// On is what the rule looks at.
	On On `json:"on" enum:"dead,retry,crash,process,resources,breaker,redrive,schedule,letters,queue,target,type,category,group,blocked,key,change" doc:"What the rule looks at: events, from dead to schedule, or aggregates, from letters to change, which hold or do not."`
	// When is a condition in CEL; empty means always.
	When string `json:"when,omitempty" doc:"Condition in CEL, always when absent."`
	// Channels name those who are told. Without any, all channels that are
	// marked as default are; without such, the log.
	Channels []string `json:"channels,omitempty" doc:"Who is told; the default channels when absent."`
	// Cooldown is how long further alerts about the same subject are held
	// back. 5 minutes when absent; 0s for none.
	Cooldown *retry.Duration `json:"cooldown,omitempty" doc:"How long further alerts about the same subject are held back; 5m when absent, 0s for none."`
	// Digest collects alerts for so long before the first message about a
	// subject, which then tells of all. 0s when absent.
	Digest *retry.Duration `json:"digest,omitempty" doc:"How long alerts about a subject are collected before the first message; 0s when absent."`
	// Hold is how long the condition of an aggregate must have held. 0s when
	// absent.
	Hold *retry.Duration `json:"for,omitempty" doc:"How long the condition of an aggregate must have held; 0s when absent."`
	// Recovery says whether the end of an aggregate's alert is told. True when
	// absent.
	Recovery *bool `json:"recovery,omitempty" doc:"Whether the end of an alert of an aggregate is told; true when absent."`
	// Severity is info, warning or critical; warning when empty.
	Severity string `json:"severity,omitempty" enum:"info,warning,critical" doc:"How bad it is; warning when absent."`
	// Disabled turns the rule off.
	Disabled bool `json:"disabled,omitempty" doc:"The rule is off."`
}

// TaskRule is the rule of one task or of a policy: it looks at the retries
// and the death of that task. Draft.Alert and the field alert of a policy are one in JSON.
type TaskRule struct {
	// When is a condition over the variables that both retry and dead set;
	// empty means the death only.
	When string `json:"when,omitempty"`
	// Channels and Cooldown are as in [Rule].
	Channels []string        `json:"channels,omitempty"`
	Cooldown *retry.Duration `json:"cooldown,omitempty"`
}

// RuleView is a rule with where it comes from.
type RuleView struct {
	Rule
	Builtin   bool   // it holds without configuration
	Replaces  bool   // a built-in rule of its name, which holds again when it is deleted
	Managed   string // "file" when the configuration file owns it
	Actor     string
	Version   int64 // 0 of a built-in one
	UpdatedAt time.Time
	Problem   string // why it does not hold on this node, "" if it does
}
