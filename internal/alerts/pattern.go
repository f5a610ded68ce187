package alerts

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/alert"
)

// Limits of silences.
const (
	maxPattern = 512
	maxReason  = 500
)

// CheckPatterns reports what is wrong with the patterns of a silence, as joined
// [retry.FieldError] values.
func CheckPatterns(s *alert.Silence) error {
	var f ruleFindings
	chosen := false
	for _, pattern := range patterns(s, "", &alert.Message{}) {
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

// CheckSilence reports what is wrong with a new silence, as joined [retry.FieldError] values.
func CheckSilence(s *alert.Silence, now time.Time) error {
	var f ruleFindings
	f.Add(CheckPatterns(s))
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
	case s.Until.Sub(s.From) > alert.LongestSilence || s.From.Sub(now) > alert.LongestSilence:
		f.Refuse("until", "what is to be silent for good is a rule with disabled: true", "30 days are the limit")
	}
	return f.Err()
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// pattern is one of a silence's, beside what it is compared with.
type pattern struct{ name, pattern, text string }

func patterns(s *alert.Silence, channel string, m *alert.Message) []pattern {
	return []pattern{
		{"rule", s.Rule, m.Rule}, {"subject", s.Subject, m.Subject}, {"type", s.Type, m.TaskType},
		{"queue", s.Queue, m.Queue}, {"target", s.Target, m.Target}, {"channel", s.Channel, channel},
	}
}

// Covers reports whether a silence keeps a message to a channel back at a time. Tests of a
// channel are always sent.
func Covers(s *alert.Silence, m *alert.Message, channel string, now time.Time) bool {
	return s.State(now) == "active" && Matches(s, m, channel)
}

// Matches reports whether the patterns of a silence are about a message to a channel,
// whenever it comes.
func Matches(s *alert.Silence, m *alert.Message, channel string) bool {
	if m.Kind == alert.Test {
		return false
	}
	for _, p := range patterns(s, channel, m) {
		if p.pattern != "" && !Glob(p.pattern, p.text) {
			return false
		}
	}
	return true
}

// Glob compares a text with a pattern in which * stands for any text. It takes no longer
// than the product of their lengths.
func Glob(pattern, text string) bool {
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
