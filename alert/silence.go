package alert

import "time"

// LongestSilence is how long a silence can last, and lie ahead.
const LongestSilence = 30 * 24 * time.Hour

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
