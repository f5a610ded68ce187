package keeper

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// OnFailure returns the tasks that tell of the end of an attempt, for the
// transaction of that end: so an alert is on disk exactly if what it tells of
// is. It is nil where no rule holds or the alert is held back. It reads no
// store. The limit of attempts is 0 for none; own is the [alert.TaskRule] of the
// task, nil for none.
func (e *Events) OnFailure(s *store.Settlement, maxAttempts int, own json.RawMessage) []store.Insert {
	if s.Task.Queue == alerts.Queue {
		return nil // an alert about alerts would go the way that does not work
	}
	b, on := e.book.edition.Load(), alert.OnRetry
	switch s.Outcome {
	case task.OutcomeDead:
		on = alert.OnDead
	case task.OutcomeFailed:
	default:
		return nil
	}
	rules, ofTask := b.rules[on], (*compiled)(nil)
	if len(own) > 0 {
		ofTask = e.book.tasks.of(own)
	}
	if len(rules) == 0 && ofTask == nil {
		return nil
	}
	o := alerts.Ended(s, maxAttempts)
	return e.raise(holding(ofTask, rules, o), o)
}

// Tells reports whether a rule holds for the end of an attempt, in the terms of
// [Events.OnFailure]. It raises nothing.
func (e *Events) Tells(s *store.Settlement, maxAttempts int, own json.RawMessage) bool {
	o := alerts.Ended(s, maxAttempts)
	if len(own) > 0 {
		if rule := e.book.tasks.of(own); rule != nil && rule.holds(o) {
			return true
		}
	}
	return slices.ContainsFunc(e.book.edition.Load().rules[o.On], func(rule *compiled) bool { return rule.holds(o) })
}

// raise is the task of an alert that rules ask for, unless this node holds it back.
func (e *Events) raise(rules []*compiled, o *alerts.Occurrence) []store.Insert {
	if len(rules) == 0 {
		return nil
	}
	askers := make([]asker, len(rules))
	for i, rule := range rules {
		askers[i] = rule.asker()
	}
	subject, ok := e.gates.passes(time.Now(), askers, o)
	if !ok {
		return nil
	}
	id := task.NewID(time.Now(), random{})
	payload := raised{Askers: askers, On: o.On, Held: o.Tallies(), Message: rules[0].message(id, o)}
	payload.Message.Subject = subject
	insert, ok := e.insert(id, alerts.TypeRaise, payload, time.Time{})
	if !ok {
		e.dropped.Add(1)
		return nil
	}
	return []store.Insert{insert}
}

// Crashed takes the loss of a run.
func (e *Events) Crashed(r store.Recovered) {
	if r.Cause != "node left" && r.Queue != alerts.Queue && len(e.book.edition.Load().rules[alert.OnCrash]) > 0 {
		e.Happened(alerts.Crashed(&r, time.Now()))
	}
}

// BreakerChanged takes a change of a breaker on this node.
func (e *Events) BreakerChanged(target, was, state, cause string) {
	if len(e.book.edition.Load().rules[alert.OnBreaker]) > 0 {
		e.Happened(alerts.BreakerChanged(target, was, state, cause, time.Now()))
	}
}

// Lost takes the runs that were lost with processes, as one node has taken them over:
// one event for each process.
func (e *Events) Lost(rows []store.Recovered) {
	if len(e.book.edition.Load().rules[alert.OnProcess]) == 0 {
		return
	}
	lost := map[alerts.HolderEnd][]store.Recovered{}
	for i := range rows {
		if r := &rows[i]; r.Cause != "node left" && r.Queue != alerts.Queue {
			end := alerts.HolderEnd{Holder: r.Node, Cause: r.Cause}
			lost[end] = append(lost[end], *r)
		}
	}
	for end, runs := range lost {
		e.Happened(alerts.ProcessDied(end, runs, time.Now()))
	}
}

// Exhausted takes that this node lacked what it needs to make calls, by the system's
// code, such as EMFILE.
func (e *Events) Exhausted(code string, calls int) {
	if len(e.book.edition.Load().rules[alert.OnResources]) > 0 {
		e.Happened(alerts.Exhausted(e.Node.Node(), code, calls, time.Now()))
	}
}
