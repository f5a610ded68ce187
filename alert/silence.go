package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindSilence is the kind of silences.
const KindSilence = "silence"

// Limits of silences.
const (
	LongestSilence = 30 * 24 * time.Hour
	mostSilences   = 100 // that have not ended
	maxPattern     = 512
	maxReason      = 500
	silenceMemory  = 30 * 24 * time.Hour // how long one is shown that has ended
)

// Silence keeps messages from channels for a time: a maintenance, a trouble that is
// known. What would have been told stays in the history. Of the patterns those that are
// not empty must all match; * stands for any text.
type Silence struct {
	ID      string    `json:"id"`
	Rule    string    `json:"rule,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Type    string    `json:"type,omitempty"` // of the task
	Queue   string    `json:"queue,omitempty"`
	Target  string    `json:"target,omitempty"`
	Channel string    `json:"channel,omitempty"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until"`
	Reason  string    `json:"reason"`
	By      string    `json:"by"` // the actor, as in the audit log
	EndedBy string    `json:"ended_by,omitempty"`
}

// State is scheduled, active or ended.
func (s *Silence) State(now time.Time) string {
	switch {
	case !now.Before(s.Until):
		return "ended"
	case now.Before(s.From):
		return "scheduled"
	}
	return "active"
}

// CheckPatterns reports what is wrong with the patterns, as joined [retry.FieldError]
// values.
func (s *Silence) CheckPatterns() error {
	var f ruleFindings
	chosen := false
	for _, pattern := range s.patterns("", &Message{}) {
		chosen = chosen || pattern.pattern != ""
		f.pattern(pattern)
	}
	if !chosen {
		f.Refuse("rule", "or another of rule, subject, type, queue, target, channel; * stands for any text", "one pattern at least is required")
	}
	return f.Err()
}

// pattern checks one pattern.
func (f *ruleFindings) pattern(p pattern) {
	if len(p.pattern) > maxPattern || !printable(p.pattern) {
		f.Refuse(p.name, "", "must be at most %d bytes of UTF-8 without control characters", maxPattern)
	}
}

// Check reports what is wrong with a new silence, as joined [retry.FieldError] values.
func (s *Silence) Check(now time.Time) error {
	var f ruleFindings
	f.Add(s.CheckPatterns())
	switch {
	case strings.TrimSpace(s.Reason) == "":
		f.Refuse("reason", "say why, for those who wonder where the alert is", "is required")
	case len(s.Reason) > maxReason || !printable(s.Reason):
		f.Refuse("reason", "", "must be at most %d bytes of UTF-8 without control characters", maxReason)
	}
	switch {
	case s.Until.IsZero():
		f.Refuse("until", "a time within 30 days", "is required")
	case !s.Until.After(now) || !s.Until.After(s.From):
		f.Refuse("until", "", "must lie ahead, and after from")
	case s.Until.Sub(s.From) > LongestSilence || s.From.Sub(now) > LongestSilence:
		f.Refuse("until", "what is to be silent for good is a rule with disabled: true", "30 days are the limit")
	}
	return f.Err()
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// pattern is one of a silence's, beside what it is compared with.
type pattern struct{ name, pattern, text string }

func (s *Silence) patterns(channel string, m *Message) []pattern {
	return []pattern{
		{"rule", s.Rule, m.Rule}, {"subject", s.Subject, m.Subject}, {"type", s.Type, m.TaskType},
		{"queue", s.Queue, m.Queue}, {"target", s.Target, m.Target}, {"channel", s.Channel, channel},
	}
}

// covers reports whether a message to a channel is not to be sent now.
func (s *Silence) covers(m *Message, channel string, now time.Time) bool {
	return s.State(now) == "active" && s.matches(m, channel)
}

// matches reports whether the patterns cover a message to a channel.
func (s *Silence) matches(m *Message, channel string) bool {
	for _, p := range s.patterns(channel, m) {
		if p.pattern != "" && !glob(p.pattern, p.text) {
			return false
		}
	}
	return true
}

// glob compares a text with a pattern in which * stands for any text. It takes no longer
// than the product of their lengths.
func glob(pattern, text string) bool {
	star, after := -1, 0 // the last *, and where in the text what it stands for ends
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, after = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			after++
			p, t = star+1, after
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// places are the type, the queue and the target that a rule's subject is.
func places(on On, subject string) (taskType, queue, target string) {
	switch on {
	case OnDead:
		if name, host, called := strings.Cut(subject, " "); called && name == task.HTTPType {
			return name, "", host // see deathOf
		}
		return subject, "", ""
	case OnCrash, OnType:
		return subject, "", ""
	case OnQueue:
		return "", subject, ""
	case OnTarget, OnBreaker:
		return "", "", subject
	}
	return "", "", ""
}

// silence is the one that covers a message, nil for none. Tests of a channel are always
// sent.
func (k *Keeper) silence(m *Message, channel string) *Silence {
	if m.Kind == Test {
		return nil
	}
	for _, s := range k.book.Load().silences {
		if s.covers(m, channel, time.Now()) {
			return s
		}
	}
	return nil
}

// silenced is the result of a delivery that a silence has kept back.
type silenced struct {
	Silence string `json:"silence"`
}

// collected is the result of a delivery whose message is told by another, since the
// channel may not send so many.
type collected struct {
	Collected bool `json:"collected"`
}

// IsCollected reports whether a delivery has joined a collection, by its result.
func IsCollected(result []byte) bool {
	var of collected
	return len(result) > 0 && json.Unmarshal(result, &of) == nil && of.Collected
}

// SilencedBy is the silence that has kept a delivery back, by its result; "" for none.
func SilencedBy(result []byte) string {
	var of silenced
	if len(result) == 0 || json.Unmarshal(result, &of) != nil {
		return ""
	}
	return of.Silence
}

// Silences reads all silences, those that end last first.
func (k *Keeper) Silences(ctx context.Context) ([]Silence, error) {
	objects, err := k.Backend.Objects(ctx, KindSilence)
	if err != nil {
		return nil, err
	}
	all := []Silence{}
	for i := range objects {
		var s Silence
		if json.Unmarshal(objects[i].Body, &s) == nil {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Silence) int { return cmp.Or(b.Until.Compare(a.Until), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// AddSilence keeps a silence that has been checked. The row's actor makes it.
func (k *Keeper) AddSilence(ctx context.Context, s Silence, row store.Audit) (*Silence, error) {
	all, err := k.Silences(ctx)
	if err != nil {
		return nil, err
	}
	living := 0
	for i := range all {
		if all[i].State(time.Now()) != "ended" {
			living++
		}
	}
	if living >= mostSilences {
		return nil, &task.Error{Code: task.CodeConflict, Message: counted(living, "silence") + " have not ended; more are not kept", Hint: "end some, or use * in one"}
	}
	s.ID, s.By, s.EndedBy = task.NewID(time.Now(), random{}).String(), row.Actor, ""
	s.From, s.Until = s.From.UTC().Truncate(time.Microsecond), s.Until.UTC().Truncate(time.Microsecond)
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	row.Subject, row.After = KindSilence+"/"+s.ID, body
	change := store.Change{Put: []store.Object{{Kind: KindSilence, Name: s.ID, Body: body, Actor: row.Actor}}, Audit: []store.Audit{row}}
	if _, err := k.Backend.Change(ctx, change); err != nil {
		return nil, err
	}
	_ = k.Load(ctx) // it is there; else the next look reads it
	return &s, nil
}

// EndSilence ends a silence now. One that has ended stays as it is, and leaves no row.
// Code "not_found" where there is none.
func (k *Keeper) EndSilence(ctx context.Context, id string, row store.Audit) (*Silence, error) {
	for {
		object, err := k.Backend.Object(ctx, KindSilence, id)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			return nil, task.NotFound("silence", id)
		}
		if err != nil {
			return nil, err
		}
		s := &Silence{}
		if err := json.Unmarshal(object.Body, s); err != nil {
			return nil, unreadable(err)
		}
		now := time.Now().UTC().Truncate(time.Microsecond)
		if s.State(now) == "ended" {
			return s, nil
		}
		s.Until, s.EndedBy = now, row.Actor
		if s.From.After(now) {
			s.From = now
		}
		row.Before = object.Body
		if object.Body, err = json.Marshal(s); err != nil {
			return nil, err
		}
		row.Subject, row.After, object.Actor = KindSilence+"/"+id, object.Body, row.Actor
		_, err = k.Backend.Change(ctx, store.Change{Put: []store.Object{*object}, Audit: []store.Audit{row}})
		if errors.Is(err, &task.Error{Code: task.CodeConflict}) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = k.Load(ctx) // as in AddSilence
		return s, nil
	}
}
