package alerts

import (
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Occurrence is one thing that a rule can hold for: an event, or one subject
// of an aggregate.
type Occurrence struct {
	On      alert.On
	Subject string         // see the kinds of [alert.On]
	Name    string         // of this very event, such as the task's id; "" for aggregates
	What    string         // what it has in common with others: what a digest counts by
	Held    alert.Tallies  // of an event that stands for several: what a digest counts
	Size    int            // the number that an aggregate is about, 0 where there is none
	At      time.Time      //
	Values  map[string]any // of the variables
	Text    string         // one sentence
	Fields  []alert.Field  // for people
	Queue   string         // for scoped readers; "" if there is none
}

// Ended describes the end of an attempt that failed: OnDead if the task died
// with it, OnRetry if it runs again. maxAttempts is the limit that held, 0 for
// none.
func Ended(s *store.Settlement, maxAttempts int) *Occurrence {
	t, failure := s.Task, s.Failure
	if failure == nil {
		failure = &task.Failure{}
	}
	status, _ := strconv.Atoi(failure.Code)
	attempts := t.Attempt
	if s.Unstarted {
		attempts--
	}
	delay := time.Duration(0)
	if s.Outcome == task.OutcomeFailed {
		delay = max(0, s.RunAt.Sub(s.EndedAt))
	}
	o := &Occurrence{On: alert.OnRetry, Subject: t.ID.String(), Name: t.ID.String(), What: failureOf(t, s.DeadReason, failure), At: s.EndedAt, Queue: t.Queue}
	event, text := "retry", t.Type+" failed at attempt "+strconv.Itoa(attempts)+" and runs again in "+plaintext.Span(delay.Round(time.Millisecond))
	if s.Outcome == task.OutcomeDead {
		o.On, o.Subject = alert.OnDead, deathOf(t)
		event, text = "dead", t.Type+" died after "+plaintext.Counted(attempts, "attempt")+": "+string(s.DeadReason)
	}
	if t.Spec.Follows != "" {
		text += "; it was the " + string(t.Spec.Follows) + " of " + parentOf(t)
	}
	o.Text = text
	o.Values = map[string]any{
		"event": event, "type": t.Type, "queue": t.Queue, "target": t.Target, "key": t.Key, "policy": t.Policy,
		"attempt": attempts, "max_attempts": maxAttempts, "crashes": t.Crashes,
		"age": max(0, s.EndedAt.Sub(t.CreatedAt)), "delay": delay, "reason": string(s.DeadReason),
		"category": failure.Category, "code": failure.Code, "status": status, "error_type": failure.Type,
		"message": failure.Message, "fingerprint": failure.Fingerprint, "metadata": t.Spec.Metadata,
		"follows": string(t.Spec.Follows), "parent": parentOf(t),
	}
	o.Fields = Fields("task", t.ID.String(), "type", t.Type, "queue", t.Queue, "key", t.Key, "target", t.Target,
		"attempt", strconv.Itoa(attempts), "reason", string(s.DeadReason), "category", failure.Category, "code", failure.Code,
		"follows", parentOf(t), "trace", task.TraceID(t.Spec.TraceParent), "error", plaintext.Head(failure.Message, maxFieldError))
	return o
}

// deathOf is the subject of a task's death: its type, and where that says nothing, since
// the task is a call of a URL without a type of its own, the target too.
func deathOf(t *task.Task) string {
	if t.Type == task.HTTPType && t.Target != t.Type {
		return t.Type + " " + t.Target
	}
	return t.Type
}

// failureOf is what the failure of a task has in common with others.
func failureOf(t *task.Task, reason task.DeadReason, failure *task.Failure) string {
	parts := []string{t.Target}
	if reason != "" && reason != task.Exhausted {
		parts = append(parts, string(reason))
	}
	if why := strings.TrimSpace(failure.Category + " " + failure.Code); why != "" {
		parts = append(parts, why)
	}
	if failure.Fingerprint != "" {
		parts = append(parts, "fingerprint "+failure.Fingerprint)
	}
	return strings.Join(parts, ", ")
}

// parentOf is the id of the task that t follows, "" for none.
func parentOf(t *task.Task) string {
	if t.Spec.Parent.IsZero() {
		return ""
	}
	return t.Spec.Parent.String()
}

// maxFieldError is how much of an error's text an alert carries, in bytes.
const maxFieldError = 1000

// Crashed describes a run that was lost: its process died, or the lease of its worker
// ended.
func Crashed(r *store.Recovered, at time.Time) *Occurrence {
	return &Occurrence{
		On: alert.OnCrash, Subject: r.Type, Name: r.ID.String(), At: at, Queue: r.Queue,
		Text: task.LostBy(r.Node) + ", while " + r.Type + " ran (" + plaintext.Counted(r.Crashes, "crash") + " of this task)",
		Values: map[string]any{
			"type": r.Type, "queue": r.Queue, "attempt": r.Attempt, "crashes": r.Crashes, "cause": r.Cause,
		},
		Fields: Fields("task", r.ID.String(), "type", r.Type, "queue", r.Queue, "node", r.Node, "crashes", strconv.Itoa(r.Crashes)),
	}
}

// BreakerChanged describes a change of a target's breaker.
func BreakerChanged(target, was, state, cause string, at time.Time) *Occurrence {
	return &Occurrence{
		On: alert.OnBreaker, Subject: target, Name: state, At: at,
		Text:   "the breaker of " + target + " is " + state + ": " + cause,
		Values: map[string]any{"target": target, "state": state, "was": was, "cause": cause},
		Fields: Fields("target", target, "breaker", state, "before", was, "cause", cause),
	}
}

// RedriveEnded describes the end of a redrive.
func RedriveEnded(operation *store.Operation, at time.Time) *Occurrence {
	state := string(operation.State)
	return &Occurrence{
		On: alert.OnRedrive, Subject: operation.ID, Name: operation.ID, At: at,
		Text:   "the redrive " + operation.ID + " is " + state + ": " + strconv.Itoa(operation.Done) + " of " + plaintext.Counted(operation.Matched, "letter"),
		Values: map[string]any{"state": state, "matched": operation.Matched, "done": operation.Done},
		Fields: Fields("operation", operation.ID, "state", state, "error", plaintext.Head(operation.Error, maxFieldError)),
	}
}

// ScheduleMissed describes ticks of a schedule that were missed.
func ScheduleMissed(schedule string, missed int, at time.Time) *Occurrence {
	return &Occurrence{
		On: alert.OnSchedule, Subject: schedule, Name: schedule, At: at,
		Text:   "the schedule " + schedule + " has missed " + plaintext.Counted(missed, "tick"),
		Values: map[string]any{"schedule": schedule, "missed": missed},
		Fields: Fields("schedule", schedule, "missed", strconv.Itoa(missed)),
	}
}

// Fields makes lines of names and values without the empty ones.
func Fields(pairs ...string) (lines []alert.Field) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			lines = append(lines, alert.Field{Name: pairs[i], Value: pairs[i+1]})
		}
	}
	return lines
}

// Places are the type, the queue and the target that a rule's subject is.
func Places(on alert.On, subject string) (taskType, queue, target string) {
	switch on {
	case alert.OnDead:
		if name, host, called := strings.Cut(subject, " "); called && name == task.HTTPType {
			return name, "", host // see deathOf
		}
		return subject, "", ""
	case alert.OnCrash, alert.OnType:
		return subject, "", ""
	case alert.OnQueue:
		return "", subject, ""
	case alert.OnTarget, alert.OnBreaker:
		return "", "", subject
	}
	return "", "", ""
}
