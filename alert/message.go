package alert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/plaintext"
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
	// Links lead to what it is about, the closest first, and last to where its like is
	// silenced. There are none where nobody has said how people reach the console.
	Links []Link `json:"links,omitempty"`
}

// Link is a page of the console.
type Link struct {
	Name string `json:"name"` // what it shows, such as task or queue, or [LinkSilence]
	URL  string `json:"url"`
}

// LinkSilence is the name of the link to the form of a silence.
const LinkSilence = "silence"

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
	return plaintext.Line("[outlast] " + mark + " " + m.Rule + ": " + m.Subject)
}

// Lines are the message for people, title first, without any markup; every
// line is without what could move, hide or reverse text.
func (m *Message) Lines() []string {
	lines := []string{m.Title(), plaintext.Line(m.Text)}
	if link := m.OpenLink(); link != "" {
		lines = append(lines, "open: "+link)
	}
	if m.HeldBack > 0 {
		lines = append(lines, m.held()...)
	}
	for _, field := range m.Fields {
		lines = append(lines, plaintext.Line(field.Name+": "+field.Value))
	}
	lines = append(lines, "at: "+m.At.UTC().Format(time.RFC3339Nano))
	if link := m.SilenceLink(); link != "" {
		lines = append(lines, "silence it: "+link)
	}
	return lines
}

// OpenLink is the address of what the message is about, "" for none.
func (m *Message) OpenLink() string {
	if len(m.Links) == 0 || m.Links[0].Name == LinkSilence {
		return ""
	}
	return m.Links[0].URL
}

// SilenceLink is the address of where the like of the message is silenced, "" for none.
func (m *Message) SilenceLink() string {
	if last := len(m.Links) - 1; last >= 0 && m.Links[last].Name == LinkSilence {
		return m.Links[last].URL
	}
	return ""
}

// held tells of what was held back: by kind where that is known, else by name.
func (m *Message) held() []string {
	since := " held back since " + m.Since.UTC().Format(time.RFC3339)
	if len(m.Kinds) > 0 {
		lines := []string{strconv.Itoa(m.HeldBack) + since}
		for _, kind := range m.Kinds.Lines() {
			lines = append(lines, plaintext.Line(kind))
		}
		return lines
	}
	held := plaintext.Counted(m.HeldBack, "alert") + since
	if len(m.Names) > 0 {
		held += ": " + strings.Join(m.Names, ", ")
		if more := m.HeldBack - len(m.Names); more > 0 {
			held += " and " + strconv.Itoa(more) + " more"
		}
	}
	return []string{plaintext.Line(held)}
}

// PlainText is the message in at most limit bytes of UTF-8, cut between runes
// and with a mark where something is missing.
func (m *Message) PlainText(limit int) string {
	return plaintext.Cut(strings.Join(m.Lines(), "\n"), limit)
}

// Field is one line of a message.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Tally is alerts that were held back and have something in common.
type Tally struct {
	// What they have in common, such as the target, the code and the fingerprint of
	// the failure; empty for those of all other kinds.
	What  string   `json:"what,omitempty"`
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"` // the first of them
}

// Tallies are what was held back, by kind.
type Tallies []Tally

// Lines tell them to people, the most first, such as "4 × api.example.com (ID, ID, …)".
func (t Tallies) Lines() (lines []string) {
	sorted := slices.Clone(t)
	slices.SortStableFunc(sorted, func(a, b Tally) int { return b.Count - a.Count })
	for i := range sorted {
		of := &sorted[i]
		line := strconv.Itoa(of.Count) + " × " + cmp.Or(of.What, "others")
		if len(of.Names) > 0 {
			line += " (" + strings.Join(of.Names, ", ")
			if of.Count > len(of.Names) {
				line += ", …"
			}
			line += ")"
		}
		lines = append(lines, line)
	}
	return lines
}
