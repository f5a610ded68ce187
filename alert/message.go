package alert

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MessageKind says what a message is about.
type MessageKind string

// The kinds.
const (
	Raised    MessageKind = "raised"    // something is wrong
	Held      MessageKind = "held"      // what was held back, told later
	Recovered MessageKind = "recovered" // it is over
	Test      MessageKind = "test"      // somebody looks whether the channel works
)

// Message is what a channel tells people. It is plain data: each channel
// writes and escapes it in its own way.
type Message struct {
	ID       string      `json:"id"` // the same at every repeat
	Kind     MessageKind `json:"kind"`
	Rule     string      `json:"rule"`
	Subject  string      `json:"subject"`
	Severity string      `json:"severity"`
	Text     string      `json:"text"` // one sentence
	Fields   []Field     `json:"fields,omitempty"`
	At       time.Time   `json:"at"` // when it happened
	// HeldBack counts the alerts of this rule and subject that were not told
	// since the last message; Names are the first of them, Since is when the
	// first was raised.
	HeldBack int       `json:"held_back,omitempty"`
	Names    []string  `json:"held_back_names,omitempty"`
	Since    time.Time `json:"held_back_since,omitzero"`
	// Kinds are what was held back by what it has in common: the targets, codes and
	// fingerprints of failures.
	Kinds Tallies `json:"held_back_kinds,omitempty"`
	// Queue is that of the task, "" without one.
	Queue string `json:"queue,omitempty"`
	// TaskType and Target are those of the task, or what is measured; "" without one.
	TaskType string `json:"task_type,omitempty"`
	Target   string `json:"target,omitempty"`
}

// Title is one line that says what happened.
func (m *Message) Title() string {
	mark := strings.ToUpper(m.Severity)
	if mark == "" {
		mark = "WARNING"
	}
	switch m.Kind {
	case Recovered:
		mark = "RECOVERED"
	case Test:
		mark = "TEST"
	}
	return Line("[outlast] " + mark + " " + m.Rule + ": " + m.Subject)
}

// Lines are the message for people, title first, without any markup; every
// line is cleaned by [Line].
func (m *Message) Lines() []string {
	lines := []string{m.Title(), Line(m.Text)}
	if m.HeldBack > 0 {
		lines = append(lines, m.held()...)
	}
	for _, field := range m.Fields {
		lines = append(lines, Line(field.Name+": "+field.Value))
	}
	return append(lines, "at: "+m.At.UTC().Format(time.RFC3339Nano))
}

// held tells of what was held back: by kind where that is known, else by name.
func (m *Message) held() []string {
	since := " held back since " + m.Since.UTC().Format(time.RFC3339)
	if len(m.Kinds) > 0 {
		lines := []string{strconv.Itoa(m.HeldBack) + since}
		for _, kind := range m.Kinds.lines() {
			lines = append(lines, Line(kind))
		}
		return lines
	}
	held := counted(m.HeldBack, "alert") + since
	if len(m.Names) > 0 {
		held += ": " + strings.Join(m.Names, ", ")
		if more := m.HeldBack - len(m.Names); more > 0 {
			held += " and " + strconv.Itoa(more) + " more"
		}
	}
	return []string{Line(held)}
}

// PlainText is the message in at most limit bytes of UTF-8, cut between runes
// and with a mark where something is missing.
func (m *Message) PlainText(limit int) string {
	return Cut(strings.Join(m.Lines(), "\n"), limit)
}

// Line makes text from outside fit for one line: white space is one space
// each, and what could move, hide or reverse text is replaced.
func Line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

const cutMark = "… (cut)"

// Cut shortens text to at most limit bytes, between runes, with a mark.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return cut(text, limit-len(cutMark)) + cutMark
}

// cut is the beginning of text of at most limit bytes, between runes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
