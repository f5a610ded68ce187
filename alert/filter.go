package alert

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/findings"
)

// EventFilter selects messages. What is empty selects all; * stands for any text.
type EventFilter struct {
	Rule    string
	Subject string
	Channel string
	State   string    // one of [EventStates]; "" selects all but collected
	Since   time.Time // messages that were made then or later
}

// Collected is the state of a message that another tells, because the channel could not
// take it when it came: that one is sent.
const Collected = "collected"

// EventStates are the states of a message.
var EventStates = []string{"pending", "sent", "silenced", Collected, "failed", "canceled"}

// Check reports what is wrong with a filter, as joined [retry.FieldError] values.
func (e *EventFilter) Check() error {
	var f ruleFindings
	for _, p := range []pattern{{name: "rule", pattern: e.Rule}, {name: "subject", pattern: e.Subject}, {name: "channel", pattern: e.Channel}} {
		f.pattern(p)
	}
	if e.State != "" && !slices.Contains(EventStates, e.State) {
		f.Refuse("state", findings.Nearest(e.State, EventStates), "is no state of a message")
	}
	return f.Err()
}

// Selects reports whether a message is among those selected, but for Since.
func (e *EventFilter) Selects(event *EventView) bool {
	return (e.Rule == "" || glob(e.Rule, event.Rule)) && (e.Subject == "" || glob(e.Subject, event.Subject)) &&
		(e.Channel == "" || glob(e.Channel, event.Channel)) && (e.State == "" && event.State != Collected || e.State == event.State)
}

// OneChannel is the channel, where the filter names one without any *.
func (e *EventFilter) OneChannel() string {
	if strings.Contains(e.Channel, "*") {
		return ""
	}
	return e.Channel
}

// SilencePreview is what a silence would have kept back.
type SilencePreview struct {
	Since    time.Time // messages from then on were looked at
	Messages int       // that it would have kept back
	More     bool      // there were more messages than are looked at
	Rules    []string  // the rules of today that its pattern names; nil without one
	Subjects []SilencedSubject
}

// SilencedSubject is one rule and subject of a preview.
type SilencedSubject struct {
	Rule     string
	Subject  string
	Messages int
	Last     time.Time
}

// mostSubjects bounds the subjects of a preview.
const mostSubjects = 100

// Count adds a message, if the silence covers it.
func (p *SilencePreview) Count(s *Silence, event *EventView) {
	if event.Kind == Test || !s.matches(event.Message, event.Channel) {
		return
	}
	p.Messages++
	at := slices.IndexFunc(p.Subjects, func(one SilencedSubject) bool { return one.Rule == event.Rule && one.Subject == event.Subject })
	if at < 0 {
		if len(p.Subjects) >= mostSubjects {
			return
		}
		at, p.Subjects = len(p.Subjects), append(p.Subjects, SilencedSubject{Rule: event.Rule, Subject: event.Subject})
	}
	p.Subjects[at].Messages++
	p.Subjects[at].Last = latest(p.Subjects[at].Last, event.At)
}

// Name notes the rules that the silence's pattern names, and puts the subjects with the
// most messages first.
func (p *SilencePreview) Name(s *Silence, rules []string) {
	slices.SortFunc(p.Subjects, func(a, b SilencedSubject) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	if s.Rule == "" {
		return
	}
	for _, name := range append(slices.Clone(rules), taskRuleName) {
		if glob(s.Rule, name) && !slices.Contains(p.Rules, name) {
			p.Rules = append(p.Rules, name)
		}
	}
}
